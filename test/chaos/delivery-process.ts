import { flushCompileCache } from "node:module";
import { profiles } from "@countersign/schemas/profiles";
import {
  DeliveryEngine,
  deliveryPolicyOf,
  deliveryStore,
  DueClock,
  postgresDriver,
  signerOf,
  sqliteDriver,
  systemClock,
  systemRandom,
  textOf,
  undiciTransport,
  type Driver,
  type Transport,
} from "@countersign/service";
import { hookedDriver, type DriverHooks } from "../../packages/service/test/hooked-driver.ts";
import { testVault } from "../../packages/service/test/test-vault.ts";
import { crashingAt, type DelivererOptions, type DeliveryPoint } from "./crash-points.ts";

// A process that delivers, as `countersign serve` does, but to loopback. It ends itself by SIGKILL if it is
// asked to: no claim is released, no buffer is flushed.

// The campaign writes it.
const options = JSON.parse(process.argv[2] ?? "{}") as DelivererOptions;
const { name, database, crashes, leaseMs, ahead, crash, flaw } = options;

/** Milliseconds that one attempt may take. */
const DEADLINE_MS = 1000;
/** Concurrent attempts; more are then ready to begin. */
const CONCURRENCY = 8;

const passing = crashingAt<DeliveryPoint>(crash, crashes);

/** A store whose claims and completions pass their points. */
function crashingStore(stored: Driver): ReturnType<typeof deliveryStore> {
  const rows: DriverHooks["rows"] = (sql, found) => {
    const text = found.length > 0 ? textOf(sql, "sqlite") : "";
    if (text.includes("FOR UPDATE SKIP LOCKED")) passing("inside the claim");
    else if (text.includes("attempts = done.number")) passing("inside the completion");
    return found;
  };
  const store = deliveryStore(hookedDriver(stored, { rows }));
  return {
    ...store,
    claim: async (requests, times) => {
      const claims = await store.claim(requests, times);
      if (claims.some((one) => (one?.deliveries.length ?? 0) > 0)) passing("after the claim");
      return claims;
    },
    record: async (completions, pause) => {
      const group = await store.record(completions, pause);
      passing("after the completion");
      return group;
    },
  };
}

function crashingTransport(transport: Transport): Transport {
  return {
    post: async (request) => {
      passing("before the POST");
      if (flaw === "completes first") {
        setTimeout(() => void transport.post(request), DEADLINE_MS / 2);
        return { kind: "answered", status: 204, retryAfter: undefined, excerpt: "" };
      }
      const answer = transport.post(request);
      // Written by now, and not answered yet.
      setImmediate(() => passing("within the POST"));
      await answer;
      passing("after the answer");
      return answer;
    },
    close: () => transport.close(),
  };
}

const policy = {
  ...deliveryPolicyOf(profiles.standard),
  deadlineMs: DEADLINE_MS,
  leaseMs,
  concurrency: CONCURRENCY,
};
const driver = database.startsWith("postgres:")
  ? postgresDriver({ url: database })
  : sqliteDriver(database);
const clock = { ...systemClock, now: () => systemClock.now() + ahead };

const engine = new DeliveryEngine({
  store: crashingStore(driver),
  policy,
  clock,
  dueClock: new DueClock(clock),
  random: systemRandom,
  transport: crashingTransport(
    undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }),
  ),
  sign: signerOf(profiles.standard),
  vault: testVault(),
  endpoints: { allowLoopback: true },
  userAgent: name,
});
engine.start();
process.stdin.resume().on("end", () => process.exit());
process.stdout.write("ready\n");
// A killed process leaves no compile cache for its successors.
flushCompileCache();
