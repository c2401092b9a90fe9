import type { Profile } from "@countersign/schemas/profiles";
import { exponentialBackoff } from "./inbox/backoff.ts";
import type { Inbox, InboxQueue } from "./inbox/inbox.ts";
import type { EventTypes, ReceiverOptions, WorkerOptions } from "./options.ts";
import type { ReceiverLimits } from "./receiver-parts.ts";
import { nearest } from "./router.ts";
import type { WorkerSettings } from "./inbox/worker.ts";

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
  "now",
  "onOutcome",
];

const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: 1_048_576,
  bodyMs: 10_000,
  depth: 16,
  handlerMs: 10_000,
  concurrentHandlers: 16,
};

const DEFAULT_LEASE_MS = 60_000;
const DEFAULT_RETENTION_MS = 30 * 86_400_000;

/** A mistyped option would be a limit or a check that is silently off. */
export function checkNames(options: object): void {
  checkMembers("option", options, OPTION_NAMES);
}

/**
 * Limits are positive integers: NaN, Infinity or "1mb" would switch a check off. Handlers at once
 * stay within what the inbox allows: beyond it, handlers that query the pool would wait for each other.
 */
export function checkLimits(limits: Partial<ReceiverLimits> = {}, inbox: Inbox): ReceiverLimits {
  checkMembers("limit", limits, Object.keys(DEFAULT_LIMITS));
  const concurrentHandlers = atOnce("limits.concurrentHandlers", limits.concurrentHandlers, inbox);
  const checked = { ...DEFAULT_LIMITS, ...limits, concurrentHandlers };
  for (const [name, value] of Object.entries(checked)) positiveInteger(`limits.${name}`, value);
  return checked;
}

export function checkLease(lease: number = DEFAULT_LEASE_MS, limits: ReceiverLimits): number {
  positiveInteger("lease", lease);
  if (lease <= limits.handlerMs)
    throw new TypeError(
      'createReceiver: "lease" must be longer than "limits.handlerMs", else a handler outlives its claim',
    );
  return lease;
}

export function checkWorkers(workers: WorkerOptions = {}, inbox: Inbox): WorkerSettings {
  checkMembers("member of workers", workers, ["concurrency", "maxAttempts", "backoff", "pollMs"]);
  const { maxAttempts = 10, backoff = exponentialBackoff(), pollMs = 1000 } = workers;
  const concurrency = atOnce("workers.concurrency", workers.concurrency, inbox);
  for (const [name, value] of Object.entries({ concurrency, maxAttempts, pollMs }))
    positiveInteger(`workers.${name}`, value);
  if (typeof backoff !== "function")
    throw new TypeError(
      'createReceiver: "workers.backoff" must be a function of the attempt\'s number; exponentialBackoff() makes one',
    );
  return { concurrency, maxAttempts, backoff, pollMs };
}

/** The inbox's queue with `after-store`, which a memory inbox is not asked for: it loses what it acknowledged. */
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
  if (!inbox.durable || inbox.queue === undefined)
    throw new TypeError(
      'createReceiver: acknowledge "after-store" needs a durable inbox: what memory holds is lost with the process',
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

/** In milliseconds. A retry that comes after its event was forgotten would run the handler again. */
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

/** Handlers at once: the given number, else 16 or what the inbox allows. */
function atOnce(name: string, given: number | undefined, inbox: Inbox): number {
  const most = inbox.maxConcurrentHandlers ?? Number.POSITIVE_INFINITY;
  if (given !== undefined && given > most)
    throw new TypeError(
      `createReceiver: "${name}" is ${String(given)}, and the inbox's pool allows ${String(most)}: ` +
        "one connection stays free for what handlers query beside their transaction",
    );
  return given ?? Math.min(DEFAULT_LIMITS.concurrentHandlers, most);
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
        `createReceiver: no ${what} ${JSON.stringify(name)}; ${nearest(name, names)}`,
      );
}

function positiveInteger(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || Number(value) < 1)
    throw new TypeError(`createReceiver: "${name}" must be a positive integer`);
}
