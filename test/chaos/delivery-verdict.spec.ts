import type { Driver } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { sqliteStore } from "./delivery-store.ts";
import { NO_FAULT, verdictOf } from "./delivery-verdict.ts";
import { startWriting, subscribe } from "./delivery-writer.ts";

/** A store with six delivered events that arrived once each. */
async function sixEvents() {
  const { driver } = sqliteStore();
  await subscribe(driver, "http://127.0.0.1:1/hooks");
  const written = (await startWriting(driver).end()).slice(0, 6);
  const delivered =
    "state = 'delivered', next_at = NULL, attempts = 1, last_number = 1, last_status = 204";
  for (const event of written) await set(driver, event, delivered);
  const arrived = (times: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
    new Map(written.map((event) => [event, times[event] ?? 1]));
  return { driver, written, arrived };
}

const set = (driver: Driver, event: string, change: string): Promise<unknown> =>
  driver.transaction((tx) =>
    tx.query(`UPDATE deliveries SET ${change} WHERE event_id = $1`, [event]),
  );

const none = { ...NO_FAULT, takenBack: 0, repeated: 0, mostClaims: 1 };
const WAITING = `state = 'waiting', next_at = 86400000, leased_until = 3600000, attempts = 9, last_number = 9,
  last_status = NULL, last_error = 'CS_ATTEMPT_TIMEOUT'`;

describe("the verdict of a delivery campaign", () => {
  it("reports no fault for events that arrived and are recorded as delivered", async () => {
    const { driver, written, arrived } = await sixEvents();
    expect(written).toHaveLength(6);
    expect(await verdictOf(driver, written, arrived({}))).toEqual(none);
  });

  it("reports an event in the queue as waiting, never as lost, with its row", async () => {
    const { driver, written, arrived } = await sixEvents();
    await set(driver, "evt_1", WAITING);
    const line =
      "evt_1 arrived 0 times, dlv_1 is waiting after 9 claims and 0 answers, last CS_ATTEMPT_TIMEOUT; " +
      "next at 1970-01-02T00:00:00.000Z, leased until 1970-01-01T01:00:00.000Z, its subscription ACTIVE";
    const verdict = await verdictOf(driver, written, arrived({ evt_1: 0 }));
    expect(verdict).toEqual({ ...none, waiting: [line], mostClaims: 9 });
    await driver.transaction((tx) => tx.query("UPDATE subscriptions SET status = 'PAUSED'"));
    const { waiting } = await verdictOf(driver, written, arrived({}));
    expect(waiting.join()).toMatch(/^evt_1 arrived 1 times.*subscription PAUSED$/);
  });

  it.each([
    ["lost", "it never arrived and is recorded as delivered", "attempts = 1", 0],
    ["lost", "it never arrived and is exhausted", "state = 'exhausted'", 0],
    ["lost", "it never arrived and was dropped", "state = 'dropped'", 0],
    ["lost", "it never arrived and waits outside the queue", "state = 'waiting'", 0],
    ["mistold", "it arrived and is exhausted", "state = 'exhausted'", 1],
    ["mistold", "it arrived and was dropped", "state = 'dropped'", 1],
    ["mistold", "it arrived and waits outside the queue", "state = 'waiting'", 1],
  ])("reports an event as %s if %s", async (fault, _, change, times) => {
    const { driver, written, arrived } = await sixEvents();
    await set(driver, "evt_2", change);
    const verdict = await verdictOf(driver, written, arrived({ evt_2: times }));
    const line = new RegExp(`^evt_2 arrived ${String(times)} times`);
    expect(verdict).toEqual({ ...none, [fault]: [expect.stringMatching(line)] });
  });

  it("reports an event as lost if its transaction was answered and the store has no delivery", async () => {
    const { driver, written, arrived } = await sixEvents();
    const verdict = await verdictOf(driver, [...written, "evt_99"], arrived({}));
    const line = "evt_99 arrived 0 times, and the store has no delivery of it";
    expect(verdict).toEqual({ ...none, lost: [line] });
  });

  it("counts a repetition after an unanswered claim, and reports one without as doubled", async () => {
    const { driver, written, arrived } = await sixEvents();
    await set(driver, "evt_4", "attempts = 2, last_number = 2");
    const verdict = await verdictOf(driver, written, arrived({ evt_4: 2, evt_5: 2 }));
    const line = /^evt_5 arrived 2 times, dlv_5 is delivered after 1 claims/;
    const counts = { repeated: 2, mostClaims: 2 };
    expect(verdict).toEqual({ ...none, doubled: [expect.stringMatching(line)], ...counts });
  });

  it("counts at most as many claims taken back as the store crashed", async () => {
    const { driver, written, arrived } = await sixEvents();
    const verdict = await verdictOf(driver, written, arrived({ evt_4: 2, evt_5: 3 }), 1);
    const doubled = [expect.stringMatching(/^evt_5 arrived 3 times/)];
    expect(verdict).toEqual({ ...none, doubled, takenBack: 1, repeated: 2 });
  });
});
