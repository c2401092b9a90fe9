import { after, type Awaitable } from "../awaitable.ts";
import type { EventRow, EventRows, Written } from "./event-rows.ts";
import { type EventState, type EventStep, received, transition } from "./event-state.ts";
import type {
  Claim,
  ClaimRequest,
  EventKey,
  Inbox,
  InboxQueue,
  RecordedEvent,
  TakenEvent,
  TakeRequest,
} from "./inbox.ts";

/**
 * An inbox over a table of events: the state machine decides, and each of its steps is one guarded
 * write. A step whose row was changed meanwhile is decided again on what the row is now.
 */
export function rowsInbox(
  rows: EventRows,
  { durable }: { readonly durable: boolean },
): Required<Omit<Inbox, "retentionMs" | "maxConcurrentHandlers">> {
  /**
   * One step of a claimed event; its row need not be read, since `token` names its state. Attempts
   * are counted for workers alone: a sender's own attempts start at 0 each time.
   */
  const settle = (
    { key, now }: { readonly key: EventKey; readonly now: number },
    step: Extract<EventStep, { readonly token: number }>,
    attempts: number,
  ): Awaitable<EventState | undefined> => {
    const claimed: EventState = { at: "claimed", token: step.token, attempts, leaseEndsAt: 0 };
    const next = transition(claimed, step);
    if (next === undefined) return undefined;
    return after(rows.update(key, claimed, next, now), (written) =>
      written === "done" ? next : undefined,
    );
  };

  const queue: InboxQueue = {
    async store({ now, anyBody, ...event }) {
      if ((await rows.insert({ ...event, state: received(now) }, now)) === "done") return "stored";
      const known = await rows.read(event.key);
      // Forgotten between the two calls: as unknown as before.
      if (known === undefined) return queue.store({ now, anyBody, ...event });
      if (anyBody !== true && known.digest !== event.digest) return "conflict";
      if (isHandled(known.state)) return "handled";
      if (known.body !== undefined) return "stored";
      // Left by an attempt of `after-handler`: its body is not kept yet.
      const free = freed(known.state, now);
      if (free.at === "claimed") return "busy";
      const waiting = { ...free, at: "waiting", retryAt: now } as const;
      if ((await rows.update(event.key, known.state, waiting, now, event.body)) === "done")
        return "stored";
      return queue.store({ now, anyBody, ...event });
    },
    async take(request) {
      const due = await rows.due(request);
      const taken = await Promise.all(due.map((row) => takeOne(rows, row, request)));
      return taken.filter((event) => event !== undefined);
    },
    async fail({ key, token, now, attempts, maxAttempts, retryAt, reason }) {
      const step = { type: "fail", token, maxAttempts, retryAt, reason } as const;
      const state = await settle({ key, now }, step, attempts);
      return state?.at === "waiting" || state?.at === "dead" ? state.at : undefined;
    },
    dead: async (request) => rows.dead(request),
    async retry({ key, now }) {
      const row = await rows.read(key);
      const next = row && transition(row.state, { type: "revive", now });
      if (row === undefined || next === undefined) return false;
      return (await rows.update(key, row.state, next, now)) === "done";
    },
  };

  return {
    durable,
    queue,
    claim: (request) => claim(rows, request),
    complete({ key, token, now, superseded }) {
      const type = superseded === true ? "supersede" : "succeed";
      return after(settle({ key, now }, { type, token }, 0), isSettled);
    },
    release({ key, token, now }) {
      // Due at once, whatever another process's clock says.
      const step = { type: "fail", token, retryAt: 0, reason: "", maxAttempts: Infinity } as const;
      return after(settle({ key, now }, step, 0), isSettled);
    },
    lastHandled: (resource) => rows.lastHandled(resource),
    purge: (request) => rows.purge(request),
  };
}

const isHandled = ({ at }: EventState): boolean => at === "handled" || at === "superseded";
const isSettled = (state: EventState | undefined): boolean => state !== undefined;

function claim(rows: EventRows, request: ClaimRequest): Awaitable<Claim> {
  const { key, digest, type, resource, now, leaseMs } = request;
  const first = transition(received(now), { type: "claim", now, leaseMs }) ?? received(now);
  // An event is nearly always new: one write, and no reading before it.
  return after(rows.insert({ key, digest, type, resource, state: first }, now), (inserted) =>
    inserted === "done"
      ? { state: "claimed", token: first.token }
      : claimKnown(rows, request, inserted),
  );
}

async function claimKnown(
  rows: EventRows,
  request: ClaimRequest,
  inserted: Exclude<Written, "done">,
): Promise<Claim> {
  if (inserted === "held") return busyOrAgain(rows, request);
  const { key, digest, now, leaseMs, anyBody } = request;
  const known = await rows.read(key);
  if (known === undefined) return claim(rows, request);
  // Judged before anything else: another body under a known key is never taken for a duplicate.
  if (anyBody !== true && known.digest !== digest) return { state: "conflict" };
  if (isHandled(known.state)) return { state: "handled" };
  const free = freed(known.state, now);
  const claimed = transition(free, { type: "claim", now, leaseMs });
  if (claimed === undefined) return { state: "busy", until: untilOf(free) };
  const written = await rows.update(key, known.state, claimed, now);
  if (written === "done") return { state: "claimed", token: claimed.token };
  return written === "held" ? busyOrAgain(rows, request) : claim(rows, request);
}

/** What an attempt of the sender meets: an ended lease is over, and what workers gave up is tried again. */
function freed(state: EventState, now: number): EventState {
  return (
    transition(state, { type: "expire", now, maxAttempts: Infinity }) ??
    transition(state, { type: "revive", now }) ??
    state
  );
}

const untilOf = (state: EventState): number =>
  state.at === "claimed" ? state.leaseEndsAt : state.at === "waiting" ? state.retryAt : 0;

/** Another event of the resource is claimed: busy, or its lease has ended and the claim is made again. */
async function busyOrAgain(rows: EventRows, request: ClaimRequest): Promise<Claim> {
  const held = await holderOf(rows, request);
  if (held !== undefined) {
    const free = freed(held.state, request.now);
    if (free.at === "claimed") return { state: "busy", until: free.leaseEndsAt };
    await rows.update(held.key, held.state, free, request.now);
  }
  return claim(rows, request);
}

/** The claimed event of a resource. */
async function holderOf(
  rows: EventRows,
  { key, resource }: RecordedEvent,
): Promise<EventRow | undefined> {
  const holder = resource && (await rows.holder({ tenant: key.tenant, name: resource.name }));
  return holder && rows.read(holder);
}

/** One due event, claimed; `undefined` where another process was first, its resource is held or it is dead now. */
async function takeOne(
  rows: EventRows,
  row: EventRow,
  { now, leaseMs, maxAttempts }: TakeRequest,
): Promise<TakenEvent | undefined> {
  const { state, body, ...event } = row;
  const free = transition(state, { type: "expire", now, maxAttempts }) ?? state;
  const next = free.at === "dead" ? free : transition(free, { type: "claim", now, leaseMs });
  if (next === undefined) return undefined;
  const written = await rows.update(event.key, state, next, now);
  if (written === "held") {
    // Left by an attempt that ended without a word: nobody takes it, so it is freed here.
    const held = await holderOf(rows, row);
    if (held !== undefined && held.body === undefined)
      await rows.update(held.key, held.state, freed(held.state, now), now);
    return undefined;
  }
  if (written !== "done" || next.at !== "claimed" || body === undefined) return undefined;
  return { ...event, body, token: next.token, attempts: next.attempts };
}
