import { type Inbox } from "@countersign/receiver";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventRows } from "../../src/inbox/event-rows.ts";
import { memoryRows } from "../../src/inbox/memory-rows.ts";
import { rowsInbox } from "../../src/inbox/rows-inbox.ts";

const LEASE = 60_000;
const event = (id: string) => ({ key: { tenant: "", id }, digest: "d", type: "refund.authorized" });

/** A table whose calls come back in any order that the scheduler finds, as a server's do. */
function scheduledRows(scheduler: fc.Scheduler): EventRows {
  const rows = memoryRows({ capacity: 1000, retentionMs: 1e12 });
  let calls = 0;
  // Before the call and after it: its statement runs between the two.
  const turn = (name: string): Promise<void> =>
    scheduler.schedule(Promise.resolve(), `${name} ${String((calls += 1))}`).then(() => undefined);
  const around = async <T>(name: string, call: () => T | Promise<T>): Promise<T> => {
    await turn(`send ${name}`);
    const result = await call();
    await turn(`answer ${name}`);
    return result;
  };
  return {
    insert: (row, now) => around("insert", () => rows.insert(row, now)),
    read: (key) => around("read", () => rows.read(key)),
    update: (...update) => around("update", () => rows.update(...update)),
    holder: (resource) => around("holder", () => rows.holder(resource)),
    lastHandled: (resource) => around("lastHandled", () => rows.lastHandled(resource)),
    due: (request) => around("due", () => rows.due(request)),
    dead: (request) => around("dead", () => rows.dead(request)),
    purge: (request) => around("purge", () => rows.purge(request)),
  };
}

const inboxOf = (scheduler: fc.Scheduler): Required<Pick<Inbox, "queue">> & Inbox =>
  rowsInbox(scheduledRows(scheduler), { durable: true });

describe("however the calls of several processes meet in a store", () => {
  it("an event's handler runs once at a time, and never after it was handled", async () => {
    // Leases end between the claims of a process: a takeover and a late settlement both happen.
    const processes = fc.array(
      fc.array(
        fc.record({
          wait: fc.constantFrom(0, 0, LEASE),
          end: fc.constantFrom("complete", "release", "crash"),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      { minLength: 2, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), processes, async (scheduler, plans) => {
        const inbox = inboxOf(scheduler);
        let now = 0;
        let handled = 0;
        const holders = new Map<number, number>();
        const run = async (plan: (typeof plans)[number]): Promise<void> => {
          for (const { wait, end } of plan) {
            now += wait;
            const claimedAt = now;
            const claim = await inbox.claim({ ...event("a"), leaseMs: LEASE, now: claimedAt });
            if (claim.state !== "claimed") continue;
            expect(holders.has(claim.token)).toBe(false);
            holders.set(claim.token, claimedAt);
            const settlement = { ...event("a"), token: claim.token, now };
            if (end === "release") await inbox.release(settlement);
            if (end === "complete" && (await inbox.complete(settlement))) {
              handled += 1;
              // Nobody took it over meanwhile: its token is the last one that was given.
              expect(Math.max(...holders.keys())).toBe(claim.token);
            }
          }
        };
        const all = Promise.all(plans.map((plan) => run(plan)));
        await scheduler.waitFor(all);
        expect(handled).toBeLessThanOrEqual(1);
        if (handled === 1)
          expect(
            await scheduler.waitFor(
              Promise.resolve(inbox.claim({ ...event("a"), leaseMs: LEASE, now: 9e9 })),
            ),
          ).toEqual({ state: "handled" });
      }),
      { numRuns: 300 },
    );
  });

  it("each stored event is taken by one worker, and one of a resource at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom("x", "y", "none"), { minLength: 1, maxLength: 5 }),
        async (scheduler, resources) => {
          const inbox = inboxOf(scheduler);
          const stores = resources.map((name, index) =>
            inbox.queue.store({
              ...event(String(index)),
              body: "{}",
              now: index,
              ...(name === "none" ? {} : { resource: { name, timestamp: 0 } }),
            }),
          );
          await scheduler.waitFor(Promise.all(stores));
          const running = new Set<string>();
          const taken: string[] = [];
          const work = async (): Promise<void> => {
            for (let round = 0; round < 5; round += 1) {
              const request = { limit: 2, leaseMs: LEASE, now: 1000, maxAttempts: 3 };
              for (const { key, token, resource } of await inbox.queue.take(request)) {
                const name = resource?.name;
                if (name !== undefined) {
                  expect(running.has(name)).toBe(false);
                  running.add(name);
                }
                taken.push(key.id);
                await scheduler.schedule(Promise.resolve(), `handler of ${key.id}`);
                if (name !== undefined) running.delete(name);
                expect(await inbox.complete({ key, token, now: 1000 })).toBe(true);
              }
            }
          };
          await scheduler.waitFor(Promise.all([work(), work(), work()]));
          await scheduler.waitFor(work());
          expect(taken.toSorted()).toEqual(resources.map((_, index) => String(index)).toSorted());
        },
      ),
      { numRuns: 200 },
    );
  });

  it("a store and a claim of one event lose nothing of it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, completes) => {
        const inbox = inboxOf(scheduler);
        const claimAndSettle = async (): Promise<boolean> => {
          const claim = await inbox.claim({ ...event("a"), leaseMs: LEASE, now: 0 });
          if (claim.state !== "claimed") return false;
          const settlement = { ...event("a"), token: claim.token, now: 0 };
          return completes ? inbox.complete(settlement) : !(await inbox.release(settlement));
        };
        const claiming = claimAndSettle();
        const storing = inbox.queue.store({ ...event("a"), body: "{}", now: 0 });
        const [handled, stored] = await scheduler.waitFor(Promise.all([claiming, storing]));
        const request = { limit: 1, leaseMs: LEASE, now: LEASE, maxAttempts: 3 };
        const taken = await scheduler.waitFor(inbox.queue.take(request));
        // Acknowledged means: a worker gets it, or a handler has succeeded.
        const waits = stored === "stored" && !handled;
        expect(taken).toHaveLength(waits ? 1 : 0);
      }),
      { numRuns: 300 },
    );
  });
});
