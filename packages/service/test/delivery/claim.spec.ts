import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allot, claim } from "../../src/delivery/claim.ts";
import {
  CLOCK_START,
  fakeTransport,
  queueOf,
  type Queue,
  policy,
  REAL_START,
  answered,
} from "./queue.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";

const ports = (queue: Queue) => queue.ports(fakeTransport(() => answered(204)));
const plenty = { total: 100, underWay: () => 0, turn: 0 };

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

describe("the room that is shared among due subscriptions", () => {
  const CAP = 4;
  const situation = fc.record({
    underWay: fc.array(fc.nat(CAP), { maxLength: 12 }),
    total: fc.nat(30),
    turn: fc.nat(),
  });
  const share = ({
    underWay,
    total,
    turn,
  }: {
    underWay: number[];
    total: number;
    turn: number;
  }) => {
    const due = underWay.map((_, index) => ({ key: String(index) }));
    const room = { total, turn, underWay: (key: string) => underWay[Number(key)] ?? 0 };
    const shares = allot(due, room, CAP);
    return due.map((one) => shares.get(one) ?? 0);
  };

  it("never exceeds what is left, nor any subscription's cap, and leaves nothing that fits", () => {
    fc.assert(
      fc.property(situation, (given) => {
        const shares = share(given);
        const fits = given.underWay.map((count) => CAP - count);
        shares.forEach((count, index) => expect(count).toBeLessThanOrEqual(fits[index] ?? 0));
        expect(sum(shares)).toBe(Math.min(given.total, sum(fits)));
      }),
    );
  });

  it("never gives one a second delivery before every other that has room got a first", () => {
    fc.assert(
      fc.property(situation, (given) => {
        const shares = share(given);
        const starved = shares.some((count, at) => count === 0 && (given.underWay[at] ?? 0) < CAP);
        expect(starved && shares.some((count) => count > 1)).toBe(false);
      }),
    );
  });

  it("begins with another one in each turn", () => {
    const first = [0, 1, 2].map((turn) => share({ underWay: [0, 0, 0], total: 1, turn }));
    expect(first).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  });
});

onStores([sqlite, postgres], ({ open }) => {
  describe("a claim", () => {
    it("takes due deliveries with their payloads, numbers the attempt and leases them in real time", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      const id = await queue.enqueue("sub_1", { payload: '{"amount":10.50}' });
      const claims = await claim("clk_1", plenty, ports(queue), policy);
      expect(claims).toEqual([
        {
          id,
          eventId: "evt_1",
          merchantId: "mer_1",
          attempt: 1,
          payload: '{"amount":10.50}',
          clockId: "clk_1",
          leasedUntil: REAL_START + 60_000,
          subscription: {
            key: "sub_1",
            url: "https://sub_1.example/hooks",
            secret: expect.objectContaining({ keyId: "k1" }) as unknown,
          },
        },
      ]);
      expect(await queue.deliveries()).toMatchObject([
        { state: "waiting", attempts: 1, next_at: CLOCK_START, leased_until: REAL_START + 60_000 },
      ]);
    });

    it("finds nothing that is leased, until the lease has ended", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      await claim("clk_1", plenty, ports(queue), policy);
      queue.realNow += policy.leaseMs - 1;
      expect(await claim("clk_1", plenty, ports(queue), policy)).toEqual([]);
      queue.realNow += 1;
      expect(await claim("clk_1", plenty, ports(queue), policy)).toMatchObject([{ attempt: 2 }]);
    });

    it("takes what is free beside what is leased", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      await claim("clk_1", plenty, ports(queue), policy);
      const free = await queue.enqueue("sub_1");
      const claims = await claim("clk_1", plenty, ports(queue), policy);
      expect(claims.map(({ id }) => id)).toEqual([free]);
    });

    it("takes no more of a subscription than its cap leaves, those that waited longest first", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      for (const wait of [3, 1, 2, 5, 4])
        await queue.enqueue("sub_1", { nextAt: CLOCK_START - wait });
      const room = { ...plenty, underWay: () => 6 };
      const claims = await claim("clk_1", room, ports(queue), policy);
      expect(claims.map(({ id }) => id).toSorted()).toEqual(["dlv_4", "dlv_5"]);
    });

    it("takes what is due by the clock of the namespace, and nothing of another clock", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.subscribe("sub_live", { clockId: "live" });
      await queue.enqueue("sub_1", { nextAt: CLOCK_START });
      await queue.enqueue("sub_1", { nextAt: CLOCK_START + 1 });
      await queue.enqueue("sub_live", { clockId: "live", nextAt: REAL_START });
      await queue.enqueue("sub_live", { clockId: "live", nextAt: REAL_START + 1 });
      const ids = async (clockId: string) =>
        (await claim(clockId, plenty, ports(queue), policy)).map(({ id }) => id);
      expect(await ids("clk_1")).toEqual(["dlv_1"]);
      expect(await ids("live")).toEqual(["dlv_3"]);
    });

    it.each(["PAUSED", "CLOSED"])("takes nothing of a subscription that is %s", async (status) => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.subscribe("sub_2");
      await queue.enqueue("sub_1");
      const other = await queue.enqueue("sub_2");
      await queue.write("UPDATE subscriptions SET status = $1 WHERE key = 'sub_1'", [status]);
      const claims = await claim("clk_1", plenty, ports(queue), policy);
      expect(claims.map(({ id }) => id)).toEqual([other]);
    });

    it("finds every due subscription past any backlog of others", async () => {
      const queue = await queueOf(await open());
      for (const key of ["sub_a", "sub_b", "sub_c"]) await queue.subscribe(key);
      for (let count = 0; count < 30; count += 1) await queue.enqueue("sub_a");
      await queue.enqueue("sub_b", { nextAt: CLOCK_START + 1 });
      await queue.enqueue("sub_c");
      const claims = await claim("clk_1", { ...plenty, total: 20 }, ports(queue), policy);
      const keys = claims.map(({ subscription }) => subscription.key);
      expect(keys.filter((key) => key === "sub_a")).toHaveLength(8);
      expect(keys.filter((key) => key !== "sub_a")).toEqual(["sub_c"]);
    });
  });
});
