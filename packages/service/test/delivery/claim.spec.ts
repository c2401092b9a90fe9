import { describe, expect, it } from "vitest";
import {
  claimDue,
  CLOCK_START,
  fakeTransport,
  queueOf,
  type Queue,
  policy,
  REAL_START,
  answered,
} from "./queue.ts";
import { onStores, postgres, sqlite, threadedSqlite } from "../store/stores.ts";

const ports = (queue: Queue) => queue.ports(fakeTransport(() => answered(204)));
onStores([sqlite, threadedSqlite, postgres], ({ open }) => {
  describe("a claim", () => {
    it("takes due deliveries with their payloads, numbers the attempt and leases them in real time", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      const id = await queue.enqueue("sub_1", { payload: '{"amount":10.50}' });
      const claims = await claimDue("clk_1", ports(queue));
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
            merchantId: "mer_1",
            url: "https://sub_1.example/hooks",
            host: "sub_1.example",
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
      await claimDue("clk_1", ports(queue));
      queue.realNow += policy.leaseMs - 1;
      expect(await claimDue("clk_1", ports(queue))).toEqual([]);
      queue.realNow += 1;
      expect(await claimDue("clk_1", ports(queue))).toMatchObject([{ attempt: 2 }]);
    });

    it("takes what is free beside what is leased", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.enqueue("sub_1");
      await claimDue("clk_1", ports(queue));
      const free = await queue.enqueue("sub_1");
      const claims = await claimDue("clk_1", ports(queue));
      expect(claims.map(({ id }) => id)).toEqual([free]);
    });

    it("takes no more of a subscription than its cap leaves, those that waited longest first", async () => {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      for (const wait of [3, 1, 2, 5, 4])
        await queue.enqueue("sub_1", { nextAt: CLOCK_START - wait });
      const claims = await claimDue("clk_1", ports(queue), { fits: () => 2 });
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
        (await claimDue(clockId, ports(queue))).map(({ id }) => id);
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
      const claims = await claimDue("clk_1", ports(queue));
      expect(claims.map(({ id }) => id)).toEqual([other]);
    });

    it("finds every due subscription past any backlog of others", async () => {
      const queue = await queueOf(await open());
      for (const key of ["sub_a", "sub_b", "sub_c"]) await queue.subscribe(key);
      for (let count = 0; count < 30; count += 1) await queue.enqueue("sub_a");
      await queue.enqueue("sub_b", { nextAt: CLOCK_START + 1 });
      await queue.enqueue("sub_c");
      const claims = await claimDue("clk_1", ports(queue), { total: 20, fits: () => 8 });
      const keys = claims.map(({ subscription }) => subscription.key);
      expect(keys.filter((key) => key === "sub_a")).toHaveLength(8);
      expect(keys.filter((key) => key !== "sub_a")).toEqual(["sub_c"]);
    });
  });
});
