import type { ProviderDocument } from "@countersign/schemas/providers";
import type { SignatureScheme } from "@countersign/signatures";
import type { Inbox, InboxQueue } from "./inbox/inbox.ts";
import { type MistakeCode, MistakeError } from "./mistake.ts";
import { defaultBackoff, type ReceiverOptions, type WorkerOptions } from "./options.ts";
import type { ReceiverLimits } from "./pipeline/parts.ts";
import { quoted } from "./pipeline/router.ts";
import { depthOf } from "./provider.ts";
import { warnProcess } from "./runtime.ts";

type AnyOptions = ReceiverOptions<unknown>;

/** The expected form of a value, and its check; other checks judge `undefined`. */
type Rule = readonly [expected: string, isMet: (value: unknown) => boolean];

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";
const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => isFunction(Reflect.get(value, name)));

const any: Rule = ["", () => true];
const object: Rule = ["an object", isObject];
const fn: Rule = ["a function", isFunction];
const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;
const positive: Rule = ["a positive integer", isPositive];
const oneOf = (...values: readonly unknown[]): Rule => [
  values.map(quoted).join(" or "),
  (value) => values.includes(value),
];
const reported = oneOf("report", "refuse");

type Rules = Readonly<Record<string, Rule>>;
const each = (names: string, rule: Rule): Rules =>
  Object.fromEntries(names.split(" ").map((name) => [name, rule]));

const OPTIONS: Rules = {
  ...each("provider secrets", any),
  fallback: ["a function: senders add event types without notice", isFunction],
  catalogue: [
    "a generated module's catalogue, which has events",
    (value) => isObject(value) && isObject(Reflect.get(value, "events")),
  ],
  mode: oneOf("both", "live", "test"),
  onIdReuse: oneOf("duplicate", "conflict"),
  validate: reported,
  replay: [
    `${reported[0]}, or an object with one of them for each type`,
    (value) => (isObject(value) ? Object.values(value) : [value]).every(reported[1]),
  ],
  acknowledge: oneOf("after-handler", "after-store"),
  order: oneOf("none", "per-resource"),
  explain: oneOf(true, false),
  url: any,
  verifyToken: ["a text", (value) => typeof value === "string" && value !== ""],
  ...each("keyOf respond onOutcome now", fn),
  ...each("claims workers limits", object),
  ...each("retention lease", positive),
  inbox: [
    "memoryInbox(), sqliteInbox(path), postgresInbox(pool, …) or redisInbox(client, …)",
    (value) => hasMethods(value, ["claim", "complete", "release", "lastHandled", "purge"]),
  ],
  log: [
    'false or have the methods "warn" and "error"',
    (value) => value === false || hasMethods(value, ["warn", "error"]),
  ],
};
const LIMITS = each("bodyBytes bodyMs depth answerMs concurrentHandlers bytesInFlight", positive);
const WORKERS = { ...each("concurrency maxAttempts pollMs", positive), backoff: fn };

/** Checks what would silently switch a limit or a check off in plain JavaScript; types check the rest. */
export function checkOptions(options: AnyOptions): void {
  if (!isObject(options))
    throw mistake("missing options; expected { provider, secrets, fallback, … }");
  check({ ...options, fallback: options.fallback ?? null }, OPTIONS);
  check(options.limits ?? {}, LIMITS, "limits.");
  check(options.workers ?? {}, WORKERS, "workers.");
}

function check(given: object, rules: Rules, prefix = ""): void {
  for (const [name, value] of Object.entries<unknown>({ ...given })) {
    if (!Object.hasOwn(rules, name))
      throw mistake(
        `unknown option ${quoted(prefix + name)}; expected one of ${Object.keys(rules).map(quoted).join(", ")}`,
        "CS_OPTION_UNKNOWN",
      );
    const [expected, isMet] = rules[name] ?? any;
    if (value !== undefined && !isMet(value))
      throw mistake(`"${prefix}${name}" must be ${expected}`);
  }
}

/** Checked options with their defaults, as far as they depend on each other. */
export interface Settings {
  readonly limits: ReceiverLimits;
  readonly leaseMs: number;
  readonly retentionMs: number;
  /** `undefined` unless `acknowledge` is `'after-store'`. */
  readonly stored:
    | { readonly queue: InboxQueue; readonly workers: Required<WorkerOptions> }
    | undefined;
}

/** Sets the defaults of checked options, and refuses combinations that would lose or repeat events. */
export function settingsOf(
  options: AnyOptions,
  inbox: Inbox,
  provider: ProviderDocument,
): Settings {
  const limits = limitsOf(options, inbox, provider);
  return {
    limits,
    leaseMs: leaseOf(options, limits),
    retentionMs: retentionOf(options, provider),
    stored: storedOf(options, inbox),
  };
}

/** The timeout of senders whose documentation names none, in seconds, and their largest body. */
const USUAL = { deadlineSeconds: 10, bodyBytes: 1_048_576 };

function limitsOf(
  { limits = {} }: AnyOptions,
  inbox: Inbox,
  provider: ProviderDocument,
): ReceiverLimits {
  const { deadlineSeconds, bodyBytes: documented } = { ...USUAL, ...provider.answer };
  const deadlineMs = deadlineSeconds * 1000;
  const {
    bytesInFlight = 67_108_864,
    bodyBytes = Math.max(USUAL.bodyBytes, Math.min(documented, bytesInFlight)),
    bodyMs = 10_000,
    depth = depthOf(provider),
    // The rest of the sender's timeout is for the answer's way back.
    answerMs = Math.max(deadlineMs - 1000, Math.ceil(deadlineMs / 2)),
  } = limits;
  if (bytesInFlight < bodyBytes)
    throw conflict('"limits.bytesInFlight" must not be less than "limits.bodyBytes"');
  return {
    bodyBytes,
    bodyMs: Math.min(bodyMs, answerMs),
    depth,
    answerMs,
    concurrentHandlers: withinPool(
      "limits.concurrentHandlers",
      limits.concurrentHandlers,
      256,
      inbox,
    ),
    bytesInFlight,
  };
}

/** Returns the given number, or the default within what the inbox allows: beyond it, handlers would wait for each other. */
function withinPool(
  name: string,
  given: number | undefined,
  byDefault: number,
  { maxConcurrentHandlers: most = Number.POSITIVE_INFINITY }: Inbox,
): number {
  if (given !== undefined && given > most)
    throw conflict(
      `"${name}" is ${String(given)}, but the inbox's pool allows ${String(most)}: ` +
        "one connection stays free for handlers' queries outside their transaction",
    );
  return given ?? Math.min(byDefault, most);
}

function leaseOf({ lease }: AnyOptions, { answerMs }: ReceiverLimits): number {
  if (lease !== undefined && lease <= answerMs)
    throw conflict(
      `"lease" must be longer than "limits.answerMs" (${String(answerMs)} ms), or a retry would overlap with the first handler`,
    );
  return lease ?? Math.max(60_000, 2 * answerMs);
}

function retentionOf(
  { retention = 30 * 86_400_000 }: AnyOptions,
  { title, retries }: ProviderDocument,
): number {
  const hours = typeof retries === "object" ? retries.hours : 0;
  if (retention < hours * 3_600_000)
    throw conflict(
      `"retention" is ${String(retention)} ms, shorter than the ${String(hours)} h over which ${title} retries: ` +
        "a late retry would run its handler again",
    );
  return retention;
}

function storedOf({ acknowledge, workers }: AnyOptions, inbox: Inbox): Settings["stored"] {
  if (acknowledge !== "after-store") {
    if (workers !== undefined) throw conflict('"workers" needs acknowledge "after-store"');
    return undefined;
  }
  if (inbox.queue === undefined)
    throw conflict(
      'acknowledge "after-store" needs sqliteInbox or postgresInbox: another inbox may lose events that it has acknowledged',
    );
  const { maxAttempts = 10, backoff = defaultBackoff, pollMs = 1000 } = workers ?? {};
  const concurrency = withinPool("workers.concurrency", workers?.concurrency, 16, inbox);
  return { queue: inbox.queue, workers: { concurrency, maxAttempts, backoff, pollMs } };
}

/** Weaknesses of providers, each of which a process warns of once. */
const warnedOf = new Set<string>();

/** Warns about what loses events or lets them be replayed. */
export function warnOfRisks(
  options: Pick<AnyOptions, "inbox" | "acknowledge" | "replay" | "verifyToken">,
  { title, retries, handshakes = [] }: ProviderDocument,
  scheme: SignatureScheme,
): void {
  const warn = (code: string, text: string): void => warnProcess(code, `createReceiver: ${text}`);
  for (const warning of scheme.warnings) {
    if (!warnedOf.has(warning)) warn("CS_SCHEME_WEAK", warning);
    warnedOf.add(warning);
  }
  if (retries === "none" && options.acknowledge !== "after-store")
    warn(
      "CS_SENDER_NEVER_RETRIES",
      `${title} never sends an event again by itself: one whose handler fails is lost. Use acknowledge "after-store", ` +
        "whose workers try again, and find what was never received with countersign inbox reconcile",
    );
  const { replay } = options;
  if ((typeof replay === "object" ? Object.values(replay) : [replay]).includes("refuse"))
    warn(
      "CS_REPLAY_REFUSED",
      'with replay "refuse", an honest event whose bytes equal those of another one counts as its duplicate and never runs',
    );
  if (options.verifyToken === undefined && handshakes.some(({ token }) => token !== undefined))
    warn(
      "CS_HANDSHAKE_TOKEN_MISSING",
      `${title} verifies this endpoint by a token, which is refused until "verifyToken" is the one that you chose in its dashboard`,
    );
  if (options.inbox === undefined)
    warn(
      "CS_INBOX_MEMORY",
      "the default memory inbox forgets all events when the process ends and sees no other process. " +
        "Use sqliteInbox, postgresInbox or redisInbox, or say that it is wanted: inbox: memoryInbox()",
    );
}

const mistake = (text: string, code: MistakeCode = "CS_OPTION_INVALID"): MistakeError =>
  new MistakeError(`createReceiver: ${text}`, code);
const conflict = (text: string): MistakeError => mistake(text, "CS_OPTION_CONFLICT");
