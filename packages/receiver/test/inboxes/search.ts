import {
  canTake,
  dueAtOf,
  type EventState,
  type EventStep,
  isOpen,
  type QueuedEvent,
  received,
  transition,
} from "../../src/inbox/event-state.ts";

// An exhaustive search over the real transitions: three workers, three events of two resources, in
// every order of their steps. Time is what ends it: a lease or a wait goes on (1) or is over (0).

export const MAX_ATTEMPTS = 2;
export const EVENTS = 3;
const WORKERS = 3;
const NOW = 0;

export type Step =
  | { readonly do: "store" | "lease end" | "retry due"; readonly event: number }
  | { readonly do: "take"; readonly worker: number; readonly event: number }
  | { readonly do: "complete" | "supersede" | "fail" | "crash"; readonly worker: number };

export type Order = "none" | "per-resource";

export interface Rules {
  readonly transition: typeof transition;
  readonly canTake: typeof canTake;
  readonly maxAttempts: number;
}
export const rules: Rules = { transition, canTake, maxAttempts: MAX_ATTEMPTS };

/** The first two events are of one resource. */
export const resourceOf = (event: number): string => (event < 2 ? "x" : "y");

/** The event that a worker works on, and the token of its claim. */
type Worker = { readonly event: number; readonly token: number } | undefined;
interface World {
  readonly events: readonly (QueuedEvent | undefined)[];
  readonly workers: readonly Worker[];
}

/**
 * Looks through all sequences of steps for one that breaks a promise, the shortest first.
 *
 * @returns The broken promise, or the number of states in which every promise holds.
 */
export function search(order: Order, given: Rules): string | number {
  const first: World = {
    events: Array.from({ length: EVENTS }, () => undefined),
    workers: Array.from({ length: WORKERS }, () => undefined),
  };
  const found = new Set([keyOf(first)]);
  const fair = new Set<string>();
  let layer = [first];
  while (layer.length > 0) {
    const next: World[] = [];
    for (const world of layer) {
      const events = world.events.map(eventKey).join();
      if (!fair.has(events) && isEndless(world.events, given))
        return "an event stays unhandled under a fair scheduler";
      fair.add(events);
      for (const step of stepsOf(world)) {
        const after = apply(world, step, { given, order });
        if (after === undefined) continue;
        const broken = brokenBy(world, step, after, order);
        if (broken !== undefined) return broken;
        const key = keyOf(after);
        if (found.has(key)) continue;
        found.add(key);
        next.push(after);
      }
    }
    layer = next;
  }
  return found.size;
}

/** Workers in the same situation are the same, and so are events without a resource. */
function keyOf({ events, workers }: World): string {
  const held = events.map((event, index) => {
    const claims = workers.flatMap((worker) =>
      worker?.event === index ? [worker.token === event?.state.token ? "=" : "~"] : [],
    );
    return `${eventKey(event)} ${claims.toSorted().join("")}`;
  });
  const hasResources = events.some((event) => event?.resource !== undefined);
  return (hasResources ? held : held.toSorted()).join();
}

function eventKey(event: QueuedEvent | undefined): string {
  if (event === undefined) return "";
  const { at, token, attempts } = event.state;
  return `${at}${String(token)}.${String(attempts)}${isOpen(event.state) && dueAtOf(event.state) > NOW ? "+" : ""}`;
}

function* stepsOf({ events, workers }: World): Generator<Step> {
  for (const [event, queued] of events.entries()) {
    // Events of one resource are alike: they are stored in the order of their numbers.
    if (queued === undefined) {
      if (event !== 1 || events[0] !== undefined) yield { do: "store", event };
    } else if (queued.state.at === "claimed") yield { do: "lease end", event };
    else if (queued.state.at === "waiting") yield { do: "retry due", event };
  }
  for (const [worker, holds] of workers.entries()) {
    if (holds !== undefined)
      for (const kind of ["complete", "supersede", "fail", "crash"] as const)
        yield { do: kind, worker };
    else
      for (const [event, queued] of events.entries())
        if (queued !== undefined) yield { do: "take", worker, event };
  }
}

function apply(
  { events, workers }: World,
  step: Step,
  { given, order }: { readonly given: Rules; readonly order: Order },
): World | undefined {
  switch (step.do) {
    case "store": {
      const resource = order === "none" ? undefined : resourceOf(step.event);
      const event = { state: received(NOW), sequence: step.event, resource };
      return { events: events.with(step.event, event), workers };
    }
    case "lease end":
    case "retry due": {
      const event = events[step.event];
      if (event === undefined) return undefined;
      const over = ended(event.state);
      return over && { events: events.with(step.event, { ...event, state: over }), workers };
    }
    case "take": {
      const event = events[step.event];
      const stored = events.filter((other) => other !== undefined);
      if (event === undefined || !given.canTake(event, stored, NOW)) return undefined;
      const state = given.transition(event.state, takeOf(given));
      if (state === undefined) return undefined;
      const holds = { event: step.event, token: state.token };
      return {
        events: events.with(step.event, { ...event, state }),
        workers: state.at === "claimed" ? workers.with(step.worker, holds) : workers,
      };
    }
    case "crash":
      return { events, workers: workers.with(step.worker, undefined) };
    case "complete":
    case "supersede":
    case "fail": {
      const holds = workers[step.worker];
      const event = holds && events[holds.event];
      if (holds === undefined || event === undefined) return undefined;
      const state = given.transition(event.state, endOf(step.do, holds.token, given));
      return {
        events: state === undefined ? events : events.with(holds.event, { ...event, state }),
        workers: workers.with(step.worker, undefined),
      };
    }
    default:
      return step satisfies never;
  }
}

const takeOf = ({ maxAttempts }: Rules): EventStep => ({
  type: "claim",
  now: NOW,
  leaseMs: 1,
  maxAttempts,
});

/** The transition by which a worker ends its claim. */
export function endOf(
  kind: "complete" | "supersede" | "fail",
  token: number,
  { maxAttempts, retryAt = 1 }: { readonly maxAttempts: number; readonly retryAt?: number },
) {
  if (kind === "fail") return { type: kind, token, retryAt, reason: "no", maxAttempts } as const;
  return { type: kind === "complete" ? "succeed" : kind, token } as const;
}

/** The state once its lease or its wait is over. */
function ended(state: EventState): EventState | undefined {
  if (state.at === "claimed" && state.leaseEndsAt > NOW) return { ...state, leaseEndsAt: NOW };
  if (state.at === "waiting" && state.dueAt > NOW) return { ...state, dueAt: NOW };
  return undefined;
}

const isRunning = ({ state }: QueuedEvent): boolean =>
  state.at === "claimed" && state.leaseEndsAt > NOW;

function brokenBy(before: World, step: Step, after: World, order: Order): string | undefined {
  if (step.do === "complete" || step.do === "supersede" || step.do === "fail") {
    const holds = before.workers[step.worker];
    const state = holds && before.events[holds.event]?.state;
    const isStale = holds !== undefined && (state?.at !== "claimed" || state.token !== holds.token);
    if (isStale && before.events !== after.events) return "a stale token changes an event";
  }
  const claims = after.workers.flatMap((holds) => (holds ? [`${holds.event} ${holds.token}`] : []));
  if (new Set(claims).size < claims.length) return "an event has two valid claims";
  const running = after.events.filter((event) => event !== undefined && isRunning(event));
  const resources = running.map((event) => event?.resource);
  if (order === "per-resource" && new Set(resources).size < resources.length)
    return "two events of a resource run at once";
  return undefined;
}

/**
 * True if events stay open under a fair scheduler from here on: every lease and every wait ends, every event
 * that can be taken is taken, and every handler fails.
 */
function isEndless(events: readonly (QueuedEvent | undefined)[], given: Rules): boolean {
  let world: World = { events, workers: [undefined] };
  const isOver = (): boolean =>
    world.events.every((event) => event === undefined || !isOpen(event.state));
  for (let round = 0; round < EVENTS * (MAX_ATTEMPTS + 1) && !isOver(); round += 1)
    for (const [event, queued] of world.events.entries())
      for (const step of [
        { do: queued?.state.at === "claimed" ? "lease end" : "retry due", event },
        { do: "take", worker: 0, event },
        { do: "fail", worker: 0 },
      ] as const)
        world = apply(world, step, { given, order: "none" }) ?? world;
  return !isOver();
}
