import { appendFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { flushCompileCache } from "node:module";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import {
  type ContextOf,
  createReceiver,
  type Inbox,
  type InboxQueue,
  type InboxTransaction,
  type TransactionalInbox,
} from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { toNode } from "@countersign/receiver/node";
import { postgresInbox } from "@countersign/receiver/postgres";
import { redisInbox } from "@countersign/receiver/redis";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { secret } from "../../packages/receiver/test/fixtures.ts";
import { clients } from "../../packages/receiver/test/inboxes/servers.ts";
import { type CrashPoint, crashingAt, type MerchantOptions } from "./crash-points.ts";

// A merchant's process: it books each payment in the inbox's transaction and calls somebody outside.
// It ends itself by SIGKILL at the requested point: no handler runs, no buffer is flushed.

// The campaign writes it.
const options = JSON.parse(process.argv[2] ?? "{}") as MerchantOptions;
const { store, acknowledge, order, outside, crashes, now, crash, flaw } = options;

const passing = crashingAt(crash, crashes);

/** An inbox that reports the points that its calls pass. */
function crashingInbox<InboxType extends Inbox>(inbox: InboxType): InboxType {
  const between = async <Result>(
    before: CrashPoint,
    call: () => Promise<Result>,
    after: CrashPoint,
  ): Promise<Result> => {
    passing(before);
    const result = await call();
    // A take without events has not taken anything.
    if (!Array.isArray(result) || result.length > 0) passing(after);
    return result;
  };
  const commit = <Result>(call: () => Promise<Result>): Promise<Result> =>
    between("before the commit", call, "after the commit");
  const crashingQueue = (queue: InboxQueue): InboxQueue => ({
    ...queue,
    store: (request) => between("before the store", () => queue.store(request), "after the store"),
    take: (request) => between("before the take", () => queue.take(request), "after the take"),
  });
  return {
    ...inbox,
    claim: (request) => between("before the claim", () => inbox.claim(request), "after the claim"),
    complete: (completion) => commit(() => inbox.complete(completion)),
    ...(isTransactional(inbox) && {
      begin(claim: Parameters<typeof inbox.begin>[0]): InboxTransaction<unknown> {
        const transaction = inbox.begin(claim);
        return { ...transaction, commit: (at) => commit(() => transaction.commit(at)) };
      },
    }),
    ...(inbox.queue && { queue: crashingQueue(inbox.queue) }),
  };
}

const isTransactional = (inbox: Inbox): inbox is TransactionalInbox<unknown> => "begin" in inbox;

function serve<InboxType extends Inbox>(
  stored: InboxType,
  book: (id: string, context: ContextOf<InboxType>) => unknown,
): void {
  const receiver = createReceiver({
    provider: reference,
    secrets: [secret],
    fallback: () => undefined,
    inbox: crashingInbox(stored),
    log: false,
    now: () => now,
    acknowledge,
    order,
    // An attempt that a crash ended counts: no event is to be given up here.
    ...(acknowledge === "after-store" && { workers: { maxAttempts: 100_000, pollMs: 10 } }),
  }).on("PAYMENT", async ({ id }, context) => {
    passing("handler began");
    await new Promise((resolve) => setImmediate(resolve));
    passing("in the middle of the handler");
    appendFileSync(outside, `${id}\n`);
    passing("after the call outside");
    await book(id, context);
  });
  if (acknowledge === "after-store") receiver.start();

  const answer = toNode(receiver);
  const server = createServer((request, response) => {
    passing("request arrived");
    if (flaw === "acknowledges first") response.writeHead(204).end();
    const end = response.end.bind(response);
    Object.assign(response, {
      end: (...body: Parameters<typeof end>) => {
        passing("before the answer");
        return end(...body);
      },
    });
    void answer(request, response);
  });
  server.listen(0, "127.0.0.1", () => {
    writeSync(1, `${String((server.address() as AddressInfo).port)}\n`);
    // A killed process leaves no compile cache for its successors.
    flushCompileCache();
  });
  process.stdin.resume().on("end", () => process.exit());
}

switch (store.kind) {
  case "sqlite": {
    const own = new DatabaseSync(store.path, { timeout: 5000 });
    const book = (file: DatabaseSync, id: string): void => {
      file.prepare("INSERT INTO booked (id) VALUES (?)").run(id);
    };
    serve(sqliteInbox(store.path), (id, { transaction }) => {
      if (flaw === "writes outside the transaction") {
        book(own, id);
        return;
      }
      transaction((file) => {
        book(file, id);
        passing("inside the transaction");
      });
    });
    break;
  }
  case "postgres": {
    const pool = await clients.postgres(store.port, store.database);
    const inbox = postgresInbox(pool, { schema: "shop" });
    await inbox.migrate();
    const insert = "INSERT INTO booked (id) VALUES ($1)";
    serve(inbox, async (id, { transaction }) => {
      const booked = await transaction.query(insert, [id]);
      passing("inside the transaction");
      return booked;
    });
    break;
  }
  case "redis":
    // The server keeps running when this process ends: its answers are kept.
    serve(redisInbox(await clients.redis(store.port), { prefix: "shop" }), () =>
      passing("inside the transaction"),
    );
    break;
  default:
    store satisfies never;
}
