import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { EventKey, FoundEvent, Inbox } from "../inbox/inbox.ts";
import { MistakeError } from "../mistake.ts";
import { Deadline } from "../pipeline/admission.ts";
import type { IncomingEvent } from "../pipeline/event.ts";
import { failed, type Outcome } from "../pipeline/outcome.ts";
import type { ReceiverParts } from "../pipeline/parts.ts";
import type { EventParts } from "../pipeline/read-events.ts";
import { recordOnce } from "../pipeline/record.ts";
import type { ReadList } from "./event-list.ts";
import { ListError } from "./list-error.ts";
import { type ListedEvent, listReader } from "./read-list.ts";

/** A difference between the provider's list and the inbox. */
export interface Finding {
  /** Listed and not recorded; recorded, and not handled; its attempts are used up; recorded, and not listed. */
  readonly kind: "never-arrived" | "unhandled" | "dead" | "only-here";
  readonly key: EventKey;
  readonly type: string;
  /** When it happened, or, of one that is only here, was recorded; in milliseconds since 1970. */
  readonly time: number | undefined;
  /** For `redelivery`. */
  readonly redeliverId?: string | undefined;
  /** The outcome of its handler, with `feed`. */
  readonly outcome?: Outcome;
}

export interface CompareOptions {
  /** Events that happened at this time or later are compared, in milliseconds since 1970. */
  readonly since: number;
  /** Younger events are left out: they may still be on their way. Default: 5 minutes ago. */
  readonly until?: number | undefined;
  /**
   * The list is read from this time before `since` on, in milliseconds, so that an event that was recorded later than it
   * happened is not `only-here`. Default: the time for which the provider retries, or an hour.
   */
  readonly overlapMs?: number | undefined;
  /** Default: no tenant. */
  readonly tenant?: string | undefined;
  /** The types that your endpoint gets. Default: every type that is listed. */
  readonly types?: readonly string[] | undefined;
  /** Called with each difference; awaited, so that any number of them needs no memory. */
  readonly onFinding?: ((finding: Finding) => unknown) | undefined;
  /** Called after each page, with the number of events so far. */
  readonly onProgress?: ((listed: number) => void) | undefined;
}

/** Counts of events. */
export interface Reconciliation {
  /** Milliseconds since 1970, as is `until`. */
  readonly since: number;
  readonly until: number;
  readonly listed: number;
  readonly handled: number;
  readonly neverArrived: number;
  readonly unhandled: number;
  readonly dead: number;
  /** `undefined` if the inbox cannot list its events. */
  readonly onlyHere: number | undefined;
}

export interface ComparedParts {
  readonly provider: ProviderDocument;
  readonly inbox: Inbox;
  /** Wall time in milliseconds since 1970. */
  readonly now: number;
  readonly events?: Partial<EventParts>;
  /** Handles an event that never arrived, or whose handler failed. */
  readonly feed?: (event: IncomingEvent) => Promise<Outcome>;
}

const MINUTES_5 = 300_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AT_ONCE = 1000;

/**
 * Compares a provider's list with an inbox. It writes nothing, unless `feed` does. It keeps one page and the ids of all
 * events: about 100 MB for a million.
 *
 * @throws {ListError} the list cannot be read to its end; `CS_LIST_RANGE`: the provider has forgotten events of `since`.
 * @throws {TypeError} `CS_OPTION_CONFLICT`: the inbox forgets with its process. `CS_OPTION_INVALID`: no time `since`.
 */
export async function compareInbox(
  list: ReadList,
  { since, until, overlapMs, tenant = "", types, onFinding, onProgress }: CompareOptions,
  { provider, inbox, now, events: parts, feed }: ComparedParts,
): Promise<Reconciliation> {
  const readPage = listReader(provider, tenant, parts);
  const to = until ?? now - MINUTES_5;
  const from = startOf(provider, { since, to, now, overlapMs });
  if (inbox.find === undefined)
    throw new MistakeError(
      "reconcile: this inbox forgets its events when the process ends; use SQLite, PostgreSQL or Redis",
      "CS_OPTION_CONFLICT",
    );
  const isGiven = types && new Set(types);
  const isCompared = ({ event: { facts, identity } }: ListedEvent): boolean => {
    const { time = since } = facts;
    return time >= since && time <= to && (isGiven?.has(identity.type) ?? true);
  };
  const known = new Set<string>();
  const count = { listed: 0, handled: 0, neverArrived: 0, unhandled: 0, dead: 0 };

  for await (const bytes of list({ since: from })) {
    const page = readPage(bytes);
    const { fresh, isNew } = addTo(known, page);
    if (page.length > 0 && !isNew)
      throw new ListError(
        "CS_LIST_REPEATED",
        `${provider.title} lists a page of events that it has listed before`,
      );
    const compared = fresh.filter(isCompared);
    count.listed += compared.length;
    const keys = compared.map(({ event }) => event.identity.key);
    const found: readonly (FoundEvent | undefined)[] =
      keys.length === 0 ? [] : await inbox.find(keys);
    const rows = compared.map((listed, index) => ({ ...listed, row: found[index] }));
    for (const { event, redeliverId, row } of rows.toSorted(byTime)) {
      const state = row?.state === "open" ? "unhandled" : (row?.state ?? "neverArrived");
      count[state] += 1;
      if (state === "handled") continue;
      const kind = state === "neverArrived" ? "never-arrived" : state;
      const isFed = state !== "dead" && row?.isStored !== true;
      const outcome = isFed ? await feed?.(event) : undefined;
      const { key, type } = event.identity;
      const fed = outcome && { outcome };
      await onFinding?.({ kind, key, type, time: event.facts.time, redeliverId, ...fed });
    }
    onProgress?.(count.listed);
  }

  if (inbox.recorded === undefined) return { since, until: to, ...count, onlyHere: undefined };
  let onlyHere = 0;
  let after = "";
  let rows: readonly FoundEvent[];
  do {
    const request = { provider: provider.name, tenant, since, until: to, after, limit: AT_ONCE };
    rows = await inbox.recorded(request);
    for (const { key, type, seenAt } of rows) {
      after = key.id;
      if (known.has(digestOf(key.id)) || isGiven?.has(type) === false) continue;
      onlyHere += 1;
      await onFinding?.({ kind: "only-here", key, type, time: seenAt });
    }
  } while (rows.length === AT_ONCE);
  return { since, until: to, ...count, onlyHere };
}

/** Adds a page's events. A provider may list an event once for each of its deliveries: then each has its own id. */
function addTo(
  known: Set<string>,
  page: readonly ListedEvent[],
): { readonly fresh: readonly ListedEvent[]; readonly isNew: boolean } {
  const isAdded = (id: string): boolean => known.size < known.add(digestOf(id)).size;
  let isNew = false;
  const fresh = page.filter(({ event, redeliverId }) => {
    const isNewEvent = isAdded(event.identity.key.id);
    isNew ||= redeliverId === undefined ? isNewEvent : isAdded(`\0${redeliverId}`);
    return isNewEvent;
  });
  return { fresh, isNew };
}

/** A separate text: an id that was read from a page is a part of its text, and would keep all of it. */
const digestOf = (id: string): string => hash("sha256", id, "base64");

/** Most lists begin with the latest event; handlers should not. */
const byTime = (one: ListedEvent, other: ListedEvent): number =>
  (one.event.facts.time ?? 0) - (other.event.facts.time ?? 0);

/** Returns the time from which the list is read. */
function startOf(
  { list, retries, title }: ProviderDocument,
  times: { since: number; to: number; now: number; overlapMs: number | undefined },
): number {
  const { since, to, now } = times;
  if (!(since <= to))
    throw new MistakeError(
      'reconcile: "since" must be a time in milliseconds since 1970, before "until"',
    );
  const first = list?.days === undefined ? 0 : now - list.days * DAY;
  if (since < first)
    throw new ListError(
      "CS_LIST_RANGE",
      `${title} lists the events of ${String(list?.days)} days; begin later`,
    );
  const retried = typeof retries === "object" ? retries.hours * HOUR : HOUR;
  return Math.max(first, since - (times.overlapMs ?? retried), 0);
}

export interface ReconcileOptions extends CompareOptions {
  /** True: handles what is missing. Default false: nothing is written. */
  readonly feed?: boolean;
  /** The most events that are fed in a second. Default 20. */
  readonly rate?: number;
  /** Waits between two events that are fed, in milliseconds. Default: a timer. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** `receiver.reconcile`. */
export async function reconcile(
  list: ReadList,
  { feed = false, rate = 20, wait = setTimeout, ...options }: ReconcileOptions,
  { parts, retentionMs }: { readonly parts: ReceiverParts; readonly retentionMs: number },
): Promise<Reconciliation> {
  const now = parts.now();
  if (options.since < now - retentionMs)
    throw new MistakeError(
      'reconcile: "since" is before "retention": the inbox has forgotten what it handled then',
      "CS_OPTION_CONFLICT",
    );
  if (!(rate > 0)) throw new MistakeError('reconcile: "rate" must be a positive number');
  const { provider } = parts;
  if (feed && provider.list?.bodies === false)
    throw new ListError(
      "CS_LIST_UNSUPPORTED",
      `the list of ${provider.title} has no bodies: have the events delivered again, with countersign inbox reconcile --redeliver`,
    );
  const pace = 1000 / rate;
  const feedOne = async (event: IncomingEvent): Promise<Outcome> => {
    const startedAt = parts.elapsed();
    const outcome = await handleListed(event, parts);
    parts.report(outcome, { durationMs: parts.elapsed() - startedAt });
    await wait(pace);
    return outcome;
  };
  const { inbox, repeatsId, catalogue } = parts;
  const compared = { provider, inbox, now, events: { repeatsId, catalogue } };
  return compareInbox(list, options, { ...compared, ...(feed && { feed: feedOne }) });
}

/** Handles or stores a listed event like one that arrived. Never rejects. */
async function handleListed(event: IncomingEvent, parts: ReceiverParts): Promise<Outcome> {
  const { identity } = event;
  const listed = { ...event, facts: { ...event.facts, reconciled: true as const } };
  // Nobody waits for an answer: a handler that takes longer keeps its claim, and its own outcome counts.
  const deadline = new Deadline<Outcome>(parts.limits.answerMs, () =>
    failed("CS_HANDLER_TIMEOUT", undefined, identity),
  );
  try {
    return await recordOnce(listed, deadline, { ...parts, onIdReuse: "duplicate" });
  } finally {
    deadline.end();
  }
}
