import type { ResourceState } from "@countersign/rules";
import type { Bodies } from "./bodies.ts";
import {
  dueAtOf,
  type EventState,
  isHandled,
  isOpen,
  RECEIVED,
  transition,
} from "./event-state.ts";
import type {
  Claim,
  ClaimRequest,
  Comparison,
  DeadEvent,
  EventKey,
  Inbox,
  InboxQueue,
  Known,
  QueueStatus,
  RecordedEvent,
  ResourceKey,
  Settlement,
  Stored,
  StoreRequest,
  TakenEvent,
  TakeRequest,
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

/** A table that also keeps stored events for workers. */
export interface QueueRows extends EventRows {
  readonly bodies: Bodies;
  /** Removes the body of an event that nobody has claimed, and ends it if it is open or dead. */
  erase(key: EventKey, now: number): Promise<boolean>;
  dropBodies(request: { readonly before: number; readonly limit: number }): Promise<number>;
  /**
   * Claims due events, of a resource only if no older one is open. Events whose last lease ended become dead.
   */
  take(request: TakeRequest): Promise<readonly TakenEvent[]>;
  /** Makes a dead event due, behind the stored events of its resource. */
  revive(key: EventKey, now: number): Promise<boolean>;
  dead(request: { readonly limit: number }): Promise<readonly DeadEvent[]>;
  status(request: { readonly dueBefore: number }): Promise<QueueStatus>;
}

type ClaimInbox = Required<Omit<Inbox, "retentionMs" | "maxConcurrentHandlers" | "queue">>;

/**
 * An inbox over a table of events: the state machine decides, and each of its steps is one guarded
 * write. A step whose row was changed meanwhile is decided again on what the row is now.
 */
export function rowsInbox(rows: EventRows): ClaimInbox {
  return {
    claim: (request) => claim(rows, request),
    complete(completion) {
      const { token } = completion;
      const type = completion.superseded === true ? "supersede" : "succeed";
      return record(rows, completion, transition(claimedBy(completion, 0), { type, token }));
    },
    release(settlement) {
      // Due at once, like a new event.
      const { token } = settlement;
      const limits = { retryAt: 0, reason: "", maxAttempts: Infinity };
      const to = transition(claimedBy(settlement, 0), { type: "fail", token, ...limits });
      return record(rows, settlement, to);
    },
    lastHandled: (resource) => rows.lastHandled(resource),
    purge: (request) => rows.purge(request),
  };
}

/** The part of an inbox that workers need. */
export function rowsQueue(rows: QueueRows): InboxQueue {
  const { bodies } = rows;
  return {
    store(request) {
      const body = bodies.closed(request.body);
      if (typeof body === "string") return store(rows, { ...request, body });
      return body.then((text) => store(rows, { ...request, body: text }));
    },
    take: (request) => rows.take(request),
    async fail({ attempts, maxAttempts, retryAt, reason, ...settlement }) {
      const { token } = settlement;
      const step = { type: "fail", token, maxAttempts, retryAt, reason } as const;
      const to = transition(claimedBy(settlement, attempts), step);
      const recorded = await record(rows, settlement, to);
      return recorded && (to?.at === "waiting" || to?.at === "dead") ? to.at : undefined;
    },
    dead: (request) => rows.dead(request),
    async erase({ key, now }) {
      if (await rows.erase(key, now)) return "erased";
      return (await rows.read(key)) === undefined ? "unknown" : "busy";
    },
    ...(bodies.retentionMs > 0 && {
      dropBodies: ({ now, limit }: { readonly now: number; readonly limit: number }) =>
        rows.dropBodies({ before: now - bodies.retentionMs, limit }),
    }),
    retry: ({ key, now }) => rows.revive(key, now),
    status: (request) => rows.status(request),
  };
}

/**
 * The state of a claim, from its token: its row need not be read. Attempts are counted for workers
 * only; a sender's own attempts start at 0 each time.
 */
export function claimedBy({ token }: Pick<Settlement, "token">, attempts: number): EventState {
  return { at: "claimed", token, attempts, leaseEndsAt: 0 };
}

/** Writes the end of a claim. @returns False if the claim was lost. */
async function record(
  rows: EventRows,
  { key, token, now }: Settlement,
  to: EventState | undefined,
): Promise<boolean> {
  if (to === undefined) return false;
  return (await rows.update({ key, from: { at: "claimed", token }, to, now })) === "done";
}

/** Decisions about one event: others may change it meanwhile, but a store that changes nothing is asked no further. */
const MAX_TRIES = 100;

const unusable = (): Error =>
  new Error(
    "the inbox's store neither takes nor shows the event: does a trigger or a policy hide it?",
  );

async function claim(rows: EventRows, request: ClaimRequest, tries = 1): Promise<Claim> {
  if (tries > MAX_TRIES) throw unusable();
  const { key, leaseMs, now } = request;
  const step = { type: "claim", now, leaseMs, maxAttempts: Infinity } as const;
  const first = transition(RECEIVED, step) ?? RECEIVED;
  const guard = guardOf(request);
  const granted = async (token: number): Promise<Claim> => {
    const sameBytesAs = await reportedBytes(rows, request);
    return sameBytesAs === undefined
      ? { state: "claimed", token }
      : { state: "claimed", token, sameBytesAs };
  };
  // An event is nearly always new: one write, and no reading before it.
  const inserted = await rows.insert(newRow(request, first), guard);
  if (inserted === "done") return granted(first.token);

  const known = await rows.read(key);
  if (known === undefined)
    return inserted === "changed" ? claim(rows, request, tries + 1) : refused(inserted);
  const answer = answerOf(known, request);
  if (answer !== undefined) return answer;
  const { at, token } = known.state;
  // Workers gave it up; the sender did not.
  const open = at === "dead" ? { ...RECEIVED, token } : known.state;
  const to = transition(open, step);
  if (to === undefined) return { state: "busy", until: dueAtOf(open) };
  const written = await rows.update({ key, from: known.state, to, now, ...guard });
  if (written === "done") return granted(to.token);
  return written === "changed" ? claim(rows, request, tries + 1) : refused(written);
}

async function store(rows: EventRows, request: StoreRequest, tries = 1): Promise<Stored> {
  if (tries > MAX_TRIES) throw unusable();
  const { key, body, facts, now } = request;
  const guard = guardOf(request);
  const stored = async (): Promise<Stored> => {
    const sameBytesAs = await reportedBytes(rows, request);
    return sameBytesAs === undefined ? { state: "stored" } : { state: "stored", sameBytesAs };
  };
  const inserted = await rows.insert({ ...newRow(request, RECEIVED), body, facts }, guard);
  if (inserted === "done") return stored();
  const known = await rows.read(key);
  // Forgotten between the two calls: as unknown as before.
  if (known === undefined)
    return inserted === "changed" ? store(rows, request, tries + 1) : refused(inserted);
  const answer = answerOf(known, request);
  if (answer !== undefined) return answer;
  if (known.body !== undefined) return { state: "stored" };
  // Left by an attempt of `after-handler`, which kept no body.
  const { at, token, attempts } = known.state;
  if (at === "claimed" && now < known.state.leaseEndsAt)
    return { state: "busy", until: known.state.leaseEndsAt };
  const to: EventState = { at: "waiting", token, attempts, dueAt: 0 };
  const written = await rows.update({ key, from: known.state, to, now, body, facts, ...guard });
  if (written === "done") return stored();
  return written === "changed" ? store(rows, request, tries + 1) : refused(written);
}

const guardOf = ({ key, digest, resource, sameBytes }: RecordedEvent & Comparison): Guard => ({
  resource: resource && textOfName(key, resource.name),
  refused: sameBytes === "refuse" ? digest : undefined,
});

type Recording = RecordedEvent & Comparison & { readonly now: number };

const newRow = (
  { key, digest, type, resource, sameBytes, now }: Recording,
  state: EventState,
): EventRow => ({
  key,
  digest,
  type,
  resource,
  state,
  seenAt: now,
  comparesBytes: sameBytes !== undefined,
});

/** The answer about an event that is known and needs nothing. */
function answerOf(
  { key: { id }, digest, seenAt, state }: EventRow,
  request: RecordedEvent & Comparison,
): Known | { readonly state: "conflict" } | undefined {
  const bodyDiffers = digest !== request.digest;
  if (bodyDiffers && request.onIdReuse === "conflict") return { state: "conflict" };
  if (!isHandled(state)) return undefined;
  return { state: "handled", by: "id", first: { id, seenAt }, bodyDiffers };
}

const refused = (written: Held | Duplicate): Known | { state: "busy"; until: number } =>
  "heldUntil" in written
    ? { state: "busy", until: written.heldUntil }
    : { state: "handled", by: "bytes", first: written.duplicateOf, bodyDiffers: false };

/** Looks for the same digest after the own row is written: of two events at once, the one that looks later sees the other. */
async function reportedBytes(
  rows: EventRows,
  { key, digest, sameBytes, now }: Recording,
): Promise<string | undefined> {
  return sameBytes === "report" ? (await rows.withBytes(digest, key, now))?.key.id : undefined;
}

/** One text for a name within a tenant. A tenant may hold any character, so its length comes first. */
export function textOfName(
  { provider, tenant }: Pick<EventKey, "provider" | "tenant">,
  name: string,
): string {
  return `${provider}:${String(tenant.length)}:${tenant}:${name}`;
}

export const textOfKey = (key: EventKey): string => textOfName(key, key.id);
