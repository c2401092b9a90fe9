import { describe, expect, it } from "vitest";
import type { Attempt } from "../../src/delivery/attempt.ts";
import type { Claim } from "../../src/delivery/claim.ts";
import { decide } from "../../src/delivery/decide.ts";
import { settle } from "../../src/delivery/settle.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import {
  answered,
  claimDue,
  CLOCK_START,
  fakeTransport,
  queueOf,
  policy,
  REAL_START,
  type Queue,
} from "./queue.ts";
import { onStores, postgres, sqlite, threadedSqlite } from "../store/stores.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const timeout: Answer = { kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" };

const claimed: Claim = {
  id: "dlv_1",
  eventId: "evt_1",
  merchantId: "mer_1",
  attempt: 1,
  payload: "{}",
  clockId: "clk_1",
  subscription: {
    key: "sub_1",
    merchantId: "mer_1",
    url: "https://merchant.example/",
    host: "merchant.example",
    secret: { keyId: "k1", text: "" },
  },
  leasedUntil: REAL_START + MINUTE,
};
const made = (answer: Answer, of: Claim = claimed): Attempt => ({
  claim: of,
  startedAt: REAL_START,
  durationMs: 20,
  answer,
});
const after = (answer: Answer, number = 1, success: "2xx" | number[] = "2xx") =>
  decide(
    made(answer, { ...claimed, attempt: number }),
    { now: CLOCK_START, random: 0.5, recorded: number - 1 },
    { ...policy, success },
  );

describe("[P-EVENT-SUCCESS] what becomes of a delivery (S 6.6)", () => {
  it.each([200, 201, 202, 204, 299])("%d delivers it", (status) => {
    expect(after(answered(status))).toEqual({
      id: "dlv_1",
      attempt: 1,
      state: "delivered",
      nextAt: null,
    });
  });

  it.each([300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503, 504])(
    "%d lets it wait for the next step",
    (status) => {
      expect(after(answered(status))).toMatchObject({
        state: "waiting",
        nextAt: CLOCK_START + 5000,
      });
    },
  );

  it("no answer lets it wait for the next step", () => {
    expect(after(timeout)).toMatchObject({ state: "waiting", nextAt: CLOCK_START + 5000 });
  });

  it("410 drops it", () => {
    expect(after(answered(410))).toMatchObject({ state: "dropped", nextAt: null });
  });

  it("the tenth failure exhausts it, and so does one of a replay after that", () => {
    expect(after(answered(500), 9)).toMatchObject({ state: "waiting", nextAt: CLOCK_START + DAY });
    expect(after(answered(500), 10)).toMatchObject({ state: "exhausted", nextAt: null });
    expect(after(answered(500), 11)).toMatchObject({ state: "exhausted", nextAt: null });
  });

  it("a profile may accept exactly 200", () => {
    expect(after(answered(200), 1, [200])).toMatchObject({ state: "delivered" });
    expect(after(answered(204), 1, [200])).toMatchObject({ state: "waiting" });
  });

  it("[P-EVENT-RETRY-AFTER] Retry-After moves the next attempt up to twice the step, as seconds and as a date", () => {
    expect(after(answered(503, "7"))).toMatchObject({ nextAt: CLOCK_START + 7000 });
    expect(after(answered(503, "3600"))).toMatchObject({ nextAt: CLOCK_START + 10_000 });
    expect(after(answered(503, "0"))).toMatchObject({ nextAt: CLOCK_START + 5000 });
    // A date is real time; the answer came 20 ms after the start.
    const date = new Date(REAL_START + 8000).toUTCString();
    expect(after(answered(503, date))).toMatchObject({ nextAt: CLOCK_START + 7980 });
  });
});

async function claimOne(queue: Queue): Promise<Claim> {
  const [one] = await claimDue("clk_1", portsOf(queue), { total: 1 });
  if (one === undefined) throw new Error("nothing is due");
  return one;
}
const portsOf = (queue: Queue) => queue.ports(fakeTransport(() => answered(204)));

onStores([sqlite, threadedSqlite, postgres], ({ open }) => {
  describe("settling", () => {
    it("writes the state, gives the lease back and records the attempt", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      const one = await claimOne(queue);
      await settle([made(answered(503), one)], portsOf(queue), policy);
      expect(await queue.deliveries()).toEqual([
        { id: one.id, state: "waiting", attempts: 1, next_at: CLOCK_START + 5000, leased_until: 0 },
      ]);
      expect(await queue.driver.query("SELECT * FROM attempts")).toEqual([
        {
          delivery_id: one.id,
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

    it("changes nothing for an attempt whose lease another worker has taken over", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      const stale = await claimOne(queue);
      queue.realNow += policy.leaseMs;
      const current = await claimOne(queue);
      const before = [await queue.deliveries(), await queue.subscription("sub_1")];

      const { settled } = await settle([made(answered(204), stale)], portsOf(queue), policy);

      expect(settled).toEqual([]);
      expect([await queue.deliveries(), await queue.subscription("sub_1")]).toEqual(before);
      expect(await queue.attempts()).toEqual([]);
      await settle([made(timeout, current)], portsOf(queue), policy);
      expect(await queue.deliveries()).toMatchObject([{ state: "waiting", attempts: 2 }]);
      expect(await queue.attempts()).toEqual([
        { delivery_id: current.id, number: 2, status: null, error: "CS_ATTEMPT_TIMEOUT" },
      ]);
    });

    it("tells a lost attempt from the current one, also in one group", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      const stale = await claimOne(queue);
      queue.realNow += policy.leaseMs;
      const current = await claimOne(queue);
      const group = [made(answered(204), stale), made(answered(500), current)];
      const { settled } = await settle(group, portsOf(queue), policy);
      expect(settled.map(({ attempt }) => attempt.claim.attempt)).toEqual([2]);
      expect(await queue.attempts()).toMatchObject([{ number: 2, status: 500 }]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ consecutive_failures: 1 }]);
    });

    it("leaves a delivery dropped that was dropped meanwhile, but not one that was delivered", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      for (const answer of [answered(500), answered(204)]) {
        await queue.enqueue("sub_1");
        const one = await claimOne(queue);
        await queue.write("UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE id = $1", [
          one.id,
        ]);
        await settle([made(answer, one)], portsOf(queue), policy);
      }
      expect(await queue.deliveries()).toMatchObject([
        { state: "dropped", next_at: null },
        { state: "delivered", next_at: null },
      ]);
      expect(await queue.attempts()).toHaveLength(2);
    });

    it("[P-EVENT-GONE] B13 closes the subscription on 410 and drops all that waits for it", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.subscribe("sub_2");
      await queue.enqueue("sub_1");
      const one = await claimOne(queue);
      await queue.enqueue("sub_1");
      await queue.enqueue("sub_2");
      await settle([made(answered(410), one)], portsOf(queue), policy);
      const states = (await queue.deliveries()).map(({ id, state, next_at }) => [
        id,
        state,
        next_at,
      ]);
      expect(states).toEqual([
        ["dlv_1", "dropped", null],
        ["dlv_2", "dropped", null],
        ["dlv_3", "waiting", CLOCK_START],
      ]);
      expect(await queue.subscription("sub_1")).toMatchObject([{ status: "CLOSED" }]);
      expect(await queue.subscription("sub_2")).toMatchObject([{ status: "ACTIVE" }]);
    });

    it("[P-EVENT-PAUSE] B13 pauses a subscription after so many failures in a row and so long, not after either", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      const strict = { ...policy, pause: { failures: 3, afterMs: DAY } };
      const failAt = async (at: number): Promise<string[]> => {
        await queue.write("UPDATE clocks SET instant = $1 WHERE id = 'clk_1'", [at]);
        await queue.enqueue("sub_1", { nextAt: at });
        const one = await claimOne(queue);
        await queue.write("UPDATE deliveries SET state = 'dropped', next_at = NULL WHERE id = $1", [
          one.id,
        ]);
        return (await settle([made(timeout, one)], portsOf(queue), strict)).paused;
      };
      expect(await failAt(CLOCK_START)).toEqual([]);
      expect(await failAt(CLOCK_START + DAY)).toEqual([]);
      expect(await failAt(CLOCK_START + DAY + 1)).toEqual(["sub_1"]);
      await queue.write(
        `UPDATE subscriptions SET status = 'ACTIVE', consecutive_failures = 0, failing_since = NULL
       WHERE key = $1`,
        ["sub_1"],
      );
      const again = CLOCK_START + 2 * DAY;
      expect(await failAt(again)).toEqual([]);
      expect(await failAt(again + 1)).toEqual([]);
      expect(await failAt(again + DAY - 1)).toEqual([]);
      expect(await failAt(again + DAY)).toEqual(["sub_1"]);
      expect(await queue.subscription("sub_1")).toMatchObject([
        { status: "PAUSED", consecutive_failures: 4, failing_since: CLOCK_START + 2 * DAY },
      ]);
    });

    it("counts failures in the order in which a group's attempts ended", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      for (let count = 0; count < 4; count += 1) await queue.enqueue("sub_1");
      const claims = await claimDue("clk_1", portsOf(queue), { total: 4 });
      const answers = [answered(500), answered(204), answered(500), timeout];
      await settle(
        claims.map((one, index) => made(answers[index] ?? timeout, one)),
        portsOf(queue),
        policy,
      );
      expect(await queue.subscription("sub_1")).toMatchObject([
        { consecutive_failures: 2, failing_since: CLOCK_START, last_success_at: CLOCK_START },
      ]);
    });
  });
});
