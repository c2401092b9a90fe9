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

const none = { ...NO_FAULT, repeated: 0 };
const WAITING = `state = 'waiting', next_at = 86400000, attempts = 9, last_number = 9,
  last_status = NULL, last_error = 'CS_ATTEMPT_TIMEOUT'`;

describe("the verdict of a delivery campaign", () => {
  it("reports an event in the queue as waiting, never as lost, with its row", async () => {
    const { driver, written, arrived } = await sixEvents();
    expect(written).toHaveLength(6);
    expect(await verdictOf(driver, written, arrived({}))).toEqual(none);
    await set(driver, "evt_1", WAITING);
    const line =
      "evt_1 arrived 0 times, dlv_1 is waiting after 9 attempts, last CS_ATTEMPT_TIMEOUT; " +
      "next at 1970-01-02T00:00:00.000Z, its subscription ACTIVE";
    const verdict = await verdictOf(driver, written, arrived({ evt_1: 0 }));
    expect(verdict).toEqual({ ...none, waiting: [line] });
    await driver.transaction((tx) => tx.query("UPDATE subscriptions SET status = 'PAUSED'"));
    const { waiting } = await verdictOf(driver, written, arrived({}));
    expect(waiting.join()).toMatch(/^evt_1 arrived 1 times.*subscription PAUSED$/);
  });

  it("reports an event that never arrived as lost, and one that arrived with another outcome as misreported", async () => {
    const { driver, written, arrived } = await sixEvents();
    const never = await verdictOf(driver, [...written, "evt_99"], arrived({ evt_2: 0 }));
    const row = expect.stringMatching(/^evt_2 arrived 0 times, dlv_2 is delivered/) as unknown;
    const noRow = "evt_99 arrived 0 times, and the store has no delivery of it";
    expect(never).toEqual({ ...none, lost: [row, noRow] });
    for (const state of ["exhausted", "dropped", "waiting"]) {
      await set(driver, "evt_2", `state = '${state}'`);
      const told = async (times: number) => {
        const { lost, mistold } = await verdictOf(driver, written, arrived({ evt_2: times }));
        return [state, lost.length, mistold.length];
      };
      expect([await told(0), await told(1)]).toEqual([
        [state, 1, 0],
        [state, 0, 1],
      ]);
    }
  });

  it("counts events that arrived more than once", async () => {
    const { driver, written, arrived } = await sixEvents();
    const verdict = await verdictOf(driver, written, arrived({ evt_4: 2, evt_5: 3 }));
    expect(verdict).toEqual({ ...none, repeated: 2 });
  });
});
