import type { Explanation } from "@countersign/signatures/explain";

/** One attempt, as far as it explains its result. */
export interface DiagnosedAttempt {
  /** `null` without an answer. */
  readonly status: number | null;
  /** The reason for a missing answer: `CS_ATTEMPT_…`. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
  readonly durationMs: number;
  /** The kind of the fault that made the answer. */
  readonly fault?: string | null;
  /**
   * Causes for which the signature does not verify with the secret that is known here; empty if it does. `undefined`: no
   * secret is known.
   */
  readonly explanations?: readonly Explanation[] | undefined;
}

/** The result of an attempt in words, with the cause and the fix of a failure. */
export interface Diagnosis extends Cause {
  readonly isGood: boolean;
  /** One sentence. */
  readonly what: string;
}

interface Cause {
  /** Names the cause for lists: a code, a cause of `countersign explain`, or the status. `null` if nothing failed. */
  readonly name: string | null;
  readonly cause: string | null;
  readonly fix: string | null;
  /** True if only the status, or the lack of an answer, is known. */
  readonly isGuess: boolean;
}

/** Explains one attempt. @param deadlineSeconds Time that the sender gives for an answer. */
export function diagnose(attempt: DiagnosedAttempt, deadlineSeconds: number): Diagnosis {
  const { status, error, answer, fault } = attempt;
  if (status !== null && status >= 200 && status < 300) return diagnoseSuccess(attempt);
  if (fault) return { isGood: false, ...ofFault(fault, status) };
  if (status === null) {
    const [reason, cause, fix] = errors[error ?? ""] ?? [
      `The attempt was not sent: ${error ?? "no response"}.`,
      "The endpoint's URL or secret cannot be used.",
      "Delete the endpoint and add it again.",
    ];
    const what = reason.replace("within its deadline", `within ${deadlineSeconds} s`);
    return { isGood: false, what, name: error, cause, fix, isGuess: true };
  }
  const line = firstLine(answer ?? "");
  const what = `Your endpoint answered ${status}${line === "" ? "" : `: ${line}`}.`;
  return { isGood: false, what: what.replace(/\.\.$/, "."), ...ofAnswer(attempt, status) };
}

function diagnoseSuccess({ status, durationMs, explanations = [] }: DiagnosedAttempt): Diagnosis {
  const took = durationMs < 1000 ? `${durationMs} ms` : `${Math.round(durationMs / 100) / 10} s`;
  const what = `Your endpoint answered ${status} in ${took}`;
  const [doubt] = explanations;
  if (doubt === undefined)
    return { isGood: true, what: `${what}.`, name: null, cause: null, fix: null, isGuess: false };
  return {
    isGood: true,
    what: `${what}, although the signature does not verify with the secret that is configured here.`,
    name: "accepted-unverified",
    cause: `${doubt.cause}: ${doubt.sentence}`,
    fix: "Check that your app verifies signatures before it believes an event.",
    isGuess: !doubt.certain,
  };
}

function ofFault(kind: string, status: number | null): Omit<Diagnosis, "isGood"> {
  const isUnseen = kind === "status" || kind === "reset" || (kind === "delay" && status === null);
  return {
    what: isUnseen
      ? "A fault made this attempt fail; your app never saw it."
      : "A fault made this attempt fail, although your app received it.",
    name: `fault-${kind}`,
    cause: `You added the fault “${kind}” to the sandbox.`,
    fix: isUnseen
      ? "Nothing to fix: the retries follow the schedule. Remove the fault under Faults."
      : "Your app must treat the next attempt as a duplicate: same event id, same body.",
    isGuess: false,
  };
}

const errors: Readonly<Record<string, readonly [what: string, cause: string, fix: string]>> = {
  CS_ATTEMPT_TIMEOUT: [
    "Your endpoint did not answer within its deadline.",
    "The handler works longer than the sender waits, or it never answers.",
    "Store the event and answer 2xx at once; do the work afterwards.",
  ],
  CS_ATTEMPT_CONNECTION_FAILED: [
    "Nothing accepts connections at your endpoint's address.",
    "Your app is not running, or it listens on another port or address.",
    "Start your app and compare its port with the endpoint's URL.",
  ],
  CS_ATTEMPT_CONNECTION_LOST: [
    "The connection ended before the response was complete.",
    "Your app crashed or restarted while it handled the event.",
    "Look for a stack trace in your app's log at this time.",
  ],
  CS_ATTEMPT_NAME_UNRESOLVED: [
    "The endpoint's host has no address.",
    "The host in the URL is misspelt, or DNS does not answer.",
    "Correct the endpoint's URL.",
  ],
  CS_ATTEMPT_TLS_FAILED: [
    "The TLS handshake failed.",
    "The certificate is not valid for this host, or expired.",
    "Use http:// for an app on this machine, or install a valid certificate.",
  ],
  CS_ATTEMPT_ADDRESS_REFUSED: [
    "The sandbox does not send to this address.",
    "It is neither on this machine nor on the public Internet.",
    "Use localhost or a public address.",
  ],
  CS_ATTEMPT_ANSWER_MALFORMED: [
    "The endpoint did not send a valid HTTP response.",
    "Another program listens on this port, or the response is too long.",
    "Check what listens on the endpoint's port.",
  ],
};

/** The answer's own code says most; then the signature; then the status. */
function ofAnswer({ explanations, answer }: DiagnosedAttempt, status: number): Cause {
  const stated = ofCode(membersOf(answer ?? ""));
  if (stated !== undefined && stated.name !== "CS_SIGNATURE_REFUSED") return stated;
  const isRefusal = stated !== undefined || [400, 401, 403].includes(status);
  const [first] = explanations ?? [];
  if (isRefusal && first !== undefined) {
    const { cause: name, sentence: cause, fix, certain } = first;
    return { name, cause, fix, isGuess: !certain };
  }
  if (isRefusal && status !== 400 && explanations !== undefined) return VALID_HERE;
  if (stated !== undefined) return stated;
  const [cause, fix = SEE_LOG] =
    statuses[status] ?? statuses[`${Math.floor(status / 100)}xx`] ?? NOT_ACCEPTED;
  return { name: `status-${status}`, cause, fix, isGuess: true };
}

const VALID_HERE: Cause = {
  name: "valid-but-refused",
  cause:
    "The signature is valid with the secret that is configured here. Your app has another secret, gets a changed body, or has a wrong clock.",
  fix: "Compare the secret's fingerprint with the one in your receiver's log, and mount the receiver before any body parser.",
  isGuess: true,
};

const SEE_LOG = "Read the error in your app's log.";
const MOUNT_FIRST = "Register the webhook route before any body parser.";
const NEW_ID = "Send the copy with a new id.";
const RAISE = "Shorten the handlers or raise limits.";
const USE_WORKER = "Store the event and let a worker handle it, or shorten the handler.";

type Known = readonly [cause: string, fix?: string | null];

/** Causes of the receiver's codes for which the status says too little, and usual fixes. */
const codes: ReadonlyMap<string, Known> = new Map([
  ["CS_SIGNATURE_REFUSED", ["the receiver refused the signature, its time or the tenant."]],
  ["CS_BODY_CONSUMED", ["a parser has read the body before the receiver.", MOUNT_FIRST]],
  ["CS_EVENT_ID_REUSED", ["the inbox knows this event id with another body.", NEW_ID]],
  ["CS_EVENT_IN_PROGRESS", ["another attempt of this event is being handled.", null]],
  ["CS_RECEIVER_BUSY", ["all handlers or all memory for bodies are in use.", RAISE]],
  ["CS_HANDLER_FAILED", ["your handler threw."]],
  ["CS_HANDLER_TIMEOUT", ["your handler took longer than limits.answerMs.", USE_WORKER]],
  ["CS_INBOX_UNAVAILABLE", ["the inbox failed, or did not answer in time."]],
  ["CS_SECRETS_UNAVAILABLE", ["the secrets function failed."]],
  ["CS_RECEIVER_FAILED", ["the receiver or its respond function failed."]],
]);

/** Reads an answer with a code of a receiver, and its fix; `undefined` for any other. */
function ofCode({ code, fix }: Readonly<Record<string, unknown>>): Cause | undefined {
  if (typeof code !== "string" || !/^CS_[A-Z0-9_]{1,61}$/.test(code)) return undefined;
  // `countersign listen` answers so if the app behind it does not.
  const relayed = errors[code];
  if (relayed !== undefined)
    return { name: code, cause: relayed[1], fix: relayed[2], isGuess: true };
  const [cause, usual = SEE_LOG] = codes.get(code) ?? [undefined, null];
  return {
    name: code,
    cause: cause === undefined ? `Your app answered with the code ${code}.` : `${code}: ${cause}`,
    fix: (typeof fix === "string" && oneLine(fix, 400)) || usual,
    isGuess: false,
  };
}

const REFUSED: Known = [
  "Your app refused the request: the signature, or a login that the route demands.",
  "Open the Signature tab, and check that the route needs no session or CSRF token.",
];
const NO_ROUTE: Known = [
  "Your app has no POST route at this path.",
  "Compare the endpoint's URL with your app's route.",
];
const NOT_ACCEPTED: Known = [
  "Your app does not accept the body.",
  "Compare the payload with what your handler expects.",
];

/** Usual causes of statuses. */
const statuses: Readonly<Record<string, Known>> = {
  "3xx": ["Redirects are not followed.", "Use the final URL for the endpoint."],
  401: REFUSED,
  403: REFUSED,
  404: NO_ROUTE,
  405: NO_ROUTE,
  410: ["Your app said that it wants no more events here."],
  413: ["The body is larger than your app accepts.", MOUNT_FIRST],
  415: ["Your app does not accept this media type here.", MOUNT_FIRST],
  429: ["Your app limits the rate of calls.", "Raise the limit for this route."],
  "5xx": [
    "Your handler threw, or something that it needs is unavailable.",
    "Read the stack trace in your app's log, or copy the event as a test and debug it.",
  ],
};

/** The first line of a response, shortened; a JSON problem's title or detail if it is one. */
function firstLine(text: string): string {
  const members = membersOf(text);
  const said = ["detail", "message", "error", "title", "code"].map((name) => members[name]);
  const message = said.find((member) => typeof member === "string");
  const isPage = /^\s*<(?:!doctype|html)/i.test(text);
  const shown = isPage ? (/<(title|pre|h1)>([^<]*)/i.exec(text)?.[2] ?? "an HTML page") : text;
  return oneLine(message ?? shown.trim().split("\n", 1).join(), 160);
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
