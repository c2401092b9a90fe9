import { describe, expect, it } from "vitest";
import type { Driver } from "@countersign/service";
import { sqliteStore } from "./delivery-store.ts";
import { NO_FAULT, verdictOf } from "./delivery-verdict.ts";
import { startWriting, subscribe } from "./delivery-writer.ts";

/** A store with six events that wait, and a way to change what is said of one. */
async function sixEvents() {
  const { driver } = sqliteStore();
  await subscribe(driver, "http://127.0.0.1:1/hooks");
  const written = (await startWriting(driver).end()).slice(0, 6);
  const all = new Map(written.map((event) => [event, 1]));
  return { driver, written, all };
}

const set = (driver: Driver, event: string, change: string): Promise<unknown> =>
  driver.transaction((tx) =>
    tx.query(`UPDATE deliveries SET ${change} WHERE event_id = $1`, [event]),
  );

const deliver = async (driver: Driver): Promise<void> => {
  await driver.transaction((tx) =>
    tx.query(
      "UPDATE deliveries SET state = 'delivered', next_at = NULL, attempts = 1, last_number = 1, last_status = 204",
    ),
  );
};
const none = { ...NO_FAULT, takenBack: 0, repeated: 0, mostClaims: 1 };

describe("what a campaign says of an event", () => {
  it("is nothing where it arrived and the store says so", async () => {
    const { driver, written, all } = await sixEvents();
    await deliver(driver);
    expect(written).toHaveLength(6);
    expect(await verdictOf(driver, written, all)).toEqual(none);
  });

  it("is a wait, never a loss, where the queue still has it, with all that its row tells", async () => {
    const { driver, written, all } = await sixEvents();
    await deliver(driver);
    await set(
      driver,
      "evt_1",
      `state = 'waiting', next_at = 86400000, leased_until = 3600000, attempts = 9, last_number = 9,
       last_status = NULL, last_error = 'CS_ATTEMPT_TIMEOUT'`,
    );
    const arrived = new Map([...all].filter(([event]) => event !== "evt_1"));
    const told =
      "evt_1 arrived 0 times, dlv_1 is waiting after 9 claims and 0 answers, last CS_ATTEMPT_TIMEOUT; " +
      "next at 1970-01-02T00:00:00.000Z, leased until 1970-01-01T01:00:00.000Z, its subscription ACTIVE";
    expect(await verdictOf(driver, written, arrived)).toEqual({
      ...none,
      waiting: [told],
      mostClaims: 9,
    });
    await driver.transaction((tx) => tx.query("UPDATE subscriptions SET status = 'PAUSED'"));
    const { waiting } = await verdictOf(driver, written, all);
    expect(waiting).toEqual([
      expect.stringMatching(/^evt_1 arrived 1 times.*subscription PAUSED$/),
    ]);
  });

  it.each([
    ["the store says that it is delivered", "attempts = 1"],
    ["its schedule is used up", "state = 'exhausted'"],
    ["it was dropped", "state = 'dropped'"],
    ["it waits in nobody's queue", "state = 'waiting'"],
  ])("is a loss, never a wait, where it never arrived and %s", async (_, change) => {
    const { driver, written, all } = await sixEvents();
    await deliver(driver);
    await set(driver, "evt_2", change);
    const arrived = new Map([...all].filter(([event]) => event !== "evt_2"));
    const verdict = await verdictOf(driver, written, arrived);
    expect(verdict).toEqual({ ...none, lost: [expect.stringMatching(/^evt_2 arrived 0 times/)] });
  });

  it("is a loss where its transaction was answered and the store has nothing of it", async () => {
    const { driver, written, all } = await sixEvents();
    await deliver(driver);
    const verdict = await verdictOf(driver, [...written, "evt_99"], all);
    expect(verdict).toEqual({
      ...none,
      lost: ["evt_99 arrived 0 times, and the store has no delivery of it"],
    });
  });

  it.each(["exhausted", "dropped", "waiting"])(
    "is that the store tells otherwise where it arrived and is %s",
    async (state) => {
      const { driver, written, all } = await sixEvents();
      await deliver(driver);
      await set(driver, "evt_3", `state = '${state}'`);
      const { mistold, ...rest } = await verdictOf(driver, written, all);
      expect(mistold).toEqual([expect.stringMatching(/^evt_3 arrived 1 times/)]);
      expect({ ...rest, mistold: [] }).toEqual(none);
    },
  );

  it("is a repetition after a claim without an answer, and doubled without such a claim", async () => {
    const { driver, written, all } = await sixEvents();
    await deliver(driver);
    const arrived = new Map([...all, ["evt_4", 2] as const, ["evt_5", 2] as const]);
    await set(driver, "evt_4", "attempts = 2, last_number = 2");
    const verdict = await verdictOf(driver, written, arrived);
    expect(verdict).toEqual({
      ...none,
      doubled: [expect.stringMatching(/^evt_5 arrived 2 times, dlv_5 is delivered after 1 claims/)],
      repeated: 2,
      mostClaims: 2,
    });
  });

  it("is a claim taken back where the store crashed as often as it arrived too often", async () => {
    const { driver, written, all } = await sixEvents();
    await deliver(driver);
    const arrived = new Map([...all, ["evt_4", 2] as const, ["evt_5", 3] as const]);
    expect(await verdictOf(driver, written, arrived, 1)).toEqual({
      ...none,
      doubled: [expect.stringMatching(/^evt_5 arrived 3 times/)],
      takenBack: 1,
      repeated: 2,
    });
  });
});
