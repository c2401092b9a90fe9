import {
  type EventState,
  type EventStep,
  isHandled,
  isHeld,
  isOpen,
  RECEIVED,
  transition,
} from "./event-state.ts";
import type {
  Claim,
  ClaimRequest,
  Comparison,
  EventKey,
  FoundEvent,
  Inbox,
  Known,
  RecordedEvent,
  Settlement,
} from "./inbox.ts";

/** An event as every store keeps it. Times are in milliseconds since 1970. */
export interface EventRow extends EventKey, EventState {
  readonly digest: string;
  /** `textOfName` of the digest, if it is compared with those of other events. */
  readonly bytes: string | null;
  readonly type: string;
  /** `textOfName` of the resource's name. */
  readonly resource: string | null;
  readonly rank: number | null;
  readonly occurred_at: number | null;
  /** The signed bytes of a stored event that is not handled; absent after-handler and once handled. */
  readonly body: string | null;
  readonly facts: string | null;
  readonly stored_at: number;
  readonly changed_at: number;
}

/** A change of one row. */
export interface Update {
  readonly key: EventKey;
  /** The state that the change was decided on. */
  readonly from: Pick<EventState, "state" | "token">;
  readonly to: EventState;
  readonly now: number;
  /** The body and the facts of an event that has none yet. */
  readonly body?: string | null;
  readonly facts?: string | null;
  readonly guard?: Guard;
}

/** Other events that keep a claim or a stored event from being written. */
export interface Guard {
  /** No other event of this resource may be claimed while its lease goes on. */
  readonly resource: string | null;
  /** No other event with these bytes may answer, as `heldByBytes` says. */
  readonly refused: string | null;
}

type NotGranted = Exclude<Claim, { readonly state: "claimed" }>;

/** Nothing is written if it is `changed` (the key is known, or its state is another one by now) or an answer. */
export type Written = "done" | "changed" | NotGranted;

/** A table in memory answers without a promise: for an event they would cost as much as the table. */
type Soon<Result> = Result | Promise<Result>;

/** A table of events. Each call is atomic; what is decided over several is guarded by `Update.from` and `Guard`. */
export interface EventRows {
  insert(row: EventRow, guard: Guard): Soon<Written>;
  read(key: EventKey): Soon<EventRow | undefined>;
  /** A state of `handled` or `superseded` drops the body. */
  update(update: Update): Soon<Written>;
  /** Another event with these bytes: one that answers as `heldByBytes` says, else the one recorded first. */
  withBytes(bytes: string, key: EventKey, now: number): Soon<EventRow | undefined>;
  /** The event of a resource that was handled last. */
  lastHandled(resource: string): Soon<EventRow | undefined>;
  purge(request: { readonly before: number; readonly limit: number }): Promise<number>;
}

export const busyUntil = (until: number): NotGranted => ({ state: "busy", until });

/** An event whose bytes are refused is a duplicate of one that is handled, or stored for workers, and waits for a claimed one. */
export function heldByBytes(other: EventRow | undefined, now: number): NotGranted | undefined {
  if (other === undefined) return undefined;
  const { id, stored_at: seenAt, body, due_at } = other;
  if (isHandled(other) || (body !== null && isOpen(other)))
    return { state: "handled", by: "bytes", first: { id, seenAt }, bodyDiffers: false };
  return isHeld(other, now) ? busyUntil(due_at) : undefined;
}

/** A row as `Inbox.find` returns it. */
export const foundOf = (row: EventRow): FoundEvent => ({
  key: keyOf(row),
  type: row.type,
  state: isHandled(row) ? "handled" : isOpen(row) ? "open" : "dead",
  isStored: row.body !== null,
  seenAt: row.stored_at,
});

export const keyOf = ({ provider, tenant, id }: EventKey): EventKey => ({ provider, tenant, id });

type ClaimInbox = Omit<Inbox, "maxConcurrentHandlers" | "queue" | "find" | "recorded">;

/**
 * An inbox over a table of events: the state machine decides, and each of its steps is one guarded
 * write. A step whose row was changed meanwhile is decided again on what the row is now.
 */
export function rowsInbox(rows: EventRows): ClaimInbox {
  const end = async (settlement: Settlement, step: EventStep): Promise<boolean> =>
    (await rows.update(endOf(settlement, step))) === "done";
  return {
    claim: (request) => claim(rows, request),
    complete: (done) =>
      end(done, { type: done.superseded === true ? "supersede" : "succeed", token: done.token }),
    // Due at once, like a new event.
    release: (given) => end(given, { type: "fail", token: given.token, ...SENDERS_RETRY }),
    async lastHandled(resource) {
      const last = await rows.lastHandled(textOfName(resource, storable(resource.name)));
      if (last === undefined) return undefined;
      const { type, rank, occurred_at: at } = last;
      return { type, rank: rank ?? undefined, timestamp: at ?? Number.NaN };
    },
    purge: (request) => rows.purge(request),
  };
}

const SENDERS_RETRY = { retryAt: 0, reason: "", maxAttempts: Infinity };

/** The update that ends a claim, from its token: its row need not be read. Only workers' attempts are counted. */
export function endOf({ key, token, now }: Settlement, step: EventStep, attempts = 0): Update {
  const claimed: EventState = { state: "claimed", token, attempts, due_at: 0, reason: null };
  return { key, from: claimed, to: transition(claimed, step) ?? claimed, now };
}

function claim(rows: EventRows, request: ClaimRequest): Promise<Claim> {
  const { leaseMs, now } = request;
  const step = { type: "claim", now, leaseMs } as const;
  return put<Claim>(rows, request, {
    first: transition(RECEIVED, step) ?? RECEIVED,
    next(known) {
      // Workers gave it up, and the sender did not; or it was handled too long ago.
      const isOver = known.state === "dead" || isHandled(known);
      const open = isOver ? { ...RECEIVED, token: known.token } : known;
      return transition(open, step) ?? busyUntil(open.due_at);
    },
    granted: ({ token }) => ({ state: "claimed", token }),
  });
}

/** The states and answers of one way to record an event. */
interface Recorder<Answer> {
  /** Its state if it is new. */
  readonly first: EventState;
  readonly body?: string;
  readonly facts?: string;
  /** Returns its next state if it is not known as handled, or the answer if it has to stay as it is. */
  next(known: EventRow): EventState | Answer;
  granted(state: EventState): Answer & { readonly sameBytesAs?: string | undefined };
}

type Recording = RecordedEvent & Comparison & { readonly now: number };

/** Decisions about one event: others may change it meanwhile, but a store that changes nothing is asked no further. */
const MAX_TRIES = 100;

/** Records an event; what is known of it already decides. */
export async function put<Answer extends { readonly state: string }>(
  rows: EventRows,
  request: Recording,
  recorder: Recorder<Answer>,
): Promise<Answer | NotGranted> {
  const row = rowOf(request, recorder);
  const { key, sameBytes, now } = request;
  const { resource, bytes, body, facts } = row;
  const guard: Guard = { resource, refused: sameBytes === "refuse" ? bytes : null };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // oxlint-disable no-await-in-loop -- one after the other
    // An event is nearly always new: one write, and no reading before it.
    let state = recorder.first;
    let written = await rows.insert(row, guard);
    // Forgotten between the two calls, it is as unknown as before.
    const known = written === "done" ? undefined : await rows.read(key);
    if (known !== undefined) {
      const next = answerOf(known, request) ?? recorder.next(known);
      if (!("due_at" in next)) return next;
      state = next;
      written = await rows.update({ key, from: known, to: next, now, body, facts, guard });
    }
    if (written === "changed") continue;
    if (written !== "done") return written;
    const answer = recorder.granted(state);
    // After the own row is written: of two events at once, the one that looks later sees the other.
    const isReported = sameBytes === "report" && bytes !== null;
    const same = isReported ? await rows.withBytes(bytes, key, now) : undefined;
    return same === undefined ? answer : { ...answer, sameBytesAs: same.id };
    // oxlint-enable no-await-in-loop
  }
  throw new Error(
    "the inbox's store neither takes nor shows the event: does a trigger or a policy hide it?",
  );
}

function rowOf(
  { key, digest, type, resource, sameBytes, now }: Recording,
  { first, body, facts }: Pick<Recorder<unknown>, "first" | "body" | "facts">,
): EventRow {
  const { provider, tenant, id } = key;
  // UTF-8 turns every lone surrogate into the same character, and PostgreSQL's text ends at a NUL.
  if (!tenant.isWellFormed() || tenant.includes("\0"))
    throw new Error("the tenant that the secrets belong to is not well-formed text without NUL");
  const occurredAt = Math.floor(resource?.timestamp ?? Number.NaN);
  return {
    provider,
    tenant,
    id,
    digest,
    bytes: sameBytes === undefined ? null : textOfName(key, digest),
    type: storable(type),
    resource: resource === undefined ? null : textOfName(key, storable(resource.name)),
    rank: resource?.rank ?? null,
    occurred_at: Number.isSafeInteger(occurredAt) ? occurredAt : null,
    body: body ?? null,
    facts: facts ?? null,
    // Spread, they would take five times the time of this literal.
    state: first.state,
    token: first.token,
    attempts: first.attempts,
    due_at: first.due_at,
    reason: first.reason,
    stored_at: now,
    changed_at: now,
  };
}

/** PostgreSQL's text holds no NUL, and a type is any text that the sender signs. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD");

/** Before the digest of an event that no attempt brought. */
export const FROM_LIST = "list:";

/** The answer about an event that is known and needs nothing. */
function answerOf(known: EventRow, request: Recording): NotGranted | undefined {
  const { digest, changed_at: changedAt } = known;
  const bodyDiffers = digest !== request.digest;
  // The bytes of an event from a provider's list are not those that the provider signs.
  if (bodyDiffers && !digest.startsWith(FROM_LIST) && request.onIdReuse === "conflict")
    return { state: "conflict" };
  if (!isHandled(known) || changedAt < (request.knownSince ?? 0)) return undefined;
  return knownById(known, bodyDiffers);
}

export const knownById = ({ id, stored_at: seenAt }: EventRow, bodyDiffers: boolean): Known => ({
  state: "handled",
  by: "id",
  first: { id, seenAt },
  bodyDiffers,
});

/** One text for a name within a tenant. A tenant may hold any character, so its length comes first. */
export const textOfName = (
  { provider, tenant }: Pick<EventKey, "provider" | "tenant">,
  name: string,
): string => `${provider}:${String(tenant.length)}:${tenant}:${name}`;

export const textOfKey = (key: EventKey): string => textOfName(key, key.id);
