import { createInterface } from "node:readline";
import process from "node:process";
import { profiles } from "@countersign/schemas/profiles";
import { systemClock } from "../../src/clock.ts";
import { createDeliveryEngine, type DeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import { deliveryPolicyOf } from "../../src/delivery/policy.ts";
import { signerOf } from "../../src/delivery/signer.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { systemRandom } from "../../src/random.ts";
import { startService } from "../../src/start-service.ts";
import { postgresDriver } from "../../src/store/postgres-driver.ts";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { testVault } from "../test-vault.ts";

// A service as `countersign serve` runs it, but for receivers on loopback and rate limits. Says
// `ready URL`, ends when its input ends, and says what it has done.

const [database = ""] = process.argv.slice(2);
const driver = database.startsWith("postgres:")
  ? postgresDriver({ url: database })
  : sqliteDriver(database);
const { standard: profile } = profiles;
const policy = deliveryPolicyOf(profile);
const vault = testVault();
const done = { attempts: 0, moved: 0, failures: 0 };
let engine: DeliveryEngine | undefined;
const service = await startService({
  driver,
  profile,
  vault,
  port: 0,
  allowLoopbackHttp: true,
  limitsRates: false,
  onWork: () => engine?.onWork(),
  workers: ({ useCases }) => {
    engine = createDeliveryEngine({
      driver,
      policy,
      vault,
      clock: systemClock,
      random: systemRandom,
      transport: undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }),
      sign: signerOf(profile),
      endpoints: { allowLoopback: true },
      userAgent: "Countersign/test",
      moveDueRefunds: async (due) => {
        const moves = await useCases.moveDueRefunds(due);
        done.moved += moves.moved;
        return moves;
      },
      observer: { attempted: () => (done.attempts += 1), failed: () => (done.failures += 1) },
    });
    return [engine];
  },
});
process.stdout.write(`ready ${service.url}\n`);
const end = async (): Promise<void> => {
  await service.close();
  process.stdout.write(`done ${JSON.stringify(done)}\n`);
};
createInterface({ input: process.stdin }).on("close", () => {
  void end();
});
