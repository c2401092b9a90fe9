import type { ResourceState } from "@countersign/rules";
import {
  dueAtOf,
  type EventState,
  type EventStep,
  isHandled,
  isOpen,
  RECEIVED,
  transition,
} from "./event-state.ts";
import type {
  Claim,
  ClaimRequest,
  Comparison,
  EventKey,
  Inbox,
  Known,
  RecordedEvent,
  ResourceKey,
  Settlement,
} from "./inbox.ts";

/** An event's row: its record and its state. */
export interface EventRow extends RecordedEvent {
  /** The signed bytes of a stored event that is not handled; absent after-handler and once handled. */
  readonly body?: string | undefined;
  readonly facts?: string | undefined;
  readonly state: EventState;
  /** When it was recorded first, in milliseconds since 1970. */
  readonly seenAt: number;
  /** True if its digest is compared with those of other events. */
  readonly comparesBytes: boolean;
}

/** What the store checks in the step that writes a claim or a stored event. */
export interface Guard {
  /** The text of the resource, which no other event may have claimed. */
  readonly resource?: string | undefined;
  /** The digest that no other event may have, as `heldByBytes` says. */
  readonly refused?: string | undefined;
}

/** A change of one row. */
export interface Update extends Guard {
  readonly key: EventKey;
  /** The state that the change was decided on. */
  readonly from: Pick<EventState, "at" | "token">;
  readonly to: EventState;
  readonly now: number;
  /** The body and the facts of an event that has none yet. */
  readonly body?: string | undefined;
  readonly facts?: string | undefined;
}

/** Nothing is written: another event of the resource, or with the same digest, has a claim until then. */
interface Held {
  readonly heldUntil: number;
}

/** Nothing is written: another event with the same digest is handled, or stored for workers. */
interface Duplicate {
  readonly duplicateOf: Known["first"];
}

/** `changed`: nothing is written; the key is known, or its state is another one by now. */
export type Written = "done" | "changed" | Held | Duplicate;

/**
 * A table of events. Each call is atomic by itself; what is decided over several calls is guarded by
 * `Update.from` and `Guard`. A claim of an event with a resource is written only while no other event of the
 * resource has a claim whose lease goes on.
 */
export interface EventRows {
  insert(row: EventRow, guard: Guard): Promise<Written>;
  read(key: EventKey): Promise<EventRow | undefined>;
  /** A state of `handled` or `superseded` drops the body. */
  update(update: Update): Promise<Written>;
  /** Another event with the digest: one that holds it as `heldByBytes` says, else the one recorded first. */
  withBytes(digest: string, key: EventKey, now: number): Promise<EventRow | undefined>;
  lastHandled(resource: ResourceKey): Promise<ResourceState | undefined>;
  purge(request: { readonly before: number; readonly limit: number }): Promise<number>;
}

/**
 * Returns what another event with the same digest means for one that is refused then: it is a duplicate of an
 * event that is handled, or stored for workers, and waits for one that is claimed.
 */
export function heldByBytes(
  other: EventRow | undefined,
  now: number,
): Held | Duplicate | undefined {
  if (other === undefined) return undefined;
  const { state, body, key, seenAt } = other;
  if (isHandled(state) || (body !== undefined && isOpen(state)))
    return { duplicateOf: { id: key.id, seenAt } };
  return state.at === "claimed" && state.leaseEndsAt > now
    ? { heldUntil: state.leaseEndsAt }
    : undefined;
}

type ClaimInbox = Required<Omit<Inbox, "retentionMs" | "maxConcurrentHandlers" | "queue">>;

/**
 * An inbox over a table of events: the state machine decides, and each of its steps is one guarded
 * write. A step whose row was changed meanwhile is decided again on what the row is now.
 */
export function rowsInbox(rows: EventRows): ClaimInbox {
  const record = async (update: Update): Promise<boolean> => (await rows.update(update)) === "done";
  return {
    claim: (request) => claim(rows, request),
    complete: ({ superseded = false, ...settlement }) =>
      record(
        endOf(settlement, { type: superseded ? "supersede" : "succeed", token: settlement.token }),
      ),
    // Due at once, like a new event.
    release: ({ token, ...rest }) =>
      record(endOf({ token, ...rest }, { type: "fail", token, ...SENDERS_RETRY })),
    lastHandled: (resource) => rows.lastHandled(resource),
    purge: (request) => rows.purge(request),
  };
}

const SENDERS_RETRY = { retryAt: 0, reason: "", maxAttempts: Infinity };

/**
 * The update that ends a claim, from its token: its row need not be read. Attempts are counted for workers
 * only; a sender's own attempts start at 0 each time.
 */
export function endOf({ key, token, now }: Settlement, step: EventStep, attempts = 0): Update {
  const claimed = { at: "claimed", token, attempts, leaseEndsAt: 0 } as const;
  return { key, from: claimed, to: transition(claimed, step) ?? claimed, now };
}

function claim(rows: EventRows, request: ClaimRequest): Promise<Claim> {
  const { leaseMs, now } = request;
  const step = { type: "claim", now, leaseMs, maxAttempts: Infinity } as const;
  return put<Claim>(rows, request, {
    first: transition(RECEIVED, step) ?? RECEIVED,
    next({ state }) {
      // Workers gave it up; the sender did not.
      const open = state.at === "dead" ? { ...RECEIVED, token: state.token } : state;
      return transition(open, step) ?? { state: "busy", until: dueAtOf(open) };
    },
    granted: ({ token }) => ({ state: "claimed", token }),
  });
}

/** How an event is recorded. */
interface Recorder<Answer> {
  /** Its state if it is new. */
  readonly first: EventState;
  readonly kept?: Pick<EventRow, "body" | "facts">;
  /** Its next state if it is known and not handled, or the answer if there is none. */
  next(known: EventRow): EventState | Answer;
  granted(state: EventState): Answer & { readonly sameBytesAs?: string | undefined };
}

/** Decisions about one event: others may change it meanwhile, but a store that changes nothing is asked no further. */
const MAX_TRIES = 100;

/** Records an event; what is known of it already decides. */
export async function put<Answer extends { readonly state: string }>(
  rows: EventRows,
  request: Recording,
  recorder: Recorder<Answer>,
  tries = 1,
): Promise<Answer | NotGranted> {
  requireStorable(request.key, tries);
  const { key, digest, type, resource, sameBytes, now } = request;
  const guard: Guard = {
    resource: resource && textOfName(key, resource.name),
    refused: sameBytes === "refuse" ? digest : undefined,
  };
  const record = { key, digest, type, resource, ...recorder.kept };
  let state = recorder.first;
  // An event is nearly always new: one write, and no reading before it.
  let written = await rows.insert(
    { ...record, state, seenAt: now, comparesBytes: sameBytes !== undefined },
    guard,
  );
  if (written !== "done") {
    const known = await rows.read(key);
    // Forgotten between the two calls, it is as unknown as before.
    if (known !== undefined) {
      const next = answerOf(known, request) ?? recorder.next(known);
      if ("state" in next) return next;
      state = next;
      const update = { key, from: known.state, to: state, now, ...recorder.kept, ...guard };
      written = await rows.update(update);
    }
    if (written === "changed") return put(rows, request, recorder, tries + 1);
  }
  if (typeof written === "object")
    return "heldUntil" in written
      ? { state: "busy", until: written.heldUntil }
      : { state: "handled", by: "bytes", first: written.duplicateOf, bodyDiffers: false };
  const answer = recorder.granted(state);
  // After the own row is written: of two events at once, the one that looks later sees the other.
  const same = sameBytes === "report" ? await rows.withBytes(digest, key, now) : undefined;
  return same === undefined ? answer : { ...answer, sameBytesAs: same.key.id };
}

function requireStorable({ tenant }: EventKey, tries: number): void {
  // UTF-8 turns every lone surrogate into the same character, and PostgreSQL's text ends at a NUL.
  if (!tenant.isWellFormed() || tenant.includes("\0"))
    throw new Error("the tenant that the secrets belong to is not well-formed text without NUL");
  if (tries > MAX_TRIES)
    throw new Error(
      "the inbox's store neither takes nor shows the event: does a trigger or a policy hide it?",
    );
}

type Recording = RecordedEvent & Comparison & { readonly now: number };
type NotGranted = Exclude<Claim, { readonly state: "claimed" }>;

/** The answer about an event that is known and needs nothing. */
function answerOf(
  { key: { id }, digest, seenAt, state }: EventRow,
  request: Recording,
): NotGranted | undefined {
  const bodyDiffers = digest !== request.digest;
  if (bodyDiffers && request.onIdReuse === "conflict") return { state: "conflict" };
  if (!isHandled(state)) return undefined;
  return { state: "handled", by: "id", first: { id, seenAt }, bodyDiffers };
}

/** One text for a name within a tenant. A tenant may hold any character, so its length comes first. */
export function textOfName(
  { provider, tenant }: Pick<EventKey, "provider" | "tenant">,
  name: string,
): string {
  return `${provider}:${String(tenant.length)}:${tenant}:${name}`;
}

export const textOfKey = (key: EventKey): string => textOfName(key, key.id);
