import { type Inbox } from "@countersign/receiver";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MemoryRows } from "../../src/inbox/memory.ts";
import { type EventRows, rowsInbox } from "../../src/inbox/rows-inbox.ts";

const LEASE = 60_000;
const event = (id: string) => ({ key: { tenant: "", id }, digest: "d", type: "refund.authorized" });

/** A table whose calls return in any order that the scheduler chooses, as a server's do. */
function scheduledRows(scheduler: fc.Scheduler): EventRows {
  const rows = new MemoryRows(1000, 1e12);
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
    update: (update) => around("update", () => rows.update(update)),
    lastHandled: (resource) => around("lastHandled", () => rows.lastHandled(resource)),
    purge: (request) => around("purge", () => rows.purge(request)),
  };
}

const inboxOf = (scheduler: fc.Scheduler): Inbox => rowsInbox(scheduledRows(scheduler));

describe("however the calls of several processes meet in a store", () => {
  it("runs an event's handler once at a time, and never after it was handled", async () => {
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
              // No other claim followed: its token is the last one issued.
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
});
