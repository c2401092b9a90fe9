/** A handler of whatever the router finds for a name: its event's type is checked where it is registered. */
export type AnyHandler = (event: never, context: never) => unknown;

export interface Route {
  readonly handler: AnyHandler;
  /** True where no handler is registered for the type or its category. */
  readonly fallback: boolean;
}

/**
 * Exactly one handler an event, the most specific: the type's, else the category's, else the fallback.
 * With several, a retry after one has failed would run the others again.
 */
export interface Router {
  /**
   * @throws {TypeError} `name` is neither a type nor a category of the catalogue, has a handler
   *   already, or an attempt has been received before.
   */
  register(name: string, handler: AnyHandler): void;
  find(type: string, category: string | undefined): Route;
}

export function createRouter(options: {
  readonly names: readonly string[];
  readonly fallback: AnyHandler;
}): Router {
  const known = new Set(options.names);
  // A Map, since a plain object answers "constructor" and "toString" with functions.
  const handlers = new Map<string, AnyHandler>();
  const fallback: Route = { handler: options.fallback, fallback: true };
  let routing = false;

  return {
    register(name, handler) {
      if (typeof handler !== "function")
        throw new TypeError(`receiver.on(${quoted(name)}): the handler must be a function`);
      if (!known.has(name))
        throw new TypeError(
          `receiver.on(${quoted(name)}): no such type or category; ${nearest(name, options.names)}`,
        );
      if (handlers.has(name))
        throw new TypeError(
          `receiver.on(${quoted(name)}): a handler is registered already, and an event has exactly one`,
        );
      // A handler that comes later would miss events that the fallback has handled meanwhile.
      if (routing)
        throw new TypeError(
          `receiver.on(${quoted(name)}): handlers are registered before the first attempt`,
        );
      handlers.set(name, handler);
    },
    find(type, category) {
      routing = true;
      const handler =
        handlers.get(type) ?? (category === undefined ? undefined : handlers.get(category));
      return handler === undefined ? fallback : { handler, fallback: false };
    },
  };
}

const quoted = (name: unknown): string => JSON.stringify(String(name));

/** "did you mean …": the names of the catalogue with the fewest changed letters. */
export function nearest(name: string, names: readonly string[]): string {
  const distances = names
    .map((candidate) => ({
      candidate,
      distance: editDistance(name.slice(0, 64), candidate),
    }))
    .toSorted((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate));
  return `did you mean ${distances
    .slice(0, 3)
    .map(({ candidate }) => quoted(candidate))
    .join(", ")}?`;
}

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
