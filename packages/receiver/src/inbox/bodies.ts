import { MistakeError } from "../mistake.ts";
import { isError } from "../runtime.ts";
import type { StoredBodies, TakenEvent } from "./inbox.ts";
import { TimeLimit } from "./store-faults.ts";

/** Encrypts the bodies of stored events and decrypts them, if the app wants it. */
export class Bodies {
  readonly retentionMs: number;
  readonly #encrypt: StoredBodies["encrypt"];
  readonly #decrypt: StoredBodies["decrypt"];
  readonly #limit = new TimeLimit('the inbox\'s "decrypt"');

  /** @throws {TypeError} `encrypt` without `decrypt` or the reverse, or `bodyRetentionMs` is not a time. */
  constructor(inbox: string, { bodyRetentionMs = 0, encrypt, decrypt }: StoredBodies) {
    if (!(Number.isSafeInteger(bodyRetentionMs) && bodyRetentionMs >= 0))
      throw new MistakeError(
        `${inbox}: invalid "bodyRetentionMs": expected milliseconds, 0 or more`,
      );
    if (typeof encrypt !== typeof decrypt || (encrypt && typeof encrypt !== "function"))
      throw new MistakeError(`${inbox}: "encrypt" and "decrypt" must both be functions`);
    this.retentionMs = bodyRetentionMs;
    this.#encrypt = encrypt;
    this.#decrypt = decrypt;
  }

  /** Returns the text to store; without a promise if nothing is encrypted, so that events keep their order. */
  closed(body: string): string | Promise<string> {
    const encrypt = this.#encrypt;
    return encrypt === undefined ? body : textOf("encrypt", () => encrypt(body));
  }

  /** Returns the event with its body as it was stored. Never rejects: an event that cannot be read says why. */
  async opened(event: TakenEvent): Promise<TakenEvent> {
    const decrypt = this.#decrypt;
    if (decrypt === undefined) return event;
    try {
      const text = (): Promise<string> => textOf("decrypt", () => decrypt(event.body));
      return { ...event, body: await this.#limit.run(text) };
    } catch (error) {
      // Its message may quote the stored text, which belongs in no log.
      const code = isError(error) && "code" in error ? ` ${String(error.code)}` : "";
      const why = isError(error) ? ` (${error.name}${code})` : "";
      const unreadable = new Error(`cannot decrypt the stored body${why}`);
      return { ...event, body: "", unreadable };
    }
  }
}

async function textOf(name: string, run: () => string | Promise<string>): Promise<string> {
  const text: unknown = await run();
  if (typeof text === "string") return text;
  throw new TypeError(`the inbox's "${name}" did not return a text`);
}
