import type { Attempt, Delivery, EventStatus } from "../shapes.ts";
import { responseText, tookText } from "../words.ts";

/** The result of an attempt in words, with the likely cause and the fix of a failure. */
export interface Diagnosis {
  readonly isGood: boolean;
  /** One sentence. */
  readonly what: string;
  readonly cause: string | undefined;
  readonly fix: string | undefined;
  /** True if only the status, or the lack of an answer, is known. */
  readonly isGuess: boolean;
}

type Explained = Pick<Diagnosis, "cause" | "fix">;

/** Explains one attempt. */
export function diagnose(attempt: Attempt, deadlineSeconds: number): Diagnosis {
  const { status, outcome, isUnseen, fault } = attempt;
  const isGood = status !== null && status >= 200 && status < 300;
  if (fault !== null && !isGood) return ofFault(attempt, fault, isUnseen);
  if (isGood) {
    const what = `Your endpoint answered ${responseText(attempt)}${outcomeText(attempt)}.`;
    return { isGood, what, cause: undefined, fix: undefined, isGuess: false };
  }
  if (status === null) {
    return { isGood, isGuess: true, ...ofError(attempt, deadlineSeconds) };
  }
  const line = firstLine(outcome?.message || (attempt.answer ?? ""));
  const what = `Your endpoint answered ${String(status)}${line === "" ? "" : `: ${line}`}.`;
  return { isGood, what: what.replace(/\.\.$/, "."), ...ofStatus(attempt, status) };
}

function ofFault(attempt: Attempt, kind: string, isUnseen: boolean): Diagnosis {
  const made = `A fault made this attempt fail (${responseText(attempt)})`;
  return {
    isGood: false,
    isGuess: false,
    what: isUnseen ? `${made}; your app never saw it.` : `${made}, although your app received it.`,
    cause: `You added the fault “${kind}” to the sandbox.`,
    fix: isUnseen
      ? "Nothing to fix: the retries follow the schedule. Remove the fault under Faults."
      : "Your app must treat the next attempt as a duplicate: same event id, same body.",
  };
}

const errors: Readonly<Record<string, (seconds: number) => Explained & { readonly what: string }>> =
  {
    CS_ATTEMPT_TIMEOUT: (seconds) => ({
      what: `Your endpoint did not answer within ${tookText(seconds * 1000)}.`,
      cause: "The handler works longer than the sender waits, or it never answers.",
      fix: "Store the event and answer 2xx at once; do the work afterwards.",
    }),
    CS_ATTEMPT_CONNECTION_FAILED: () => ({
      what: "Nothing accepts connections at your endpoint's address.",
      cause: "Your app is not running, or it listens on another port or address.",
      fix: "Start your app and compare its port with the endpoint's URL.",
    }),
    CS_ATTEMPT_CONNECTION_LOST: () => ({
      what: "The connection ended before the response was complete.",
      cause: "Your app crashed or restarted while it handled the event.",
      fix: "Look for a stack trace in your app's log at this time.",
    }),
    CS_ATTEMPT_NAME_UNRESOLVED: () => ({
      what: "The endpoint's host has no address.",
      cause: "The host in the URL is misspelt, or DNS does not answer.",
      fix: "Correct the endpoint's URL.",
    }),
    CS_ATTEMPT_TLS_FAILED: () => ({
      what: "The TLS handshake failed.",
      cause: "The certificate is not valid for this host, or expired.",
      fix: "Use http:// for an app on this machine, or install a valid certificate.",
    }),
    CS_ATTEMPT_ADDRESS_REFUSED: () => ({
      what: "The sandbox does not send to this address.",
      cause: "It is neither on this machine nor on the public Internet.",
      fix: "Use localhost or a public address.",
    }),
    CS_ATTEMPT_ANSWER_MALFORMED: () => ({
      what: "The endpoint did not send a valid HTTP response.",
      cause: "Another program listens on this port, or the response's head is too long.",
      fix: "Check what listens on the endpoint's port.",
    }),
  };

function ofError(
  { error }: Attempt,
  deadlineSeconds: number,
): Explained & { readonly what: string } {
  return (
    errors[error ?? ""]?.(deadlineSeconds) ?? {
      what: `The attempt was not sent: ${error ?? "no response"}.`,
      cause: "The endpoint's URL or secret cannot be used.",
      fix: "Delete the endpoint and add it again.",
    }
  );
}

const NO_REPORT =
  "Your receiver sent no outcome report, so the page sees only the status. Report outcomes with POST /sandbox/outcomes to see the reason here.";

/** The receiver's report says most, then the code of the answer, then the status. */
function ofStatus(attempt: Attempt, status: number): Omit<Diagnosis, "isGood" | "what"> {
  const { outcome, answer } = attempt;
  const coded = ofCode(answer ?? "");
  const fix = coded?.fix ?? fixOf(status);
  if (outcome === null) {
    const cause = coded?.cause ?? `${causeOf(status)} ${NO_REPORT}`;
    return { cause, fix, isGuess: coded === undefined };
  }
  const code = outcome.code ?? outcome.outcome;
  // Each explanation is a cause with its own fix.
  const cause =
    outcome.explanation.length > 0
      ? `${code}: ${outcome.explanation.join(" ")}`
      : `Your receiver reported ${outcome.outcome} (${code}).`;
  return { cause, fix, isGuess: false };
}

const SEE_LOG = "Read the error in your app's log.";

/** Causes and fixes of the receiver's codes for which the status says too little. */
const codes: ReadonlyMap<string, readonly [cause: string, fix?: string]> = new Map([
  [
    "CS_SIGNATURE_REFUSED",
    [
      "the signature, its time or the tenant is refused. Your receiver's log has the reason.",
      "With CS_SIGNATURE_MISMATCH in the log, compare its fingerprints and the raw body with the Signature tab.",
    ],
  ],
  [
    "CS_BODY_CONSUMED",
    [
      "a parser has read the body before the receiver.",
      "Register the webhook route before any body parser.",
    ],
  ],
  [
    "CS_EVENT_ID_REUSED",
    ["the inbox knows this event id with another body.", "Send the copy with a new id."],
  ],
  ["CS_EVENT_IN_PROGRESS", ["another attempt of this event is being handled."]],
  [
    "CS_RECEIVER_BUSY",
    ["all handlers or all memory for bodies are in use.", "Shorten the handlers or raise limits."],
  ],
  ["CS_HANDLER_FAILED", ["your handler threw."]],
  [
    "CS_HANDLER_TIMEOUT",
    [
      "your handler took longer than limits.answerMs.",
      "Store the event and let a worker handle it, or shorten the handler.",
    ],
  ],
  ["CS_INBOX_UNAVAILABLE", ["the inbox failed, or did not answer in time.", SEE_LOG]],
  ["CS_SECRETS_UNAVAILABLE", ["the secrets function failed.", SEE_LOG]],
  ["CS_RECEIVER_FAILED", ["the receiver or its respond function failed.", SEE_LOG]],
]);

/** Explains a response whose body is JSON with a code of a receiver, or returns `undefined`. */
function ofCode(answer: string): Partial<Explained> | undefined {
  const { code, fix } = membersOf(answer);
  if (typeof code !== "string" || !/^CS_[A-Z0-9_]{1,61}$/.test(code)) return undefined;
  const [cause, usual] = codes.get(code) ?? [];
  return {
    cause: cause === undefined ? `Your app answered with the code ${code}.` : `${code}: ${cause}`,
    fix: (typeof fix === "string" && oneLine(fix, 400)) || usual,
  };
}

function causeOf(status: number): string {
  if (status === 401 || status === 403)
    return "Your app refused the signature: a wrong secret, a body parsed before it was verified, or a wrong clock.";
  if (status === 404 || status === 405) return "Your app has no POST route at this path.";
  if (status === 410) return "Your app said that it wants no more events here.";
  if (status === 413) return "The body is larger than your app accepts.";
  if (status === 415) return "Your app does not accept application/json here.";
  if (status === 429) return "Your app limits the rate of calls.";
  if (status >= 300 && status < 400) return "Redirects are not followed.";
  return status >= 500
    ? "Your handler threw, or something that it needs is unavailable."
    : "Your app does not accept the body.";
}

function fixOf(status: number): string {
  if (status === 401 || status === 403)
    return "See the Signature tab: compare the secret's fingerprint and the raw body, byte by byte.";
  if (status === 404 || status === 405) return "Compare the endpoint's URL with your app's route.";
  if (status >= 300 && status < 400) return "Use the final URL for the endpoint.";
  if (status === 413 || status === 415) return "Register the webhook route before any body parser.";
  return status >= 500
    ? "Read the stack trace in your app's log, or copy the event as a test and debug it."
    : "Compare the payload with what your handler expects.";
}

const outcomeText = ({ outcome }: Attempt): string =>
  outcome === null ? "" : `; your receiver reported ${outcome.outcome}`;

/** The first line of a response, shortened; a JSON problem's title or detail if it is one. */
function firstLine(text: string): string {
  const members = membersOf(text);
  const said = ["detail", "message", "error", "title", "code"].map((name) => members[name]);
  const message = said.find((member) => typeof member === "string");
  const line = message ?? text.split("\n").find((one) => one.trim() !== "") ?? "";
  return oneLine(line, 160);
}

/** Shortens a stranger's text, without characters that hide text or change its direction. */
function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll(/\p{C}/gu, "").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** The members of a JSON object; none if the text is anything else. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    // A receiver may answer anything: each member is checked.
    return { ...(JSON.parse(text) as object | null) };
  } catch {
    return {};
  }
}

/** Describes the state of a delivery. The page appends `next`, since it contains a time. */
export function summarize(
  delivery: Pick<Delivery, "status" | "attempts" | "isPaused" | "url">,
  deadlineSeconds: number,
): string {
  const { attempts, status } = delivery;
  const last = attempts.at(-1);
  const failed = attempts.filter(
    (one) => one.status === null || one.status < 200 || one.status >= 300,
  );
  const times = failed.length === 1 ? "once" : `${String(failed.length)} times`;
  const what = last === undefined ? "" : diagnose(last, deadlineSeconds).what;
  const sentences: Readonly<Record<EventStatus, string>> = {
    pending: delivery.isPaused
      ? "Waits: its endpoint is paused."
      : last === undefined
        ? "Not attempted yet."
        : "Due to be sent again.",
    sending: "Being sent now.",
    delivered:
      failed.length === 0
        ? `Delivered at the first attempt. ${what}`
        : `Delivered after it had failed ${times}. ${what}`,
    retrying: `Failed ${times}. ${what}`,
    gave_up: `Gave up after ${String(attempts.length)} attempts. ${what}`,
    unsent:
      last === undefined
        ? "Dropped before it was sent: the endpoint was deleted, or no longer selects this event."
        : `Dropped after ${String(attempts.length)} attempts: the endpoint no longer wants it.`,
  };
  return sentences[status];
}
