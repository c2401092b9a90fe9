import {
  canTake,
  dueAtOf,
  isOpen,
  type QueuedEvent,
  received,
  transition,
} from "../../src/inbox/event-state.ts";

// An exhaustive search over the real transitions: three workers, three events of two resources, in
// every order of their steps. Time is reduced to this: a lease or a wait goes on (1) or is over (0).

export const MAX_ATTEMPTS = 2;
export const EVENTS = 3;
const WORKERS = 3;
const NOW = 0;

/** A worker that stops ends its event and takes no other; one that crashes drops its event and starts again. */
export type Step =
  | { readonly do: "store" | "lease end" | "retry due"; readonly event: number }
  | { readonly do: "take"; readonly worker: number; readonly event: number }
  | { readonly do: End | "crash" | "stop"; readonly worker: number };

/** A worker's end of its event; "complete and take" also takes the next event of the resource. */
type End = "complete" | "complete and take" | "supersede" | "fail";

export type Order = "none" | "per-resource";

/** The real rules, or those with one of them taken out. */
export interface Rules {
  readonly transition: typeof transition;
  readonly canTake: typeof canTake;
  readonly order: Order;
}

/** The first two events are of one resource. */
export const resourceOf = (event: number, order: Order): string | undefined =>
  order === "none" ? undefined : event < 2 ? "x" : "y";

type Events = readonly (QueuedEvent | undefined)[];
interface Worker {
  readonly stopped: boolean;
  /** The event that it works on, and the token of its claim. */
  readonly holds?: { readonly event: number; readonly token: number };
}
interface World {
  readonly events: Events;
  readonly workers: readonly Worker[];
}

/** Searches all sequences of steps, the shortest first, until one breaks a promise; `report` has both as text. */
export function search(rules: Rules): { readonly states: number; readonly report: string } {
  const first: World = {
    events: Array.from({ length: EVENTS }, () => undefined),
    workers: Array.from({ length: WORKERS }, () => ({ stopped: false })),
  };
  const found = new Set([keyOf(first)]);
  const fair = new Set<string>();
  const broken = (promise: string, ...trace: readonly Step[]) => ({
    states: found.size,
    report: `${promise}: ${trace.map(textOf).join(", ")}`,
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
        : (endlessRun(world.events, rules, "fail") ?? endlessRun(world.events, rules, "hang"));
      if (endless !== undefined)
        return broken("an event stays unhandled under a fair scheduler", ...trace, ...endless);
      fair.add(events);
      for (const step of stepsOf(world)) {
        const after = apply(world, step, rules);
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

const textOf = (step: Step): string =>
  ("worker" in step ? `worker ${String(step.worker)} ` : "") +
  step.do +
  ("event" in step ? ` ${String(step.event)}` : "");

/** Workers in the same situation are the same, and so are events without a resource. */
function keyOf({ events, workers }: World): string {
  const held = events.map((event, index) => {
    const claims = workers.flatMap(({ holds, stopped }) =>
      holds?.event === index
        ? [(holds.token === event?.state.token ? "=" : "~") + (stopped ? "s" : "")]
        : [],
    );
    return `${eventKey(event)} ${claims.toSorted().join("")}`;
  });
  const idle = workers.filter(({ holds, stopped }) => holds === undefined && !stopped);
  const hasResources = events.some((event) => event?.resource !== undefined);
  return `${String(idle.length)} ${(hasResources ? held : held.toSorted()).join()}`;
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
  const alike = new Set<string>();
  for (const [worker, { holds, stopped }] of workers.entries()) {
    const key = `${String(stopped)} ${String(holds?.event)} ${String(holds?.token)}`;
    if (alike.has(key)) continue;
    alike.add(key);
    if (!stopped) yield { do: "stop", worker };
    if (holds !== undefined) {
      // Before "complete": of two shortest traces, the one whose last step does more.
      if (!stopped && events[holds.event]?.resource !== undefined)
        yield { do: "complete and take", worker };
      for (const kind of ["complete", "supersede", "fail", "crash"] as const)
        yield { do: kind, worker };
    } else if (!stopped)
      for (const [event, queued] of events.entries())
        if (queued !== undefined) yield { do: "take", worker, event };
  }
}

/** Returns the world after a step, or `undefined` if the rules do not allow it. */
function apply({ events, workers }: World, step: Step, rules: Rules): World | undefined {
  const worker = "worker" in step ? workers[step.worker] : undefined;
  const { holds, stopped = false } = worker ?? {};
  const index = "event" in step ? step.event : holds?.event;
  const event = index === undefined ? undefined : events[index];
  switch (step.do) {
    case "store": {
      const resource = resourceOf(step.event, rules.order);
      const stored = { state: received(NOW), sequence: step.event, resource };
      return { events: events.with(step.event, stored), workers };
    }
    case "lease end":
    case "retry due": {
      if (event === undefined || !isOpen(event.state) || dueAtOf(event.state) <= NOW)
        return undefined;
      const state =
        event.state.at === "claimed"
          ? { ...event.state, leaseEndsAt: NOW }
          : { ...event.state, dueAt: NOW };
      return { events: events.with(step.event, { ...event, state }), workers };
    }
    case "take": {
      const stored = events.filter((other) => other !== undefined);
      if (event === undefined || !rules.canTake(event, stored, NOW)) return undefined;
      const claim = { type: "claim", now: NOW, leaseMs: 1, maxAttempts: MAX_ATTEMPTS } as const;
      const state = rules.transition(event.state, claim);
      if (state === undefined) return undefined;
      const claimed = { stopped, holds: { event: step.event, token: state.token } };
      return {
        events: events.with(step.event, { ...event, state }),
        workers: state.at === "claimed" ? workers.with(step.worker, claimed) : workers,
      };
    }
    case "stop":
      return { events, workers: workers.with(step.worker, { ...worker, stopped: true }) };
    case "crash":
      return { events, workers: workers.with(step.worker, { stopped }) };
    case "complete":
    case "complete and take":
    case "supersede":
    case "fail": {
      if (holds === undefined || event === undefined) return undefined;
      const idle = workers.with(step.worker, { stopped });
      const state = rules.transition(event.state, endOf(step.do, holds.token, 1));
      if (state === undefined) return { events, workers: idle };
      const after = { events: events.with(holds.event, { ...event, state }), workers: idle };
      if (step.do !== "complete and take") return after;
      const oldest = after.events.findIndex(
        (other) => other?.resource === event.resource && other !== undefined && isOpen(other.state),
      );
      return apply(after, { do: "take", worker: step.worker, event: oldest }, rules) ?? after;
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
    const { holds } = before.workers[step.worker] ?? {};
    const state = holds && before.events[holds.event]?.state;
    const isStale = state?.at !== "claimed" || state.token !== holds?.token;
    if (isStale && before.events !== after.events) return "a stale token changes an event";
  }
  const claims = after.workers.flatMap(({ holds }) =>
    holds ? [`${holds.event} ${holds.token}`] : [],
  );
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
  rules: Rules,
  handlers: "fail" | "hang",
): readonly Step[] | undefined {
  const worker = WORKERS;
  const steps: Step[] = [];
  let world: World = {
    events,
    workers: Array.from({ length: worker + 1 }, () => ({ stopped: false })),
  };
  const open = (): number =>
    world.events.filter((event) => event !== undefined && isOpen(event.state)).length;
  for (let rounds = open() * (MAX_ATTEMPTS + 1); rounds > 0; rounds -= 1)
    for (const [event, queued] of world.events.entries())
      for (const step of [
        { do: queued?.state.at === "claimed" ? "lease end" : "retry due", event },
        { do: "take", worker, event },
        ...(handlers === "fail" ? [{ do: handlers, worker } as const] : []),
      ] as const) {
        const after = apply(world, step, rules);
        if (after === undefined) continue;
        steps.push(step);
        world = after;
      }
  return open() > 0 ? steps : undefined;
}
