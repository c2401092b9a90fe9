import type { ProviderDocument } from "@countersign/schemas/providers";
import { type Outcome, type ReceiverResponse, REJECTIONS } from "./outcome.ts";
import { isThenable } from "../runtime.ts";

/** Maps an outcome to an answer; `createReceiver({ respond })` replaces the default one. */
export type Respond = (outcome: Outcome) => ReceiverResponse;

/**
 * The default answers. A 2xx acknowledges, and the sender stops; after anything else it tries again.
 * A sender sees a code and the event's id, never a message, a stack or a secret.
 *
 * - `CS_EVENT_IN_PROGRESS`: another attempt of the event is being handled; 409 with `Retry-After`, or 503 where
 *   the sender never repeats after 409.
 * - `CS_SIGNATURE_REFUSED`: the only code that a sender sees for a refused signature, time or tenant; 401.
 */
export const defaultRespond: Respond = respondAs({});

/** Returns the default answers with those that a provider's document expects. */
export function respondAs({
  answer = {},
  handshakes = [],
}: Pick<ProviderDocument, "answer" | "handshakes">): Respond {
  const { body = "", refused = 401, inProgress = 409, reply } = answer;
  // A 204 has no body.
  const { success = body === "" ? 204 : 200 } = answer;
  const type = { "content-type": answer.mediaType ?? reply ?? "text/plain" };
  const done: ReceiverResponse = { status: success, headers: body === "" ? {} : type, body };
  const allow = handshakes.some(({ method }) => method === "GET") ? "GET, POST" : "POST";
  const stored = answer.success === undefined ? { ...done, status: 202 } : done;
  const respond: Respond = (outcome) => {
    switch (outcome.kind) {
      case "handled":
      case "unrouted":
        if (outcome.reply === undefined || reply === undefined) return done;
        return { status: 200, headers: { "content-type": reply }, body: outcome.reply };
      case "duplicate":
      case "superseded":
      case "ignored":
        return done;
      case "stored":
        return stored;
      case "handshake":
        return outcome.response;
      case "batch":
        return outcome.outcomes.map(respond).find(({ status }) => status > 299) ?? done;
      case "in_progress": {
        const { key, retryAfterSeconds } = outcome;
        return json(inProgress, { code: "CS_EVENT_IN_PROGRESS", id: key.id }, retryAfterSeconds);
      }
      case "failed": {
        const { code, event, retryAfterSeconds } = outcome;
        return json(503, { code, id: event?.key.id }, retryAfterSeconds);
      }
      case "rejected": {
        const { code, event, facts } = outcome;
        const status = code in REJECTIONS ? REJECTIONS[code as keyof typeof REJECTIONS] : "alike";
        // All of these are alike, byte for byte: the reason would help only a forger.
        if (status === "alike") return json(refused, { code: "CS_SIGNATURE_REFUSED" });
        const shown = { code, id: event?.key.id, fix: facts?.fix };
        const response = json(status, shown, status === 503 ? 5 : undefined);
        return status === 405 ? { ...response, headers: { ...response.headers, allow } } : response;
      }
      default:
        return outcome satisfies never;
    }
  };
  return respond;
}

/**
 * Prints what a handler returned as an object of JSON, as XML or as another text; TwiML's objects print themselves.
 * Returns `undefined` for a value that the provider could not read.
 */
export function printReply(reply: unknown, mediaType: string): string | undefined {
  try {
    if (mediaType.includes("json")) {
      const text = typeof reply === "string" ? reply : JSON.stringify(reply);
      const read: unknown = JSON.parse(text);
      return typeof read === "object" && read !== null ? text : undefined;
    }
    const text = String(reply);
    const isText = mediaType.includes("xml") ? /^\s*</ : /^(?!\[object )/;
    return isText.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function json(status: number, shown: object, retryAfterSeconds?: number): ReceiverResponse {
  const wait = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  const headers = { "content-type": "application/json", ...wait };
  return { status, headers, body: JSON.stringify(shown) };
}

// RFC 9110 sections 5.6.2 and 5.5: a token, and no control characters except the tab.
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Checks the answer of a `respond` function: on an invalid one, some frameworks end the process.
 *
 * @throws {TypeError} HTTP cannot carry the answer.
 */
export function checkResponse(response: ReceiverResponse): ReceiverResponse {
  if (isThenable(response)) {
    // Nobody waits for an async function; its rejection would end the process.
    Promise.resolve(response).catch(() => undefined);
    throw new TypeError('"respond" must return an answer, not a promise');
  }
  const { status, headers, body } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError('"respond" must return a status from 200 to 599');
  if (typeof body !== "string") throw new TypeError('"respond" must return a text as "body"');
  for (const [name, value] of Object.entries(headers))
    if (!NAME.test(name) || typeof value !== "string" || !VALUE.test(value))
      throw new TypeError(`"respond" returned an invalid header ${JSON.stringify(name)}`);
  return BODILESS.has(status) ? { status, headers, body: "" } : response;
}
