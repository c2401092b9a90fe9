/** Resolves to the result of `work`, or to `undefined` once the signal is aborted. The work continues. */
export async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const left = Promise.withResolvers<undefined>();
  const leave = (): void => left.resolve(undefined);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
