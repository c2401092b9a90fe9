import type { TakenEvent } from "@countersign/receiver";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type EventState,
  isExclusive,
  isHeld,
  isOpen,
  LEASE_ENDED,
  RECEIVED,
  transition,
} from "../../src/inbox/event-state.ts";
import { describeStore, inCi, postgres, type Queued, sqlite } from "./stores.ts";

const EVENTS = 3;
const MAX_ATTEMPTS = 2;
const LEASE_MS = 60_000;
const WAIT_MS = 5000;

/** A worker that crashes drops its events and starts again. */
type Step =
  | { readonly do: "store" | "lease end" | "retry due"; readonly event: number }
  | { readonly do: "take" | End | "crash"; readonly worker: number };
/** A worker's end of its event. */
type End = "complete" | "supersede" | "fail";
type Order = "none" | "per-resource";

/** A stored event by the rules; `sequence` grows with each. */
interface Modelled {
  readonly event: EventState;
  readonly sequence: number;
  readonly resource: string | undefined;
}

/** The promise about workers: one takes a due event, of a resource only if no older one is open. */
const canTake = (one: Modelled, all: readonly Modelled[], now: number): boolean =>
  isOpen(one.event) &&
  one.event.due_at <= now &&
  !all.some(
    ({ event, sequence, resource }) =>
      resource !== undefined &&
      resource === one.resource &&
      sequence < one.sequence &&
      isOpen(event),
  );

/** An event whose lease has ended must run exclusively from its second attempt on, or on its last one. */
const mustBeExclusive = ({ state, attempts }: EventState): boolean =>
  state === "claimed" && attempts >= Math.min(2, MAX_ATTEMPTS);

function claimed(event: EventState, now: number): EventState {
  const { token, attempts, reason } = event;
  if (isExclusive(event) && attempts >= MAX_ATTEMPTS)
    return { state: "dead", token: token + 1, attempts, due_at: 0, reason };
  const next = transition(event, { type: "claim", now, leaseMs: LEASE_MS });
  expect(next).toBeDefined();
  return { ...(next ?? event), reason: mustBeExclusive(event) ? LEASE_ENDED : null };
}

function stepOf(end: End, token: number, now: number) {
  if (end !== "fail") return { type: end === "supersede" ? end : "succeed", token } as const;
  const retryAt = now + WAIT_MS;
  return { type: end, token, retryAt, reason: "no", maxAttempts: MAX_ATTEMPTS } as const;
}

/**
 * Runs steps against an inbox and against the rules at once, and expects the same of both. A worker takes all it can,
 * and ends the events in the order in which it got them. In the end a fair scheduler goes on with a fresh worker, whose
 * handlers fail or hang, until every event has ended.
 */
async function replay(
  steps: readonly Step[],
  { inbox, order, last }: { inbox: Queued; order: Order; last: "fail" | "crash" },
): Promise<void> {
  const { queue } = inbox;
  const events = new Map<string, Modelled>();
  const held = new Map<number, TakenEvent[]>();
  let now = 1000;
  const change = (id: string, to: EventState | undefined): void => {
    const known = events.get(id);
    if (known !== undefined && to !== undefined) events.set(id, { ...known, event: to });
  };

  /** Claims the events that the rules allow, and expects the same to be taken. */
  const expectTaken = (taken: readonly TakenEvent[]): void => {
    const before = [...events.values()];
    const free = [...events].filter(([, one]) => canTake(one, before, now));
    const exclusive = free.filter(([, { event }]) => mustBeExclusive(event)).slice(0, 1);
    const due = exclusive.length > 0 ? exclusive : free;
    for (const [id, { event }] of due) change(id, claimed(event, now));
    const expected = due.filter(([id]) => events.get(id)?.event.state === "claimed");
    expect(taken.map(({ key }) => key.id)).toEqual(expected.map(([id]) => id));
    for (const { key, token, attempts } of taken)
      expect(events.get(key.id)?.event).toMatchObject({ token, attempts });
    const running = [...events.values()].filter(({ event }) => isHeld(event, now));
    const resources = running.flatMap(({ resource }) => resource ?? []);
    expect(new Set(resources).size).toBe(resources.length);
  };

  const run = async (step: Step): Promise<void> => {
    switch (step.do) {
      case "store": {
        const id = String(step.event);
        if (events.has(id)) return;
        // The first two events are of one resource.
        const name = order === "none" ? undefined : step.event < 2 ? "x" : "y";
        const resource = name === undefined ? undefined : { name, timestamp: 0 };
        const key = { provider: "acme", tenant: "", id };
        await queue.store({ key, digest: "d", type: "t", body: "{}", facts: "{}", now, resource });
        events.set(id, { event: RECEIVED, sequence: events.size, resource: name });
        return;
      }
      case "lease end":
      case "retry due": {
        const event = events.get(String(step.event))?.event;
        if (event !== undefined && isOpen(event)) now = Math.max(now, event.due_at);
        return;
      }
      case "take": {
        const limits = { limit: EVENTS, leaseMs: LEASE_MS, maxAttempts: MAX_ATTEMPTS };
        const taken = await queue.take({ provider: "acme", now, ...limits });
        expectTaken(taken);
        held.set(step.worker, [...(held.get(step.worker) ?? []), ...taken]);
        return;
      }
      case "crash":
        held.delete(step.worker);
        return;
      case "complete":
      case "supersede":
      case "fail": {
        const taken = held.get(step.worker)?.shift();
        const known = taken && events.get(taken.key.id);
        if (taken === undefined || known === undefined) return;
        const { key, token, attempts } = taken;
        const end = stepOf(step.do, token, now);
        const next = transition(known.event, end);
        change(key.id, next);
        if (end.type === "fail")
          expect(await queue.fail({ key, now, attempts, ...end })).toBe(next?.state);
        else {
          const settlement = { key, token, now, superseded: end.type === "supersede" };
          expect(await inbox.complete(settlement)).toBe(next !== undefined);
        }
        return;
      }
      default:
        step satisfies never;
    }
  };
  const openEvents = (): number => [...events.values()].filter(({ event }) => isOpen(event)).length;
  const runAndCompare = async (step: Step): Promise<void> => {
    await run(step);
    expect((await queue.status({ dueBefore: now })).unhandled).toBe(openEvents());
    const dead = [...events.values()].filter(({ event }) => event.state === "dead");
    expect(await queue.dead({ limit: EVENTS })).toHaveLength(dead.length);
  };
  for (const step of steps) await runAndCompare(step);
  const fresh = { worker: -1 };
  for (let round = openEvents() * (MAX_ATTEMPTS + 2); round > 0; round -= 1)
    for (let event = 0; event < EVENTS; event += 1) {
      await runAndCompare({ do: "lease end", event });
      await runAndCompare({ do: "take", ...fresh });
      await runAndCompare({ do: last, ...fresh });
    }
  expect(openEvents()).toBe(0);
}

for (const store of [sqlite, inCi(postgres)])
  describeStore(store, (open) => {
    it("[R-NEVER-LOST] [R-ONCE-FENCED] agrees with the rules on any sequence of steps, and ends every event", async () => {
      const worker = fc.integer({ min: 0, max: 2 });
      const event = fc.integer({ min: 0, max: EVENTS - 1 });
      const ends = fc.constantFrom("complete", "fail", "supersede", "crash");
      const step: fc.Arbitrary<Step> = fc.oneof(
        fc.record({ do: fc.constantFrom("store", "lease end", "retry due"), event }),
        fc.record({ do: fc.constant("take"), worker }),
        fc.record({ do: ends, worker }),
      );
      const steps = fc.array(step, { minLength: 10, maxLength: 40 });
      const order = fc.constantFrom("none", "per-resource");
      const last = fc.constantFrom("fail", "crash");
      await fc.assert(
        fc.asyncProperty(steps, order, last, async (walk, chosen, end) => {
          const inbox = await open();
          const replayed = replay(walk, { inbox, order: chosen, last: end });
          await expect(replayed).resolves.toBeUndefined();
        }),
        { numRuns: 25 },
      );
    });
  });
