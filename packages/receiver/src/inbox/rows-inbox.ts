import type { ResourceState } from "@countersign/rules";
import { type EventState, isHandled, RECEIVED, transition } from "./event-state.ts";
import type {
  Claim,
  ClaimRequest,
  DeadEvent,
  EventKey,
  Inbox,
  InboxQueue,
  QueueStatus,
  RecordedEvent,
  Settlement,
  StoreRequest,
  TakenEvent,
  TakeRequest,
} from "./inbox.ts";

/** An event's row: its record and its state. */
export interface EventRow extends RecordedEvent {
  /** The signed bytes of a stored event that is not handled; absent after-handler and once handled. */
  readonly body?: string | undefined;
  readonly state: EventState;
}

/** A change of one row. */
export interface Update {
  readonly key: EventKey;
  /** The state that the change was decided on. */
  readonly from: Pick<EventState, "at" | "token">;
  readonly to: EventState;
  readonly now: number;
  /** The resource of a claim: the store checks that it is free. */
  readonly resource?: string | undefined;
  /** The body of an event that has none yet. */
  readonly body?: string | undefined;
}

/**
 * - `done`: written.
 * - `changed`: nothing is written; the key is known, or its state is another one by now.
 * - `heldUntil`: nothing is written, since another event of the resource has a claim until then.
 */
export type Written = "done" | "changed" | { readonly heldUntil: number };

export interface Resource {
  readonly tenant: string;
  readonly name: string;
}

/**
 * A table of events. Each call is atomic by itself; what is decided over several calls is guarded by
 * `Update.from`. A claim of an event with a resource is written only while no other event of the
 * resource has a claim whose lease goes on.
 */
export interface EventRows {
  insert(row: EventRow, now: number): Promise<Written>;
  read(key: EventKey): Promise<EventRow | undefined>;
  /** A state of `handled` or `superseded` drops the body. */
  update(update: Update): Promise<Written>;
  lastHandled(resource: Resource): Promise<ResourceState | undefined>;
  purge(request: { readonly before: number; readonly limit: number }): Promise<number>;
}

/** A table that also keeps stored events for workers. */
export interface QueueRows extends EventRows {
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
  return {
    store: (request) => store(rows, request),
    take: (request) => rows.take(request),
    async fail({ attempts, maxAttempts, retryAt, reason, ...settlement }) {
      const { token } = settlement;
      const step = { type: "fail", token, maxAttempts, retryAt, reason } as const;
      const to = transition(claimedBy(settlement, attempts), step);
      const recorded = await record(rows, settlement, to);
      return recorded && (to?.at === "waiting" || to?.at === "dead") ? to.at : undefined;
    },
    dead: (request) => rows.dead(request),
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
  const { key, digest, type, resource, now, leaseMs, anyBody } = request;
  const step = { type: "claim", now, leaseMs, maxAttempts: Infinity } as const;
  const first = transition(RECEIVED, step) ?? RECEIVED;
  // An event is nearly always new: one write, and no reading before it.
  const inserted = await rows.insert({ key, digest, type, resource, state: first }, now);
  if (inserted === "done") return { state: "claimed", token: first.token };

  const known = await rows.read(key);
  if (known === undefined) {
    if (inserted === "changed") return claim(rows, request, tries + 1);
    return { state: "busy", until: inserted.heldUntil };
  }
  // Before anything else: another body under a known key is never taken for a duplicate.
  if (anyBody !== true && known.digest !== digest) return { state: "conflict" };
  if (isHandled(known.state)) return { state: "handled" };
  const { at, token } = known.state;
  // Workers gave it up; the sender did not.
  const open = at === "dead" ? { ...RECEIVED, token } : known.state;
  const to = transition(open, step);
  if (to === undefined) return { state: "busy", until: untilOf(open) };
  const written = await rows.update({ key, from: known.state, to, now, resource: resource?.name });
  if (written === "done") return { state: "claimed", token: to.token };
  if (written === "changed") return claim(rows, request, tries + 1);
  return { state: "busy", until: written.heldUntil };
}

const untilOf = (state: EventState): number =>
  state.at === "claimed" ? state.leaseEndsAt : state.at === "waiting" ? state.dueAt : 0;

async function store(
  rows: EventRows,
  request: StoreRequest,
  tries = 1,
): Promise<"stored" | "busy" | "handled" | "conflict"> {
  if (tries > MAX_TRIES) throw unusable();
  const { now, anyBody, ...event } = request;
  const { key, body } = event;
  if ((await rows.insert({ ...event, state: RECEIVED }, now)) === "done") return "stored";
  const known = await rows.read(key);
  // Forgotten between the two calls: as unknown as before.
  if (known === undefined) return store(rows, request, tries + 1);
  if (anyBody !== true && known.digest !== event.digest) return "conflict";
  if (isHandled(known.state)) return "handled";
  if (known.body !== undefined) return "stored";
  // Left by an attempt of `after-handler`, which kept no body.
  const { at, token, attempts } = known.state;
  if (at === "claimed" && now < known.state.leaseEndsAt) return "busy";
  const to: EventState = { at: "waiting", token, attempts, dueAt: 0 };
  const written = await rows.update({ key, from: known.state, to, now, body });
  return written === "done" ? "stored" : store(rows, request, tries + 1);
}

/** One text for a name within a tenant. A tenant may hold any character, so its length comes first. */
export function textOfName(tenant: string, name: string): string {
  return `${String(tenant.length)}:${tenant}:${name}`;
}
