import { describe, expect, it } from "vitest";
import { MAX_ROWS, TimelineStore } from "../src/timeline/timeline-store.ts";

const event = (id: string, payload = "{}") => ({
  id,
  type: "refund.pending",
  category: "PAYMENT",
  timestamp: "2026-11-20T15:00:00.000Z",
  payload,
});
const listed = (id: string) => ({ ...event(id), subject: null, states: ["waiting" as const] });
const delivery = (eventId: string, subscriptionKey: string) => ({
  deliveryId: "dlv_1",
  eventId,
  subscriptionKey,
  state: "delivered" as const,
  nextAttemptAt: null,
});
const store = () => new TimelineStore((change) => change());
const ids = (one: TimelineStore) => one.snapshot().rows.map(({ id }) => id);

describe("the timeline of a page", () => {
  it("has the newest last, whether it was listed or told", () => {
    const one = store();
    one.startWith({ events: [listed("c"), listed("b")], before: "7" });
    one.addEvent(event("d"), null);
    one.addOlder({ events: [listed("b"), listed("a")], before: null });
    expect(ids(one)).toEqual(["a", "b", "c", "d"]);
    expect(one.snapshot().before).toBeNull();
  });

  it("knows an event once, and keeps the states of its deliveries", () => {
    const one = store();
    one.startWith({ events: [listed("a")], before: null });
    one.setDelivery(delivery("a", "sub_1"));
    one.setDelivery(delivery("a", "sub_2"));
    one.setDelivery(delivery("unknown", "sub_1"));
    one.addEvent(event("a"), "ref_1");
    const [row] = one.snapshot().rows;
    expect(ids(one)).toEqual(["a"]);
    expect(row?.subject).toBe("ref_1");
    expect([...(row?.states ?? [])]).toEqual([
      ["sub_1", "delivered"],
      ["sub_2", "delivered"],
    ]);
  });

  it("keeps what was told while a page was asked for, and forgets what was before", () => {
    const one = store();
    one.startWith({ events: [listed("gone")], before: null });
    one.awaitPage();
    one.addEvent(event("b"), "ref_b");
    one.addEvent(event("c"), "ref_c");
    one.setDelivery(delivery("c", "sub_1"));
    // The page was read after b had been written, and before c.
    one.startWith({ events: [listed("b"), listed("a")], before: null });
    expect(ids(one)).toEqual(["a", "b", "c"]);
    expect(one.snapshot().rows[2]?.states.get("sub_1")).toBe("delivered");
    one.startWith({ events: [listed("d")], before: null });
    expect(ids(one)).toEqual(["d"]);
  });

  it("C9 keeps 100,000 rows, the oldest go first, and finds those that stay", () => {
    let change = (): void => undefined;
    const one = new TimelineStore((next) => (change = next));
    for (let count = 0; count < MAX_ROWS + 10; count += 1)
      one.addEvent(event(`e${String(count)}`), null);
    change();
    expect(one.snapshot().rows).toHaveLength(MAX_ROWS);
    expect(ids(one)[0]).toBe("e10");
    one.setDelivery(delivery("e10", "sub_1"));
    change();
    expect(one.snapshot().rows[0]?.states.get("sub_1")).toBe("delivered");
    expect(one.snapshot().before).toBeNull();
  });

  it("tells its readers once for all that happens at one time", () => {
    const changes: (() => void)[] = [];
    const one = new TimelineStore((change) => changes.push(change));
    let told = 0;
    one.subscribe(() => (told += 1));
    for (let count = 0; count < 100; count += 1) one.addEvent(event(`e${String(count)}`), null);
    expect(changes).toHaveLength(1);
    changes[0]?.();
    expect([told, ids(one).length]).toEqual([1, 100]);
  });
});
