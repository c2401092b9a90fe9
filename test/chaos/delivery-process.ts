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

function purposeOf(sql: string): "lease" | "completion" | undefined {
  if (sql.includes("INTO endpoint_leases")) return "lease";
  return sql.includes("UPDATE deliveries SET") ? "completion" : undefined;
}

/** A store whose leases and completions pass their points. */
function crashing(stored: Driver): Driver {
  return {
    query: (sql, params) => stored.query(sql, params),
    exclusive: (run) => stored.exclusive(run),
    enter: (whenAlone) => stored.enter(whenAlone),
    close: () => stored.close(),
    transaction: async (run, given) => {
      let purpose: ReturnType<typeof purposeOf>;
      const value = await stored.transaction(
        async (tx) =>
          run({
            query: async (sql, params) => {
              const rows = await tx.query<never>(sql, params);
              purpose ??= purposeOf(textOf(sql, "sqlite"));
              if (purpose !== undefined && rows.length > 0) passing(`inside the ${purpose}`);
              return rows;
            },
          }),
        given,
      );
      if (purpose !== undefined) passing(`after the ${purpose}`);
      return value;
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
  store: deliveryStore(crashing(driver)),
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
