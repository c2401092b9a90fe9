import type { Profile } from "@countersign/schemas/profiles";
import type { Inbox, InboxQueue } from "./inbox/inbox.ts";
import { exponentialBackoff, type ReceiverOptions, type WorkerOptions } from "./options.ts";
import type { ReceiverLimits } from "./pipeline/parts.ts";
import { oneOf as known } from "./pipeline/router.ts";
import type { EventTypes } from "./profile.ts";

type AnyOptions = ReceiverOptions<EventTypes>;

/** A test of a value, and the end of the sentence "… must be". */
type Check = readonly [accepts: (value: unknown) => boolean, expected: string];

const anything: Check = [() => true, ""];
const record: Check = [(value) => typeof value === "object" && value !== null, "an object"];
const callable: Check = [(value) => typeof value === "function", "a function"];
const count: Check = [
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  "a positive integer",
];
const oneOf = (...values: readonly string[]): Check => [
  (value) => values.some((known) => known === value),
  values.map((known) => JSON.stringify(known)).join(" or "),
];
const having = (names: readonly string[], expected: string): Check => [
  (value) =>
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "function"),
  expected,
];

/** Each option's form. `secrets` and `profile` are checked where they are read. */
const OPTIONS: Readonly<Record<keyof AnyOptions, Check>> = {
  secrets: anything,
  fallback: callable,
  profile: anything,
  catalogue: [
    (value) => record[0](value) && record[0]((value as { readonly events?: unknown }).events),
    "a generated module's catalogue, which has events",
  ],
  inbox: having(
    ["claim", "complete", "release"],
    "memoryInbox(), sqliteInbox(path), postgresInbox(pool, …), redisInbox(client, …) or an object with claim, complete and release",
  ),
  acknowledge: oneOf("after-handler", "after-store"),
  workers: record,
  order: oneOf("none", "per-resource"),
  onIdReuse: oneOf("duplicate", "conflict"),
  retention: count,
  lease: count,
  limits: record,
  respond: callable,
  onOutcome: callable,
  log: having(["warn", "error"], 'false or have the methods "warn" and "error"'),
  explain: [(value) => typeof value === "boolean", "true or false"],
  now: callable,
};
const LIMITS: Readonly<Record<keyof ReceiverLimits, Check>> = {
  bodyBytes: count,
  bodyMs: count,
  depth: count,
  answerMs: count,
  concurrentHandlers: count,
  bytesInFlight: count,
};
const WORKERS: Readonly<Record<keyof WorkerOptions, Check>> = {
  concurrency: count,
  maxAttempts: count,
  backoff: [callable[0], "a function of the attempt's number, such as exponentialBackoff()"],
  pollMs: count,
};

/** Checks the options' names and forms: a mistyped one would silently switch a limit or a check off. */
export function checkOptions(options: AnyOptions): void {
  // Plain JavaScript may pass anything.
  if (typeof options !== "object" || options === null)
    throw mistake("missing options; expected { secrets, fallback, … }");
  const { log, ...others } = options;
  checkMembers(OPTIONS, { ...others, ...(log !== false && { log }) }, ["option", ""]);
  if (options.fallback === undefined)
    throw mistake('"fallback" must be a function: senders add event types without notice');
  checkMembers(LIMITS, options.limits ?? {}, ["limit", "limits."]);
  checkMembers(WORKERS, options.workers ?? {}, ["member of workers", "workers."]);
}

function checkMembers(
  checks: Readonly<Record<string, Check>>,
  given: object,
  [kind, prefix]: readonly [kind: string, prefix: string],
): void {
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw mistake(`unknown ${kind} ${JSON.stringify(name)}; ${known(Object.keys(checks))}`);
    if (value !== undefined && !check[0](value))
      throw mistake(`"${prefix}${name}" must be ${check[1]}`);
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
export function settingsOf(options: AnyOptions, inbox: Inbox, profile: Profile): Settings {
  if (options.order === "per-resource" && inbox.lastHandled === undefined)
    throw mistake('order "per-resource" needs an inbox with "lastHandled"');
  const limits = limitsOf(options, inbox, profile);
  return {
    limits,
    leaseMs: leaseOf(options, limits),
    retentionMs: retentionOf(options, inbox, profile),
    stored: storedOf(options, inbox),
  };
}

function limitsOf(
  { limits = {} }: AnyOptions,
  inbox: Inbox,
  { delivery: { timeoutMs } }: Profile,
): ReceiverLimits {
  const {
    bodyBytes = 1_048_576,
    bodyMs = 10_000,
    depth = 16,
    // The rest of the sender's timeout is for the answer's way back.
    answerMs = Math.max(timeoutMs - 1000, Math.ceil(timeoutMs / 2)),
    bytesInFlight = 67_108_864,
  } = limits;
  if (bytesInFlight < bodyBytes)
    throw mistake('"limits.bytesInFlight" must not be less than "limits.bodyBytes"');
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
    throw mistake(
      `"${name}" is ${String(given)}, but the inbox's pool allows ${String(most)}: ` +
        "one connection stays free for handlers' queries outside their transaction",
    );
  return given ?? Math.min(byDefault, most);
}

function leaseOf({ lease }: AnyOptions, { answerMs }: ReceiverLimits): number {
  if (lease !== undefined && lease <= answerMs)
    throw mistake(
      `"lease" must be longer than "limits.answerMs" (${String(answerMs)} ms), or a retry would overlap with the first handler`,
    );
  return lease ?? Math.max(60_000, 2 * answerMs);
}

function retentionOf(
  { retention = 30 * 86_400_000 }: AnyOptions,
  inbox: Inbox,
  { name, delivery }: Profile,
): number {
  const seconds = delivery.scheduleSeconds.reduce((sum, step) => sum + step, 0);
  const shortest = Math.min(retention, inbox.retentionMs ?? retention);
  if (shortest < seconds * 1000)
    throw mistake(
      `"retention" is ${String(shortest)} ms, shorter than the ${String(seconds)} s over which ` +
        `the profile ${JSON.stringify(name)} retries: a late retry would run its handler again`,
    );
  return retention;
}

function storedOf({ acknowledge, workers }: AnyOptions, inbox: Inbox): Settings["stored"] {
  if (acknowledge !== "after-store") {
    if (workers !== undefined) throw mistake('"workers" needs acknowledge "after-store"');
    return undefined;
  }
  if (inbox.queue === undefined)
    throw mistake(
      'acknowledge "after-store" needs sqliteInbox or postgresInbox: another inbox may lose events that it has acknowledged',
    );
  const { maxAttempts = 10, backoff = exponentialBackoff(), pollMs = 1000 } = workers ?? {};
  const concurrency = withinPool("workers.concurrency", workers?.concurrency, 16, inbox);
  return { queue: inbox.queue, workers: { concurrency, maxAttempts, backoff, pollMs } };
}

const mistake = (text: string): TypeError => new TypeError(`createReceiver: ${text}`);
