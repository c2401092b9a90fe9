import { flushCompileCache } from "node:module";
import { profiles } from "@countersign/schemas/profiles";
import {
  createDeliveryEngine,
  deliveryPolicyOf,
  deliveryThread,
  postgresDriver,
  signerOf,
  sqliteDriver,
  systemClock,
  systemRandom,
  textOf,
  undiciTransport,
  type Driver,
  type Operation,
  type Transport,
} from "@countersign/service";
import { testVault } from "../../packages/service/test/test-vault.ts";
import { crashingAt } from "./crash-points.ts";
import {
  CONCURRENCY,
  DEADLINE_MS,
  LEASE_MS,
  type DelivererOptions,
  type DeliveryPoint,
} from "./delivery-points.ts";

// A process that delivers, as `countersign serve` does, but to loopback. It ends itself by SIGKILL where it is
// told to: nothing is given back, no buffer is flushed.

// The campaign writes it.
const options = JSON.parse(process.argv[2] ?? "{}") as DelivererOptions;
const { database, crashes, ahead, crash, flaw } = options;

const passing = crashingAt<DeliveryPoint>(crash, crashes);

/** What a statement of the engine is for. */
function purposeOf(sql: string): "claim" | "settlement" | undefined {
  if (sql.startsWith("WITH asked")) return "claim";
  return sql.startsWith("WITH settled") ? "settlement" : undefined;
}

/** A store whose claims and settlements pass their points. */
function crashing(stored: Driver): Driver {
  return {
    query: (sql, params) => stored.query(sql, params),
    exclusive: (run) => stored.exclusive(run),
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
    ...(stored.performAside !== undefined && {
      performAside: async <Input, Output>(
        operation: Operation<Input, Output>,
        input: Input,
      ): Promise<Output> => {
        const value = await stored.performAside?.(operation, input);
        passing(operation.name === "claim" ? "after the claim" : "after the settlement");
        // The method is there.
        return value as Output;
      },
    }),
  };
}

function crashingTransport(transport: Transport): Transport {
  return {
    post: async (request) => {
      passing("before the POST");
      if (flaw === "settles first") {
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
  leaseMs: LEASE_MS,
  concurrency: CONCURRENCY,
};
// What happens inside a transaction of the other thread is not seen here.
const isSeenInside = crash?.point.startsWith("inside") ?? false;
const driver = database.startsWith("postgres:")
  ? postgresDriver({ url: database })
  : sqliteDriver(database, isSeenInside ? {} : { thread: deliveryThread });

createDeliveryEngine({
  driver: crashing(driver),
  policy,
  clock: { now: () => systemClock.now() + ahead },
  random: systemRandom,
  transport: crashingTransport(
    undiciTransport({ deadlineMs: policy.deadlineMs, allowLoopback: true }),
  ),
  sign: signerOf(profiles.standard),
  vault: testVault(),
  endpoints: { allowLoopback: true },
  userAgent: "Countersign",
  moveDueRefunds: async () => ({ passedOver: [] }),
  pollMs: 20,
}).start();
process.stdin.resume().on("end", () => process.exit());
process.stdout.write("ready\n");
// Who is killed leaves nothing in the cache that its successors could start from.
flushCompileCache();
