import { describe, expect, it } from "vitest";
import type { Claim } from "../../src/delivery/claim.ts";
import { decide } from "../../src/delivery/decide.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { answered, CLOCK_START, policy, queueOf, REAL_START, timeout } from "./queue.ts";

const DAY = 86_400_000;
/** What becomes of a delivery whose attempt of this number is answered so. */
const after = (answer: Answer, number = 1, success: "2xx" | number[] = "2xx") => {
  // Nothing else of a claim decides.
  const claim = { id: "dlv_1", attempt: number } as Claim;
  const { state, nextAt } = decide(
    { claim, startedAt: REAL_START, durationMs: 20, answer },
    { now: CLOCK_START, random: 0.5, recorded: number - 1 },
    { ...policy, success },
  );
  return [state, nextAt === null ? null : nextAt - CLOCK_START];
};

describe("[P-EVENT-SUCCESS] the outcome of an attempt (S 6.6)", () => {
  it("is delivered for every 2xx, or for exactly 200 when the profile says so", () => {
    for (const status of [200, 201, 204, 299])
      expect(after(answered(status))).toEqual(["delivered", null]);
    expect(after(answered(200), 1, [200])).toEqual(["delivered", null]);
    expect(after(answered(204), 1, [200])).toEqual(["waiting", 5000]);
  });

  it("is a retry at the next step for redirects, errors and no answer", () => {
    for (const status of [300, 301, 302, 307, 400, 404, 409, 429, 500, 503])
      expect(after(answered(status))).toEqual(["waiting", 5000]);
    expect(after(timeout)).toEqual(["waiting", 5000]);
  });

  it("is dropped for 410, and exhausted after the tenth failure and each later one", () => {
    expect(after(answered(410))).toEqual(["dropped", null]);
    expect(after(answered(500), 9)).toEqual(["waiting", DAY]);
    expect(after(answered(500), 10)).toEqual(["exhausted", null]);
    expect(after(answered(500), 11)).toEqual(["exhausted", null]);
  });

  it("[P-EVENT-RETRY-AFTER] moves the retry to Retry-After, up to twice the step, given in seconds or as a date", () => {
    expect(after(answered(503, "7"))).toEqual(["waiting", 7000]);
    expect(after(answered(503, "3600"))).toEqual(["waiting", 10_000]);
    expect(after(answered(503, "0"))).toEqual(["waiting", 5000]);
    // A date is real time; the answer came 20 ms after the start.
    const date = new Date(REAL_START + 8000).toUTCString();
    expect(after(answered(503, date))).toEqual(["waiting", 7980]);
  });
});

onStores([sqlite, postgres], ({ open }) => {
  describe("a recorded attempt", () => {
    it("stores the delivery's state, ends the lease and counts the subscription's failure", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const id = await queue.enqueue("sub_1");
      await queue.settle([[await queue.claimOne(), 503]]);
      expect(await queue.deliveries()).toEqual([
        { id, state: "waiting", attempts: 1, next_at: CLOCK_START + 5000, leased_until: 0 },
      ]);
      expect(await queue.driver.query("SELECT * FROM attempts")).toEqual([
        {
          delivery_id: id,
          number: 1,
          started_at: REAL_START,
          duration_ms: 20,
          status: 503,
          error: null,
          answer: "",
        },
      ]);
      expect(await queue.subscription("sub_1")).toEqual([
        {
          status: "ACTIVE",
          consecutive_failures: 1,
          failing_since: CLOCK_START,
          last_success_at: null,
        },
      ]);
    });

    it("leaves a delivery dropped that was dropped during the attempt, unless the attempt succeeded", async () => {
      const queue = await queueOf(await open(), "sub_1");
      for (const status of [500, 204]) {
        await queue.enqueue("sub_1");
        const one = await queue.claimOne();
        await queue.write("UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE id = $1", [
          one.id,
        ]);
        await queue.settle([[one, status]]);
      }
      expect(await queue.deliveries()).toMatchObject([
        { state: "dropped", next_at: null },
        { state: "delivered", next_at: null },
      ]);
      expect(await queue.attempts()).toHaveLength(2);
    });

    it("counts failures in the order in which the attempts of one group ended", async () => {
      const queue = await queueOf(await open(), "sub_1");
      await queue.publish(4, ["sub_1"]);
      const answers = [500, 204, 500, timeout];
      const claims = await queue.claim(4);
      await queue.settle(claims.map((one, at) => [one, answers[at] ?? 500]));
      expect(await queue.subscription("sub_1")).toMatchObject([
        { consecutive_failures: 2, failing_since: CLOCK_START, last_success_at: CLOCK_START },
      ]);
    });

    it("[P-EVENT-GONE] B13 closes the subscription on 410 and drops all that waits for it", async () => {
      const queue = await queueOf(await open(), "sub_1", "sub_2");
      await queue.enqueue("sub_1");
      const one = await queue.claimOne();
      await queue.enqueue("sub_1");
      await queue.enqueue("sub_2");
      await queue.settle([[one, 410]]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "dropped", next_at: null },
        { state: "dropped", next_at: null },
        { state: "waiting", next_at: CLOCK_START },
      ]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ status: "CLOSED" }]);
      expect(await queue.subscription("sub_2")).toMatchObject([{ status: "ACTIVE" }]);
    });

    it("[P-EVENT-PAUSE] B13 pauses a subscription after enough failures in a row and enough time, not after either", async () => {
      const queue = await queueOf(await open(), "sub_1");
      const failAt = async (at: number): Promise<string[]> => {
        await queue.setInstant(at);
        await queue.enqueue("sub_1", { nextAt: at });
        const one = await queue.claimOne();
        await queue.write("UPDATE deliveries SET state = 'dropped', next_at = NULL");
        const pause = { failures: 3, afterMs: DAY };
        return (await queue.settle([[one, timeout]], { pause })).paused;
      };
      expect(await failAt(CLOCK_START)).toEqual([]);
      expect(await failAt(CLOCK_START + DAY)).toEqual([]);
      expect(await failAt(CLOCK_START + DAY + 1)).toEqual(["sub_1"]);
      await queue.write(
        "UPDATE subscriptions SET status = 'ACTIVE', consecutive_failures = 0, failing_since = NULL",
      );
      const again = CLOCK_START + 2 * DAY;
      for (const at of [0, 1, DAY - 1]) expect(await failAt(again + at)).toEqual([]);
      expect(await failAt(again + DAY)).toEqual(["sub_1"]);
      expect(await queue.subscription("sub_1")).toMatchObject([
        { status: "PAUSED", consecutive_failures: 4, failing_since: again },
      ]);
    });
  });
});
