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
} from "@countersign/service/internal";
import { hookedDriver, type DriverHooks } from "../../packages/service/test/hooked-driver.ts";
import { testVault } from "../../packages/service/test/test-vault.ts";
import { crashingAt, type DelivererOptions, type DeliveryPoint } from "./crash-points.ts";

// A process that delivers, as `countersign serve` does, but to loopback. It ends itself by SIGKILL if it is
// asked to: no lease is returned, no buffer is flushed.

// The campaign writes it.
const options = JSON.parse(process.argv[2] ?? "{}") as DelivererOptions;
const { name, database, crashes, leaseMs, ahead, crash, flaw } = options;

const HINT_MS = 250;
/** Milliseconds that one attempt may take. */
const DEADLINE_MS = 1000;
/** Concurrent attempts; more are then ready to begin. */
const CONCURRENCY = 8;

const passing = crashingAt<DeliveryPoint>(crash, crashes);

/** A store whose leases and completions pass their points. */
function crashingStore(stored: Driver): ReturnType<typeof deliveryStore> {
  const rows: DriverHooks["rows"] = (sql, found) => {
    const text = found.length > 0 ? textOf(sql, "sqlite") : "";
    if (text.includes("INTO endpoint_leases")) passing("inside the lease");
    if (text.includes("UPDATE deliveries SET")) passing("inside the completion");
    return found;
  };
  const store = deliveryStore(hookedDriver(stored, { rows }));
  return {
    ...store,
    take: async (id, wanted) => {
      const taken = await store.take(id, wanted);
      if (taken.length > 0 && wanted !== "own") passing("after the lease");
      return taken;
    },
    complete: async (completions, pause) => {
      const group = await store.complete(completions, pause);
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
  id: name,
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
// The campaign's writer sends no hints: reads without one are seconds apart.
setInterval(() => engine.onWork("anything"), HINT_MS);
process.stdin.resume().on("end", () => process.exit());
process.stdout.write("ready\n");
// A killed process leaves no compile cache for its successors.
flushCompileCache();
