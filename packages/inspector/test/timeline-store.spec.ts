import { describe, expect, it } from "vitest";
import { Bodies, MAX_CHARACTERS, MAX_EVENTS } from "../src/timeline/bodies.ts";
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
  it("shows the newest last, whether listed or streamed", () => {
    const one = store();
    one.startWith({ events: [listed("c"), listed("b")], before: "7" });
    one.addEvent(event("d"), null);
    one.addOlder({ events: [listed("b"), listed("a")], before: null });
    expect(ids(one)).toEqual(["a", "b", "c", "d"]);
    expect(one.snapshot().before).toBeNull();
  });

  it("shows an event once, with the states of its deliveries", () => {
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

  it("keeps events streamed while a page loads, and drops those before it", () => {
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

  it("C9 keeps the newest 100,000 rows and updates them", () => {
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

  it("notifies its readers once for simultaneous changes", () => {
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

describe("C9 the payloads that a page keeps", () => {
  it("are the newest 1,000", () => {
    const bodies = new Bodies();
    for (let count = 0; count < 100_000; count += 1) bodies.set(`evt_${String(count)}`, "{}");
    expect(bodies.size).toBe(MAX_EVENTS);
    expect(bodies.get("evt_99999")).toBe("{}");
    expect(bodies.get("evt_98999")).toBeUndefined();
  });

  it("have at most 50 MB, each event counted once", () => {
    const bodies = new Bodies();
    for (const text of ["12345", "123", "1"]) bodies.set("evt_1", text);
    expect([bodies.size, bodies.characters]).toEqual([1, 1]);
    const body = "x".repeat(1_000_000);
    for (let count = 0; count < 100; count += 1) bodies.set(`evt_${String(count)}`, body);
    expect(bodies.characters).toBeLessThanOrEqual(MAX_CHARACTERS);
    expect(bodies.size).toBe(25);
    bodies.set("evt_huge", "x".repeat(MAX_CHARACTERS + 1));
    expect([bodies.size, bodies.characters]).toEqual([0, 0]);
  });
});
