/** Number of messages that are kept for readers that reconnect. */
const KEPT = 1000;
/** Characters of them. */
const KEPT_CHARACTERS = 4_000_000;

/** A namespace's latest messages, numbered, as the text of server-sent events (HTML, "Server-sent events"). */
export class NewsLog {
  readonly #runId: string;
  readonly #texts: string[] = [];
  /** The number of the first text that is kept. */
  #first = 1;
  #characters = 0;

  /** @param runId Distinguishes the numbers of this log from those of another. */
  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Numbers one message. @returns Its text. */
  add(name: string, data: object): string {
    const number = this.#first + this.#texts.length;
    const text = `event: ${name}\ndata: ${JSON.stringify(data)}\nid: ${this.#runId}.${String(number)}\n\n`;
    this.#texts.push(text);
    this.#characters += text.length;
    while (this.#texts.length > KEPT || this.#characters > KEPT_CHARACTERS) {
      this.#characters -= this.#texts.shift()?.length ?? 0;
      this.#first += 1;
    }
    return text;
  }

  /** Returns the messages after an id, as text; `undefined` if they are no longer stored. */
  after(id: string): string | undefined {
    const [runId, text = ""] = id.split(".");
    if (runId !== this.#runId || !/^\d{1,15}$/.test(text)) return undefined;
    const next = Number(text) + 1;
    const isKept = next >= this.#first && next <= this.#first + this.#texts.length;
    return isKept ? this.#texts.slice(next - this.#first).join("") : undefined;
  }
}
