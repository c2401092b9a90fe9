import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Inbox, InboxQueue } from "./inbox/inbox.ts";
import { type MistakeCode, MistakeError } from "./mistake.ts";
import { exponentialBackoff, type ReceiverOptions, type WorkerOptions } from "./options.ts";
import type { ReceiverLimits } from "./pipeline/parts.ts";
import { quoted } from "./pipeline/router.ts";

type AnyOptions = ReceiverOptions<unknown>;

const OPTIONS =
  "provider secrets fallback catalogue mode validate onIdReuse replay url verifyToken keyOf claims inbox acknowledge " +
  "workers order retention lease limits respond onOutcome log explain now";
const LIMITS = "bodyBytes bodyMs depth answerMs concurrentHandlers bytesInFlight";
const COUNTS = "concurrency maxAttempts pollMs";

/** Checks what would silently switch a limit or a check off in plain JavaScript; types check the rest. */
export function checkOptions(options: AnyOptions): void {
  if (!isObject(options))
    throw mistake("missing options; expected { provider, secrets, fallback, … }");
  checkNames("option", options, OPTIONS);
  const { limits = {}, workers = {}, inbox, log, replay = "report", catalogue } = options;
  for (const [name, value] of Object.entries({ limits, workers, catalogue }))
    if (value !== undefined && !isObject(value)) throw mistake(`"${name}" must be an object`);
  checkNames("limit", limits, LIMITS);
  checkNames("member of workers", workers, `${COUNTS} backoff`);

  const { retention, lease, acknowledge, order, onIdReuse, mode, validate } = options;
  const { backoff: _, ...counts } = workers;
  for (const [prefix, numbers] of [
    ["", { retention, lease }],
    ["limits.", limits],
    ["workers.", counts],
  ] as const)
    for (const [name, value] of Object.entries<unknown>(numbers))
      if (value !== undefined && !(Number.isSafeInteger(value) && Number(value) >= 1))
        throw mistake(`"${prefix}${name}" must be a positive integer`);

  const replays = isObject(replay) ? replay : { replay };
  for (const [given, values] of [
    [{ acknowledge }, ["after-handler", "after-store"]],
    [{ order }, ["none", "per-resource"]],
    [{ onIdReuse }, ["duplicate", "conflict"]],
    [{ mode }, ["both", "live", "test"]],
    [{ validate, ...replays }, ["report", "refuse"]],
  ] as const)
    for (const [name, value] of Object.entries<unknown>(given))
      if (value !== undefined && !values.some((known) => known === value))
        throw mistake(`"${name}" must be ${values.map(quoted).join(" or ")}`);

  if (typeof options.fallback !== "function")
    throw mistake('"fallback" must be a function: senders add event types without notice');
  const functions = { ...options, "workers.backoff": workers.backoff };
  for (const name of ["keyOf", "respond", "onOutcome", "now", "workers.backoff"] as const)
    if (functions[name] !== undefined && typeof functions[name] !== "function")
      throw mistake(`"${name}" must be a function`);
  if (inbox !== undefined && !hasMethods(inbox, ["claim", "complete", "release"]))
    throw mistake(
      '"inbox" must be memoryInbox(), sqliteInbox(path), postgresInbox(pool, …), redisInbox(client, …) ' +
        "or an object with claim, complete and release",
    );
  if (log !== undefined && log !== false && !hasMethods(log, ["warn", "error"]))
    throw mistake('"log" must be false or have the methods "warn" and "error"');
  if (catalogue !== undefined && !isObject(catalogue.events))
    throw mistake('"catalogue" must be a generated module\'s catalogue, which has events');
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) &&
  names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");

function checkNames(kind: string, given: object, names: string): void {
  const known = names.split(" ");
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw mistake(
        `unknown ${kind} ${quoted(name)}; expected one of ${known.map(quoted).join(", ")}`,
        "CS_OPTION_UNKNOWN",
      );
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
  if (options.order === "per-resource" && inbox.lastHandled === undefined)
    throw conflict('order "per-resource" needs an inbox with "lastHandled"');
  const forms = [provider, ...(provider.variants ?? [])];
  if ((options.mode ?? "both") !== "both" && forms.every(({ event }) => event.live === undefined))
    throw conflict(`"mode" has no effect: ${provider.title} does not say whether an event is live`);
  const limits = limitsOf(options, inbox, provider);
  return {
    limits,
    leaseMs: leaseOf(options, limits),
    retentionMs: retentionOf(options, inbox, provider),
    stored: storedOf(options, inbox),
  };
}

/** The timeout of senders whose documentation names none, in seconds. */
const USUAL_DEADLINE_SECONDS = 10;

function limitsOf(
  { limits = {} }: AnyOptions,
  inbox: Inbox,
  { answer: { deadlineSeconds = USUAL_DEADLINE_SECONDS } = {} }: ProviderDocument,
): ReceiverLimits {
  const deadlineMs = deadlineSeconds * 1000;
  const {
    bodyBytes = 1_048_576,
    bodyMs = 10_000,
    depth = 16,
    // The rest of the sender's timeout is for the answer's way back.
    answerMs = Math.max(deadlineMs - 1000, Math.ceil(deadlineMs / 2)),
    bytesInFlight = 67_108_864,
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
  inbox: Inbox,
  { title, retries }: ProviderDocument,
): number {
  const hours = typeof retries === "object" ? retries.hours : 0;
  const shortest = Math.min(retention, inbox.retentionMs ?? retention);
  if (shortest < hours * 3_600_000)
    throw conflict(
      `"retention" is ${String(shortest)} ms, shorter than the ${String(hours)} h over which ${title} retries: ` +
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
  const { maxAttempts = 10, backoff = exponentialBackoff(), pollMs = 1000 } = workers ?? {};
  const concurrency = withinPool("workers.concurrency", workers?.concurrency, 16, inbox);
  return { queue: inbox.queue, workers: { concurrency, maxAttempts, backoff, pollMs } };
}

const mistake = (text: string, code: MistakeCode = "CS_OPTION_INVALID"): MistakeError =>
  new MistakeError(`createReceiver: ${text}`, code);
const conflict = (text: string): MistakeError => mistake(text, "CS_OPTION_CONFLICT");
