import { MistakeError } from "../mistake.ts";
import { isError } from "../pipeline/outcome.ts";
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

  /** Returns the text to store. */
  closed(body: string): string | Promise<string> {
    const encrypt = this.#encrypt;
    if (encrypt === undefined) return body;
    const run = async (): Promise<string> => textOf("encrypt", await encrypt(body));
    return run();
  }

  /** Returns the events with their bodies as they were stored. Never rejects: an event that cannot be read says why. */
  async opened(events: readonly TakenEvent[]): Promise<readonly TakenEvent[]> {
    const decrypt = this.#decrypt;
    if (decrypt === undefined) return events;
    const open = async (event: TakenEvent): Promise<TakenEvent> => {
      try {
        const body = await this.#limit.run(async () => decrypt(event.body));
        return { ...event, body: textOf("decrypt", body) };
      } catch (error) {
        return {
          ...event,
          body: "",
          unreadable: new Error(`cannot decrypt the stored body${whyOf(error)}`),
        };
      }
    };
    return Promise.all(events.map(open));
  }
}

function textOf(name: string, text: unknown): string {
  if (typeof text === "string") return text;
  throw new TypeError(`the inbox's "${name}" did not return a text`);
}

/** The error's name and code. Its message may quote the stored text, which belongs in no log. */
function whyOf(error: unknown): string {
  if (!isError(error)) return "";
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return ` (${error.name}${code})`;
}
