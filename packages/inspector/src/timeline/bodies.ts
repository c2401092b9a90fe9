/** Events whose payloads are kept in the page. */
export const MAX_EVENTS = 1000;
/** Characters of payloads that are kept in the page, at two bytes each 50 MB. */
export const MAX_CHARACTERS = 25_000_000;

/** The newest payloads, within two bounds; any other one is asked for again. */
export class Bodies {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get size(): number {
    return this.#texts.size;
  }

  get characters(): number {
    return this.#characters;
  }

  get(id: string): string | undefined {
    return this.#texts.get(id);
  }

  set(id: string, text: string): void {
    this.#drop(id);
    this.#texts.set(id, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_EVENTS && this.#characters <= MAX_CHARACTERS) break;
      this.#drop(oldest);
    }
  }

  #drop(id: string): void {
    this.#characters -= this.#texts.get(id)?.length ?? 0;
    this.#texts.delete(id);
  }
}
