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

const none = { ...NO_FAULT, takenBack: 0, repeated: 0 };
const WAITING = `state = 'waiting', next_at = 86400000, leased_until = 3600000, attempts = 9, last_number = 9,
  last_status = NULL, last_error = 'CS_ATTEMPT_TIMEOUT'`;

describe("the verdict of a delivery campaign", () => {
  it("reports an event in the queue as waiting, never as lost, with its row", async () => {
    const { driver, written, arrived } = await sixEvents();
    expect(written).toHaveLength(6);
    expect(await verdictOf(driver, written, arrived({}))).toEqual(none);
    await set(driver, "evt_1", WAITING);
    const line = expect.stringMatching(
      /^evt_1 arrived 0 times: .*"state":"waiting","claims":9,"nextAt":86400000,"leasedUntil":3600000/,
    ) as unknown;
    const verdict = await verdictOf(driver, written, arrived({ evt_1: 0 }));
    expect(verdict).toEqual({ ...none, waiting: [line] });
  });

  it("reports what never arrived as lost, and what arrived with another end as mistold", async () => {
    const { driver, written, arrived } = await sixEvents();
    const never = await verdictOf(driver, [...written, "evt_99"], arrived({ evt_2: 0 }));
    const row = expect.stringMatching(/^evt_2 arrived 0 times: .*"state":"delivered"/) as unknown;
    const noRow = 'evt_99 arrived 0 times: "no delivery"';
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

  it("counts repetitions after an unanswered claim or a crash of the store, and reports others as doubled", async () => {
    const { driver, written, arrived } = await sixEvents();
    await set(driver, "evt_4", "attempts = 2, last_number = 2");
    const times = arrived({ evt_4: 2, evt_5: 2 });
    const line = expect.stringMatching(/^evt_5 arrived 2 times: .*"state":"delivered"/) as unknown;
    const counts = { ...none, repeated: 2 };
    expect(await verdictOf(driver, written, times)).toEqual({ ...counts, doubled: [line] });
    expect(await verdictOf(driver, written, times, 1)).toEqual({ ...counts, takenBack: 1 });
  });
});
