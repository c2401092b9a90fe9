/** The time for which a key is used without asking its source again, in milliseconds. */
const KEY_MS = 3_600_000;
/** The most keys that are kept, and the most look-ups in a minute: a stranger may name any number of keys. */
const MAX_KEYS = 100;
const MAX_LOOKUPS = 20;
const MINUTE_MS = 60_000;

interface Kept {
  readonly key: Promise<string | undefined>;
  readonly until: number;
}

/** Keys that attempts name, such as certificates or a JWKS's keys, looked up by the user's function and kept. */
export class KeyCache {
  readonly #find: (value: string) => Promise<string | undefined>;
  readonly #elapsed: () => number;
  readonly #kept = new Map<string, Kept>();
  #lookups: number[] = [];

  constructor(find: (value: string) => Promise<string | undefined>, elapsed: () => number) {
    this.#find = find;
    this.#elapsed = elapsed;
  }

  /**
   * Returns the key of a value that the document allows, or `undefined` if its source knows none. Attempts that name
   * one key share its look-up.
   *
   * @throws the source is unavailable, or was asked too often.
   */
  get(value: string): Promise<string | undefined> {
    const now = this.#elapsed();
    const kept = this.#kept.get(value);
    if (kept !== undefined && now < kept.until) return kept.key;
    this.#lookups = this.#lookups.filter((at) => now - at < MINUTE_MS);
    if (this.#lookups.length >= MAX_LOOKUPS)
      return Promise.reject(new Error(`more than ${String(MAX_LOOKUPS)} look-ups in a minute`));
    this.#lookups.push(now);
    const key = Promise.resolve(value).then(this.#find);
    this.#kept.delete(value);
    this.#kept.set(value, { key, until: now + KEY_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEYS && oldest !== undefined) this.#kept.delete(oldest);
    // A failed look-up is not kept; an unknown key may be known in a minute.
    key.then(
      (found) => found === undefined && this.#kept.set(value, { key, until: now + MINUTE_MS }),
      () => this.#kept.delete(value),
    );
    return key;
  }
}
