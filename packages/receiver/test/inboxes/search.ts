import {
  dueAtOf,
  type EventState,
  isOpen,
  RECEIVED,
  transition,
} from "../../src/inbox/event-state.ts";

// An exhaustive search over the real transitions: two workers, three events of two resources, in every order of their
// steps. Time is reduced to this: a lease or a wait goes on (1) or is over (0).

export const MAX_ATTEMPTS = 2;
export const EVENTS = 3;
const WORKERS = 2;
const NOW = 0;

/** A worker that crashes drops its event and starts again. */
export type Step =
  | { readonly do: "store" | "lease end" | "retry due"; readonly event: number }
  | { readonly do: "take"; readonly worker: number; readonly event: number }
  | { readonly do: End | "crash"; readonly worker: number };

/** A worker's end of its event. */
type End = "complete" | "supersede" | "fail";

export type Order = "none" | "per-resource";

/** A stored event. */
export interface QueuedEvent {
  readonly state: EventState;
  /** Grows with each stored event. */
  readonly sequence: number;
  readonly resource: string | undefined;
}

/** The promise about workers: one takes a due event, of a resource only if no older one is open. */
export function canTake(event: QueuedEvent, queue: readonly QueuedEvent[], now: number): boolean {
  const { state, sequence, resource } = event;
  if (!isOpen(state) || dueAtOf(state) > now) return false;
  if (resource === undefined) return true;
  return !queue.some(
    (other) => other.resource === resource && other.sequence < sequence && isOpen(other.state),
  );
}

/** The first two events are of one resource. */
export const resourceOf = (event: number, order: Order): string | undefined =>
  order === "none" ? undefined : event < 2 ? "x" : "y";

type Events = readonly (QueuedEvent | undefined)[];
/** The event that a worker works on, and the token of its claim. */
type Held = { readonly event: number; readonly token: number } | undefined;
interface World {
  readonly events: Events;
  /** By worker. */
  readonly held: readonly Held[];
}

/** Searches all sequences of steps, the shortest first, until one breaks a promise; `report` has both as text. */
export function search(order: Order): { readonly states: number; readonly report: string } {
  const first: World = {
    events: Array.from({ length: EVENTS }, () => undefined),
    held: Array.from({ length: WORKERS }, () => undefined),
  };
  const found = new Set([keyOf(first)]);
  const fair = new Set<string>();
  const broken = (promise: string, ...trace: readonly Step[]) => ({
    states: found.size,
    report: `${promise}: ${trace.map((step) => JSON.stringify(step)).join(", ")}`,
  });
  let layer: readonly { readonly world: World; readonly trace: readonly Step[] }[] = [
    { world: first, trace: [] },
  ];
  while (layer.length > 0) {
    const next = [];
    for (const { world, trace } of layer) {
      const events = world.events.map(eventKey).join();
      const endless = fair.has(events)
        ? undefined
        : (endlessRun(world.events, order, "fail") ?? endlessRun(world.events, order, "hang"));
      if (endless !== undefined)
        return broken("an event stays unhandled under a fair scheduler", ...trace, ...endless);
      fair.add(events);
      for (const step of stepsOf(world)) {
        const after = apply(world, step, order);
        if (after === undefined) continue;
        const promise = brokenBy(world, step, after);
        if (promise !== undefined) return broken(promise, ...trace, step);
        const key = keyOf(after);
        if (found.has(key)) continue;
        found.add(key);
        next.push({ world: after, trace: [...trace, step] });
      }
    }
    layer = next;
  }
  return { states: found.size, report: "every promise holds" };
}

const keyOf = (world: World): string =>
  [
    ...world.events.map(eventKey),
    ...world.held.map((held) => held && `${String(held.event)}:${String(held.token)}`),
  ].join();

function eventKey(event: QueuedEvent | undefined): string {
  if (event === undefined) return "";
  const { at, token, attempts } = event.state;
  const isLater = isOpen(event.state) && dueAtOf(event.state) > NOW;
  const isAlone = event.state.at === "claimed" && event.state.alone === true;
  return `${at}${String(token)}.${String(attempts)}${isLater ? "+" : ""}${isAlone ? "!" : ""}`;
}

function* stepsOf({ events, held }: World): Generator<Step> {
  for (const [event, queued] of events.entries()) {
    // Events of one resource are alike: they are stored in the order of their numbers.
    if (queued === undefined) {
      if (event !== 1 || events[0] !== undefined) yield { do: "store", event };
    } else if (queued.state.at === "claimed") yield { do: "lease end", event };
    else if (queued.state.at === "waiting") yield { do: "retry due", event };
  }
  for (const [worker, claim] of held.entries())
    if (claim === undefined) for (const event of events.keys()) yield { do: "take", worker, event };
    else
      for (const kind of ["complete", "supersede", "fail", "crash"] as const)
        yield { do: kind, worker };
}

/** Returns the world after a step, or `undefined` if the rules do not allow it. */
function apply({ events, held }: World, step: Step, order: Order): World | undefined {
  const claim = "worker" in step ? held[step.worker] : undefined;
  const index = "event" in step ? step.event : claim?.event;
  const event = index === undefined ? undefined : events[index];
  switch (step.do) {
    case "store": {
      const resource = resourceOf(step.event, order);
      const stored = { state: RECEIVED, sequence: step.event, resource };
      return { events: events.with(step.event, stored), held };
    }
    case "lease end":
    case "retry due": {
      if (event === undefined || !isOpen(event.state) || dueAtOf(event.state) <= NOW)
        return undefined;
      const state =
        event.state.at === "claimed"
          ? { ...event.state, leaseEndsAt: NOW }
          : { ...event.state, dueAt: NOW };
      return { events: events.with(step.event, { ...event, state }), held };
    }
    case "take": {
      const stored = events.filter((other) => other !== undefined);
      if (event === undefined || !canTake(event, stored, NOW)) return undefined;
      const claimed = { type: "claim", now: NOW, leaseMs: 1, maxAttempts: MAX_ATTEMPTS } as const;
      const state = transition(event.state, claimed);
      if (state === undefined) return undefined;
      const { token } = state;
      return {
        events: events.with(step.event, { ...event, state }),
        held: state.at === "claimed" ? held.with(step.worker, { event: step.event, token }) : held,
      };
    }
    case "crash":
      return { events, held: held.with(step.worker, undefined) };
    case "complete":
    case "supersede":
    case "fail": {
      if (claim === undefined || event === undefined) return undefined;
      const idle = held.with(step.worker, undefined);
      const state = transition(event.state, endOf(step.do, claim.token, 1));
      if (state === undefined) return { events, held: idle };
      return { events: events.with(claim.event, { ...event, state }), held: idle };
    }
    default:
      return step satisfies never;
  }
}

/** The transition by which a worker ends its claim. */
export function endOf(kind: End, token: number, retryAt: number) {
  if (kind !== "fail") return { type: kind === "supersede" ? kind : "succeed", token } as const;
  return { type: kind, token, retryAt, reason: "no", maxAttempts: MAX_ATTEMPTS } as const;
}

function brokenBy(before: World, step: Step, after: World): string | undefined {
  if ("worker" in step && step.do !== "take") {
    const held = before.held[step.worker];
    const state = held && before.events[held.event]?.state;
    const isStale = state?.at !== "claimed" || state.token !== held?.token;
    if (isStale && before.events !== after.events) return "a stale token changes an event";
  }
  const claims = after.held.flatMap((held) => (held ? [`${held.event} ${held.token}`] : []));
  if (new Set(claims).size < claims.length) return "an event has two valid claims";
  const running = after.events.flatMap((event) =>
    event?.state.at === "claimed" && event.state.leaseEndsAt > NOW ? [event.resource] : [],
  );
  const resources = running.filter((resource) => resource !== undefined);
  if (new Set(resources).size < resources.length) return "two events of a resource run at once";
  return undefined;
}

/**
 * Lets a fair scheduler continue with a fresh worker: every lease and every wait ends, every event that can be
 * taken is taken, and every handler fails, or hangs until its lease ends.
 *
 * @returns Its steps, if events stay open nevertheless.
 */
function endlessRun(
  events: Events,
  order: Order,
  handlers: "fail" | "hang",
): readonly Step[] | undefined {
  const worker = 0;
  const steps: Step[] = [];
  let world: World = { events, held: [undefined] };
  const open = (): number =>
    world.events.filter((event) => event !== undefined && isOpen(event.state)).length;
  for (let rounds = open() * (MAX_ATTEMPTS + 2); rounds > 0; rounds -= 1)
    for (const [event, queued] of world.events.entries())
      for (const step of [
        { do: queued?.state.at === "claimed" ? "lease end" : "retry due", event },
        { do: "take", worker, event },
        ...(handlers === "fail" ? [{ do: handlers, worker } as const] : []),
      ] as const) {
        const after = apply(world, step, order);
        if (after === undefined) continue;
        steps.push(step);
        world = after;
      }
  return open() > 0 ? steps : undefined;
}
