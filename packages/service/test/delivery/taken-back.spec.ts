import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestPostgres,
} from "../../../receiver/test/inboxes/postgres-server.ts";
import type { Claim } from "../../src/delivery/claim.ts";
import { settle } from "../../src/delivery/settle.ts";
import { releaseDeliveries } from "../../src/store/operations/deliveries/release-deliveries.ts";
import { postgresDriver } from "../../src/store/postgres-driver.ts";
import { onStores, postgres, sqlite } from "../store/stores.ts";
import { attemptOf, claimOne, portsOf } from "./by-hand.ts";
import { answered, claimDue, policy, queueOf, type Queue } from "./queue.ts";

const claimAll = (queue: Queue): Promise<Claim[]> => claimDue("clk_1", portsOf(queue));

/** @returns Whether the attempt's settlement was taken. */
async function settleOne(queue: Queue, claim: Claim, status: number): Promise<boolean> {
  const attempt = attemptOf(claim, answered(status));
  const { settled } = await settle([attempt], portsOf(queue), policy);
  return settled.length === 1;
}

const recordsOf = (queue: Queue): Promise<unknown[]> =>
  queue.driver.query("SELECT number, status FROM attempts ORDER BY number");

onStores([sqlite, postgres], ({ open }) => {
  describe("two workers with one number, since a crash has taken the first one's claim back", () => {
    async function twoClaims() {
      const queue = await queueOf(await open());
      await queue.subscribe("sub_1");
      await queue.publish(1, ["sub_1"]);
      const first = await claimOne(queue);
      await queue.write("UPDATE deliveries SET attempts = 0, leased_until = 0", []);
      const second = await claimOne(queue);
      expect([first.attempt, second.attempt]).toEqual([1, 1]);
      return { queue, first, second };
    }

    it("whoever settles first decides, and the other one changes nothing", async () => {
      const { queue, first, second } = await twoClaims();
      expect(await settleOne(queue, second, 204)).toBe(true);
      expect(await settleOne(queue, first, 500)).toBe(false);
      expect(await queue.deliveries()).toMatchObject([{ state: "delivered", next_at: null }]);
      expect(await recordsOf(queue)).toEqual([{ number: 1, status: 204 }]);
    });

    it("what one gives back after the other has settled it goes on with a new number", async () => {
      const { queue, first, second } = await twoClaims();
      expect(await settleOne(queue, second, 500)).toBe(true);
      const given = [{ id: first.id, attempt: 1, begun: false }];
      await queue.driver.transaction((tx) => releaseDeliveries(tx, given));
      await queue.write("UPDATE deliveries SET next_at = created_at", []);
      const next = await claimOne(queue);
      expect(next.attempt).toBe(2);
      expect(await settleOne(queue, next, 204)).toBe(true);
      expect(await recordsOf(queue)).toEqual([
        { number: 1, status: 500 },
        { number: 2, status: 204 },
      ]);
    });
  });
});

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(`a crash of PostgreSQL's server${reason}`, () => {
  let server: TestPostgres;
  beforeAll(async () => {
    // Nothing but a settlement flushes a claim before the crash.
    server = await startPostgres({ settings: ["wal_writer_delay=10000"] });
  }, 60_000);
  afterAll(() => server.stop());

  it("may take a claim back, and no settlement, nor the claim before one", async () => {
    const url = `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`;
    const driver = postgresDriver({ url });
    onTestFinished(() => driver.close());
    const queue = await queueOf(driver);
    await queue.subscribe("sub_1");
    await queue.publish(1, ["sub_1"]);
    const first = await claimOne(queue);
    await server.crash();
    const second = await claimOne(queue);
    expect([first.attempt, second.attempt]).toEqual([1, 1]);
    expect(await settleOne(queue, second, 500)).toBe(true);
    await server.crash();
    expect(await claimAll(queue)).toEqual([]);
    expect(await recordsOf(queue)).toEqual([{ number: 1, status: 500 }]);
  }, 60_000);
});
