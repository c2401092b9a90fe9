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
  | {
      readonly do: "complete" | "supersede" | "fail" | "crash" | "stop";
      readonly worker: number;
    };

export type Order = "none" | "per-resource";

export interface Rules {
  readonly transition: typeof transition;
  readonly canTake: typeof canTake;
  readonly maxAttempts: number;
}
export const rules: Rules = { transition, canTake, maxAttempts: MAX_ATTEMPTS };

/** The first two events are of one resource. */
export const resourceOf = (event: number): string => (event < 2 ? "x" : "y");

interface Worker {
  readonly stopped: boolean;
  readonly holds?: { readonly event: number; readonly token: number };
}
interface World {
  readonly events: readonly (QueuedEvent | undefined)[];
  readonly workers: readonly Worker[];
}

export interface Violation {
  readonly broken: string;
  readonly trace: readonly Step[];
}

/**
 * Looks for the shortest sequence of steps that breaks a promise.
 *
 * @returns It, or the number of states in which every promise holds.
 */
export function search(order: Order, given: Rules): Violation | number {
  const first: World = {
    events: Array.from({ length: EVENTS }, () => undefined),
    workers: Array.from({ length: WORKERS }, () => ({ stopped: false })),
  };
  const found = new Map<string, { readonly step?: Step; readonly from?: string }>();
  const fair = new Map<string, readonly Step[] | undefined>();
  let layer = [first];
  found.set(keyOf(first), {});
  while (layer.length > 0) {
    const next: World[] = [];
    for (const world of layer) {
      const from = keyOf(world);
      const trace = (...more: readonly Step[]): readonly Step[] => [
        ...pathTo(from, found),
        ...more,
      ];
      const events = eventsKey(world);
      if (!fair.has(events)) fair.set(events, endlessRun(world.events, given));
      const endless = fair.get(events);
      if (endless !== undefined)
        return {
          broken: "an event stays unhandled under a fair scheduler",
          trace: trace(...endless),
        };
      for (const step of stepsOf(world)) {
        const after = apply(world, step, { given, order });
        if (after === undefined) continue;
        const broken = brokenBy(world, step, after, order);
        if (broken !== undefined) return { broken, trace: trace(step) };
        const key = keyOf(after);
        if (found.has(key)) continue;
        found.set(key, { step, from });
        next.push(after);
      }
    }
    layer = next;
  }
  return found.size;
}

/** Workers in the same situation are the same, and so are events without a resource. */
function keyOf(world: World): string {
  const held = world.events.map((event, index) => {
    const workers = world.workers.flatMap(({ holds, stopped }) => {
      if (holds?.event !== index) return [];
      return [(holds.token === event?.state.token ? "=" : "~") + (stopped ? "s" : "")];
    });
    return `${eventKey(event)} ${workers.toSorted().join("")}`;
  });
  const free = world.workers.filter(({ holds }) => holds === undefined);
  const idle = free.filter(({ stopped }) => !stopped).length;
  const alike = world.events.some((event) => event?.resource !== undefined)
    ? held
    : held.toSorted();
  return `${alike.join()}|${String(idle)}`;
}

const eventsKey = ({ events }: World): string => events.map(eventKey).join();

function eventKey(event: QueuedEvent | undefined): string {
  if (event === undefined) return "";
  const { at, token, attempts } = event.state;
  return `${at}${String(token)}.${String(attempts)}${isOpen(event.state) && dueAtOf(event.state) > NOW ? "+" : ""}`;
}

function pathTo(
  key: string,
  found: ReadonlyMap<string, { readonly step?: Step; readonly from?: string }>,
): readonly Step[] {
  const { step, from } = found.get(key) ?? {};
  return step === undefined || from === undefined ? [] : [...pathTo(from, found), step];
}

function* stepsOf({ events, workers }: World): Generator<Step> {
  for (const [event, queued] of events.entries()) {
    // Events of one resource are alike: they are stored in the order of their numbers.
    if (queued === undefined) {
      if (event !== 1 || events[0] !== undefined) yield { do: "store", event };
    } else if (queued.state.at === "claimed") yield { do: "lease end", event };
    else if (queued.state.at === "waiting") yield { do: "retry due", event };
  }
  for (const [worker, { holds, stopped }] of workers.entries()) {
    if (holds === undefined && !stopped) {
      for (const [event, queued] of events.entries())
        if (queued !== undefined) yield { do: "take", worker, event };
    } else if (holds !== undefined)
      for (const kind of ["complete", "supersede", "fail", "crash"] as const)
        yield { do: kind, worker };
    if (!stopped) yield { do: "stop", worker };
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
        workers:
          state.at === "claimed" ? workers.with(step.worker, { stopped: false, holds }) : workers,
      };
    }
    case "crash":
    case "stop": {
      const { holds, stopped = false } = workers[step.worker] ?? {};
      // A worker that stops finishes its event; one that crashed starts anew.
      const worker = step.do === "crash" ? { stopped } : { stopped: true, ...(holds && { holds }) };
      return { events, workers: workers.with(step.worker, worker) };
    }
    case "complete":
    case "supersede":
    case "fail": {
      const { holds, stopped = false } = workers[step.worker] ?? {};
      const event = holds && events[holds.event];
      if (holds === undefined || event === undefined) return undefined;
      const state = given.transition(event.state, endOf(step.do, holds.token, given));
      return {
        events: state === undefined ? events : events.with(holds.event, { ...event, state }),
        workers: workers.with(step.worker, { stopped }),
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
    const holds = before.workers[step.worker]?.holds;
    const state = holds && before.events[holds.event]?.state;
    const isStale = holds !== undefined && (state?.at !== "claimed" || state.token !== holds.token);
    if (isStale && before.events !== after.events) return "a stale token changes an event";
  }
  const claims = after.workers.flatMap(({ holds }) =>
    holds ? [`${holds.event} ${holds.token}`] : [],
  );
  if (new Set(claims).size < claims.length) return "an event has two valid claims";
  const running = after.events.filter((event) => event !== undefined && isRunning(event));
  const resources = running.map((event) => event?.resource);
  if (order === "per-resource" && new Set(resources).size < resources.length)
    return "two events of a resource run at once";
  return undefined;
}

/**
 * Lets a fair scheduler go on from here: every lease and every wait ends, every event that can be taken
 * is taken, and every handler fails.
 *
 * @returns Its steps, if events stay open nevertheless.
 */
function endlessRun(
  events: readonly (QueuedEvent | undefined)[],
  given: Rules,
): readonly Step[] | undefined {
  const context = { given, order: "none" } as const;
  const steps: Step[] = [];
  let world: World = { events, workers: [{ stopped: false }] };
  const go = (step: Step): void => {
    const after = apply(world, step, context);
    if (after === undefined) return;
    world = after;
    steps.push(step);
  };
  for (let round = 0; round < EVENTS * (MAX_ATTEMPTS + 1); round += 1) {
    if (world.events.every((event) => event === undefined || !isOpen(event.state)))
      return undefined;
    for (const [event, queued] of world.events.entries()) {
      go({ do: queued?.state.at === "claimed" ? "lease end" : "retry due", event });
      go({ do: "take", worker: 0, event });
      go({ do: "fail", worker: 0 });
    }
  }
  return steps;
}
