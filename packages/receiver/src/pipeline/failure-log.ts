import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Secret } from "@countersign/signatures";
import {
  type EventIdentity,
  type Failed,
  type Outcome,
  type Rejected,
  type RejectionDetail,
} from "./outcome.ts";
import { isError, isThenable, runtime } from "../runtime.ts";

/** Takes one text for each failure. `console` is one, and so are most loggers. */
export interface FailureLogger {
  warn(text: string): void;
  error(text: string): void;
}

const MINUTE_MS = 60_000;
const MAX_TEXT = 4000;
const MAX_HIDDEN = 1000;

/** Whose attempts they are: several receivers of one process write to one log. */
type Sender = Pick<ProviderDocument, "title" | "secret">;

/** Failures of one code since its last line. */
interface Minute {
  more: number;
  /** The cause of the latest one. */
  latest: string;
}

/** An unavailable store fails every attempt, also a stranger's; errors of handlers are each reported. */
const COUNTED: ReadonlySet<Failed["code"]> = new Set([
  "CS_INBOX_UNAVAILABLE",
  "CS_KEY_UNAVAILABLE",
  "CS_SECRETS_UNAVAILABLE",
]);

/**
 * Reports failures: what a handler threw always; else one line for each code, and then a count each minute. Never a
 * body, a header's value or a secret.
 *
 * - `CS_REPLY_INVALID`: a handler returned what the provider cannot read as its answer. The event is handled and acknowledged.
 * - `CS_EVENT_SAME_BYTES`: an event ran although its signed bytes are known under another id: a replay, unless the
 *   sender repeats itself.
 */
export class FailureLog {
  readonly #logger: FailureLogger | false;
  readonly #provider: Sender;
  readonly #minutes = new Map<string, Minute>();
  readonly #hidden = new Set<string>();
  /** The list that was hidden last: usually that of every attempt. */
  #lastHidden: readonly Secret[] | undefined;

  constructor(provider: Sender, log: FailureLogger | false = stderr) {
    this.#logger = log;
    this.#provider = provider;
  }

  /** Replaces these secrets in every later text: an error's message may quote one. */
  hide(secrets: readonly Secret[]): void {
    if (secrets === this.#lastHidden) return;
    this.#lastHidden = secrets;
    // A function may return any number of them.
    if (this.#hidden.size > MAX_HIDDEN) this.#hidden.clear();
    for (const secret of secrets) {
      const { raw = secret } = secret as { readonly raw?: unknown };
      // A decoder's message may quote it without its prefix and a file's final newline.
      const text = String(raw)
        .trimEnd()
        .replace(/^(?:wh[a-z]{2,3}_|raw:)/, "");
      // A shorter text is not a usable secret, and would tear up the log.
      if (text.length >= 16) this.#hidden.add(text);
    }
  }

  report(outcome: Outcome): void {
    if (outcome.kind === "rejected") {
      const explanation = outcome.facts?.explanation;
      const text = (): string => refusalOf(outcome, this.#provider);
      if (explanation === undefined) this.#count(outcome.code, text);
      else this.#write("warn", text(), explanation);
    } else if (outcome.kind === "failed") {
      const text = (): string => `failed ${outcome.code}${eventOf(outcome.event)}`;
      if (COUNTED.has(outcome.code)) this.#count(outcome.code, text, outcome.error);
      else this.#write("error", text(), outcome.error);
    } else if ("sameBytesAs" in outcome || "schemaErrors" in outcome) {
      const { kind, key, type, sameBytesAs, schemaErrors } = outcome;
      const event = eventOf({ key, type });
      if (sameBytesAs !== undefined)
        this.#count("CS_EVENT_SAME_BYTES", () => `${kind}${event} has the bytes of ${sameBytesAs}`);
      if (schemaErrors !== undefined)
        this.#count(
          "CS_EVENT_SCHEMA",
          () => `${kind}${event} does not fit its schema (${listed(schemaErrors)})`,
        );
    }
  }

  /** Reports a return value that is not sent. */
  reportReply(event: EventIdentity, mediaType: string): void {
    this.#count(
      "CS_REPLY_INVALID",
      () =>
        `CS_REPLY_INVALID handled${eventOf(event)}, but not answered with what its handler returned: return ${mediaType}, ` +
        "as an object for JSON and as text for XML, or nothing",
    );
  }

  /** Reports a problem that is not of one attempt. */
  warn(text: string): void {
    this.#write("warn", text);
  }

  /** Calls a function of the app that must not end its process. @returns What it returned, if it did not throw. */
  guard<T>(what: string, call: () => T): T | undefined {
    try {
      const returned = call();
      onRejection(returned, (error) => this.#write("error", what, error));
      return returned;
    } catch (error) {
      this.#write("error", what, error);
      return undefined;
    }
  }

  #count(code: string, text: () => string, error?: unknown): void {
    const minute = this.#minutes.get(code);
    if (minute === undefined) {
      this.#startMinute(code);
      this.#write(error === undefined ? "warn" : "error", text(), error);
    } else {
      minute.more += 1;
      minute.latest = error === undefined ? "" : this.#readable(error).split("\n", 1).join();
    }
  }

  #startMinute(code: string): void {
    const minute: Minute = { more: 0, latest: "" };
    this.#minutes.set(code, minute);
    const timer: Partial<NodeJS.Timeout> = setTimeout(() => {
      this.#minutes.delete(code);
      const { more, latest } = minute;
      if (more === 0) return;
      const last = latest && `, the latest${latest}`;
      this.#write("warn", `${code}: ${String(more)} more in the last minute${last}`);
      this.#startMinute(code);
    }, MINUTE_MS);
    // A count must not keep the process alive. A runtime of the Web returns a number.
    timer.unref?.();
  }

  /** @param about An error, or the lines of an explanation. */
  #write(level: "warn" | "error", text: string, about?: unknown): void {
    if (this.#logger === false) return;
    try {
      const lines = about === undefined ? "" : this.#readable(about);
      const logged: unknown = this.#logger[level](
        this.#withoutSecrets(`countersign: ${escaped(`${this.#provider.title}: ${text}`)}${lines}`),
      );
      onRejection(logged, () => undefined);
    } catch {
      // A logger that throws must not change what is answered.
    }
  }

  /** Prints what was thrown. A value without a text, such as `Object.create(null)`, must not hide the failure. */
  #readable(about: unknown): string {
    try {
      return textOf(about, (text) => escaped(this.#cut(text)));
    } catch {
      return ": what was thrown has no text";
    }
  }

  /** Cuts a long text. Its end goes too, which may be in the middle of a secret. */
  #cut(text: string): string {
    if (text.length <= MAX_TEXT) return text;
    const longest = Math.max(0, ...Array.from(this.#hidden, ({ length }) => length));
    return `${this.#withoutSecrets(text.slice(0, MAX_TEXT + longest)).slice(0, -longest || undefined)}…`;
  }

  #withoutSecrets(text: string): string {
    let shown = text;
    for (const secret of this.#hidden) shown = shown.replaceAll(secret, "[secret]");
    return shown;
  }
}

/** An async function may stand where a synchronous one is expected: its rejection would end the process. */
function onRejection(returned: unknown, handle: (error: unknown) => void): void {
  if (isThenable(returned)) Promise.resolve(returned).catch(handle);
}

/** The default logger. Not `console`: a test runner or a framework may have replaced it. */
const stderr: FailureLogger = { warn: write, error: write };

function write(text: string): void {
  if (runtime.process?.stderr?.write === undefined) console.error(text);
  else runtime.process.stderr.write(`${text}\n`);
}

/** Refusals that a wrong secret, other settings of the sender or another sender's attempt cause. */
const OF_SETTINGS =
  /^CS_(?:BODY_MEDIA_TYPE|SIGNATURE_(?:MISMATCH|HEADER_MISSING|PLACE_MISSING|VERSION_UNSUPPORTED))$/;

function refusalOf(
  { code, event, details = [], facts = {} }: Rejected,
  { title, secret }: Sender,
): string {
  const { explanation: _, fix, ...others } = facts;
  const about = [
    ...Object.entries(others).map(([name, value]) => `${name} ${shown(value)}`),
    ...(details.length === 0 ? [] : [listed(details)]),
  ];
  const where =
    secret !== undefined && OF_SETTINGS.test(code)
      ? `. ${title} shows its secret at: ${secret.where}`
      : "";
  const change = fix === undefined ? "" : `: ${fix}`;
  return `rejected ${code}${eventOf(event)}${about.length === 0 ? "" : ` (${about.join("; ")})`}${where}${change}`;
}

const listed = (details: readonly RejectionDetail[]): string =>
  details.map(({ pointer, message }) => `${pointer ?? "body"} ${message}`).join("; ");

const MAX_SHOWN = 200;

/** A Content-Type is the sender's choice: it is cut, and quoted so that it cannot look like another line. */
const shown = (value: unknown): string => JSON.stringify(value).slice(0, MAX_SHOWN);

const eventOf = (event: EventIdentity | undefined): string =>
  event === undefined ? "" : ` ${event.type} ${event.key.id}`;

/** The message on the first line, the stack indented below, then the causes. */
function textOf(error: unknown, show: (text: string) => string, depth = 0): string {
  if (Array.isArray(error)) return error.map((line) => `\n  ${show(String(line))}`).join("");
  if (!isError(error)) return `: ${show(String(error))}`;
  const { stack = "", cause } = error;
  // The frames are at its end, after the message.
  const frames = stack
    .slice(-MAX_TEXT)
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const below = frames.map((frame) => `\n    ${escaped(frame.trim())}`).join("");
  const caused =
    cause === undefined || depth === 3 ? "" : `\n  caused by${textOf(cause, show, depth + 1)}`;
  return `: ${show(`${error.name}: ${error.message}`)}${below}${caused}`;
}

// oxlint-disable-next-line no-control-regex -- these are the characters that are escaped
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** One line: control characters could forge another line, or move a terminal's cursor. */
function escaped(text: string): string {
  return text.replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
