import { setTimeout } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import pg from "pg";
import { Agent, request } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { DeliveryEngine } from "../../src/delivery/engine.ts";
import { deliveryPolicyOf } from "../../src/delivery/policy.ts";
import { signerOf } from "../../src/delivery/attempt.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { DueRefunds } from "../../src/due-refunds.ts";
import { systemRandom } from "../../src/random.ts";
import { startService } from "../../src/start-service.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { startReceiver } from "../delivery/listening.ts";
import { onStores, postgres } from "../store/stores.ts";
import { testVault } from "../test-vault.ts";
import { shareDatabase } from "./shared-database.ts";
import { expectToldOnce } from "./told-once.ts";

/** A service on PostgreSQL as `countersign serve` runs it, but with loopback receivers and no rate limits. */
async function startServing(url: string): Promise<string> {
  const { standard: profile } = profiles;
  const [policy, vault] = [deliveryPolicyOf(profile), testVault()];
  const driver = postgresDriver({ url });
  let engine: DeliveryEngine | undefined;
  const service = await startService({
    driver,
    profile,
    vault,
    port: 0,
    endpoints: { allowLoopback: true },
    limitsRates: false,
    onWork: (work) => engine?.onWork(work),
    workers: ({ dueClock, useCases: { moveDueRefunds } }) => [
      new DueRefunds({ driver, clock: systemClock, moveDueRefunds }),
      (engine = new DeliveryEngine({
        id: "process",
        store: deliveryStore(driver),
        dueClock,
        policy,
        vault,
        clock: systemClock,
        random: systemRandom,
        transport: undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }),
        sign: signerOf(profile),
        endpoints: { allowLoopback: true },
        userAgent: "Countersign/test",
      })),
    ],
  });
  onTestFinished(() => service.close());
  return service.url;
}

/** Ends a service's connections to PostgreSQL for so long, while refunds are requested and events delivered. */
export function endedConnections(seconds: number): void {
  onStores([postgres], ({ create, open }) => {
    it(`B22: a service whose connections end every 200 ms for ${seconds} s goes on, loses nothing and does nothing twice`, async () => {
      const address = await create();
      const driver = await open(address);
      const { arrived, url: receiver } = await startReceiver(204);
      const { token, paymentId } = await shareDatabase(driver, receiver);
      const count = async (sql: string): Promise<number> => {
        const text = `SELECT CAST(count(*) AS bigint) AS n FROM deliveries ${sql}`;
        return (await driver.query<{ n: number }>(text))[0]?.n ?? -1;
      };
      const url = await startServing(address);
      const dispatcher = new Agent();
      const admin = new pg.Client({ connectionString: address, application_name: "admin" });
      await admin.connect();
      onTestFinished(() => Promise.all([dispatcher.destroy(), admin.end()]).then(() => {}));
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const statusOf = async (requestKey: string): Promise<number> => {
        const amount = { currency: "USD", value: 0.01 };
        const body = JSON.stringify({ paymentId, amount, requestKey });
        const options = { method: "POST", dispatcher, headers, body } as const;
        const answer = await request(`${url}/v1/refunds`, options);
        await answer.body.dump();
        return answer.statusCode;
      };
      const end = Date.now() + seconds * 1000;
      let [calls, terminated] = [0, 0];
      const answered = new Set<string>();
      const callers = Array.from({ length: 16 }, async () => {
        while (Date.now() < end) {
          const key = `call-${calls++}`;
          let status = await statusOf(key);
          while (status === 503) status = await statusOf(key);
          // 409: an earlier call of the key had an unknown outcome, and was done.
          expect([201, 409]).toContain(status);
          answered.add(key);
        }
      });
      const ending = async (): Promise<void> => {
        while (Date.now() < end) {
          await setTimeout(200);
          // This test's driver has connections of the same name.
          const { rowCount } = await admin.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE application_name = 'countersign' AND datname = current_database()`,
          );
          terminated += rowCount ?? 0;
        }
      };
      await Promise.all([...callers, ending()]);
      const waiting = () => count("WHERE state <> 'delivered'");
      await expect.poll(waiting, { timeout: 30_000, interval: 100 }).toBe(0);
      expect(await expectToldOnce(driver, paymentId)).toEqual(answered);
      const ids = arrived.map(({ headers: sent }) => sent["webhook-id"]);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(await count(""));
      expect(answered.size).toBeGreaterThan(0);
      expect(terminated).toBeGreaterThan(seconds);
    });
  });
}
