/** A value, or the promise of one: what is known at once costs no turn of the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** Whether the value is still to come, whichever realm made its promise. */
export function isPending<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** What `next` makes of the value, now if it is known now. */
export function after<T, Next>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<Next>,
): Awaitable<Next> {
  // oxlint-disable-next-line promise/no-callback-in-promise -- `next` is the continuation itself
  return isPending(value) ? value.then(next) : next(value);
}

/**
 * What `run` makes of it, or `failed` of what it throws or rejects with; `end` is called once that is
 * known. Neither throws nor rejects.
 */
export function settled<T>(
  run: () => Awaitable<T>,
  { failed, end }: { readonly failed: (error: unknown) => T; readonly end: () => void },
): Awaitable<T> {
  let value: Awaitable<T>;
  try {
    value = run();
  } catch (error) {
    value = failed(error);
  }
  if (isPending(value)) return value.catch(failed).finally(end);
  end();
  return value;
}
