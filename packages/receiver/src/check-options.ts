import type { Profile } from "@countersign/schemas/profiles";
import { exponentialBackoff } from "./inbox/backoff.ts";
import type { Inbox, InboxQueue } from "./inbox/inbox.ts";
import type { WorkerSettings } from "./inbox/worker.ts";
import type { EventTypes, ReceiverOptions, WorkerOptions } from "./options.ts";
import type { ReceiverLimits } from "./pipeline/parts.ts";
import { nearest } from "./pipeline/router.ts";

const OPTION_NAMES: readonly (keyof ReceiverOptions<EventTypes>)[] = [
  "secrets",
  "fallback",
  "profile",
  "catalogue",
  "inbox",
  "acknowledge",
  "workers",
  "order",
  "onIdReuse",
  "retention",
  "lease",
  "limits",
  "respond",
  "onOutcome",
  "log",
  "explain",
  "now",
];

const DEFAULT_LIMITS: Omit<ReceiverLimits, "answerMs"> = {
  bodyBytes: 1_048_576,
  bodyMs: 10_000,
  depth: 16,
  concurrentHandlers: 256,
  bytesInFlight: 67_108_864,
};

/** Left of the sender's timeout for the answer's way back. */
const ANSWER_MARGIN_MS = 1000;
const DEFAULT_LEASE_MS = 60_000;
const DEFAULT_CONCURRENCY = 16;
const DEFAULT_RETENTION_MS = 30 * 86_400_000;

/** Checks the options' names and kinds: a mistyped one would silently switch a limit or a check off. */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError("createReceiver: missing options; expected { secrets, fallback, … }");
  checkMembers("option", options, OPTION_NAMES);
  const { fallback, inbox, respond, onOutcome, now, log, explain } = options as Partial<
    Readonly<Record<keyof ReceiverOptions<EventTypes>, unknown>>
  >;
  if (typeof fallback !== "function")
    throw new TypeError(
      'createReceiver: "fallback" must be a function: senders add event types without notice',
    );
  for (const [name, value] of Object.entries({ respond, onOutcome, now }))
    if (value !== undefined && typeof value !== "function")
      throw new TypeError(`createReceiver: "${name}" must be a function`);
  if (explain !== undefined && typeof explain !== "boolean")
    throw new TypeError('createReceiver: "explain" must be true or false');
  if (inbox !== undefined && !hasMethods(inbox, ["claim", "complete", "release"]))
    throw new TypeError(
      'createReceiver: invalid "inbox": expected memoryInbox(), sqliteInbox(path), postgresInbox(pool, …), redisInbox(client, …) or an object with claim, complete and release',
    );
  if (log !== undefined && log !== false && !hasMethods(log, ["warn", "error"]))
    throw new TypeError(
      'createReceiver: "log" must be false or have the methods "warn" and "error"',
    );
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return names.every((name) => typeof members[name] === "function");
}

/**
 * Limits are positive integers: NaN, Infinity or "1mb" would switch a check off. The number of handlers
 * stays within what the inbox allows: beyond it, handlers that query the pool would wait for each other.
 */
export function checkLimits(
  limits: Partial<ReceiverLimits> = {},
  { inbox, profile }: { readonly inbox: Inbox; readonly profile: Profile },
): ReceiverLimits {
  const { timeoutMs } = profile.delivery;
  const answerMs = Math.max(timeoutMs - ANSWER_MARGIN_MS, Math.ceil(timeoutMs / 2));
  checkMembers("limit", limits, [...Object.keys(DEFAULT_LIMITS), "answerMs"]);
  const concurrentHandlers = handlersAtOnce(
    "limits.concurrentHandlers",
    limits.concurrentHandlers,
    { inbox, byDefault: DEFAULT_LIMITS.concurrentHandlers },
  );
  const checked = { ...DEFAULT_LIMITS, answerMs, ...limits, concurrentHandlers };
  for (const [name, value] of Object.entries(checked)) positiveInteger(`limits.${name}`, value);
  if (checked.bytesInFlight < checked.bodyBytes)
    throw new TypeError(
      'createReceiver: "limits.bytesInFlight" must not be less than "limits.bodyBytes"',
    );
  return { ...checked, bodyMs: Math.min(checked.bodyMs, checked.answerMs) };
}

/** Returns the given number, else the default or what the inbox allows. */
function handlersAtOnce(
  name: string,
  given: number | undefined,
  { inbox, byDefault }: { readonly inbox: Inbox; readonly byDefault: number },
): number {
  const most = inbox.maxConcurrentHandlers ?? Number.POSITIVE_INFINITY;
  if (given !== undefined && given > most)
    throw new TypeError(
      `createReceiver: "${name}" is ${String(given)}, but the inbox's pool allows ${String(most)}: ` +
        "one connection stays free for handlers' queries outside their transaction",
    );
  return given ?? Math.min(byDefault, most);
}

export function checkLease(lease: number | undefined, { answerMs }: ReceiverLimits): number {
  if (lease === undefined) return Math.max(DEFAULT_LEASE_MS, 2 * answerMs);
  positiveInteger("lease", lease);
  if (lease <= answerMs)
    throw new TypeError(
      `createReceiver: "lease" must be longer than "limits.answerMs" (${String(answerMs)} ms), or a retry would run beside its first handler`,
    );
  return lease;
}

export function checkWorkers(workers: WorkerOptions = {}, inbox: Inbox): WorkerSettings {
  checkMembers("member of workers", workers, ["concurrency", "maxAttempts", "backoff", "pollMs"]);
  const { maxAttempts = 10, backoff = exponentialBackoff(), pollMs = 1000 } = workers;
  const concurrency = handlersAtOnce("workers.concurrency", workers.concurrency, {
    inbox,
    byDefault: DEFAULT_CONCURRENCY,
  });
  for (const [name, value] of Object.entries({ concurrency, maxAttempts, pollMs }))
    positiveInteger(`workers.${name}`, value);
  if (typeof backoff !== "function")
    throw new TypeError(
      'createReceiver: "workers.backoff" must be a function of the attempt\'s number; exponentialBackoff() makes one',
    );
  return { concurrency, maxAttempts, backoff, pollMs };
}

/** Returns the inbox's queue with `after-store`. Memory would lose events that it has acknowledged. */
export function checkAcknowledge(
  {
    acknowledge = "after-handler",
    workers,
  }: Pick<ReceiverOptions<EventTypes>, "acknowledge" | "workers">,
  inbox: Inbox,
): InboxQueue | undefined {
  oneOf("acknowledge", acknowledge, ["after-handler", "after-store"]);
  if (acknowledge === "after-handler") {
    if (workers !== undefined)
      throw new TypeError('createReceiver: "workers" needs acknowledge "after-store"');
    return undefined;
  }
  if (inbox.queue === undefined)
    throw new TypeError(
      'createReceiver: acknowledge "after-store" needs sqliteInbox or postgresInbox: another inbox may lose events that it has acknowledged',
    );
  return inbox.queue;
}

export function checkOrder(
  order: "none" | "per-resource" = "none",
  inbox: Inbox,
): "none" | "per-resource" {
  oneOf("order", order, ["none", "per-resource"]);
  if (order === "per-resource" && inbox.lastHandled === undefined)
    throw new TypeError('createReceiver: order "per-resource" needs an inbox with "lastHandled"');
  return order;
}

export function checkIdReuse(onIdReuse: "conflict" | "duplicate" = "conflict"): boolean {
  oneOf("onIdReuse", onIdReuse, ["conflict", "duplicate"]);
  return onIdReuse === "duplicate";
}

/** In milliseconds. A retry that arrives after its event was forgotten would run the handler again. */
export function checkRetention(
  retention: number = DEFAULT_RETENTION_MS,
  { inbox, profile }: { readonly inbox: Inbox; readonly profile: Profile },
): number {
  positiveInteger("retention", retention);
  const seconds = profile.delivery.scheduleSeconds.reduce((sum, step) => sum + step, 0);
  const shortest = Math.min(retention, inbox.retentionMs ?? retention);
  if (shortest < seconds * 1000)
    throw new TypeError(
      `createReceiver: "retention" is ${String(shortest)} ms, shorter than the ${String(seconds)} s over which ` +
        `the profile ${JSON.stringify(profile.name)} retries: a late retry would run its handler again`,
    );
  return retention;
}

function oneOf(name: string, value: string, values: readonly string[]): void {
  if (!values.includes(value))
    throw new TypeError(
      `createReceiver: "${name}" must be ${values.map((known) => JSON.stringify(known)).join(" or ")}`,
    );
}

function checkMembers(what: string, given: object, names: readonly string[]): void {
  for (const name of Object.keys(given))
    if (!names.includes(name))
      throw new TypeError(
        `createReceiver: unknown ${what} ${JSON.stringify(name)}; ${nearest(name, names)}`,
      );
}

function positiveInteger(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || Number(value) < 1)
    throw new TypeError(`createReceiver: "${name}" must be a positive integer`);
}
