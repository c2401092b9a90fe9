import { appendFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { createReceiver } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { type SqliteInbox, sqliteInbox } from "@countersign/receiver/sqlite";
import { secret } from "../../packages/receiver/test/fixtures.ts";
import type { CrashPoint, MerchantOptions } from "./crash-points.ts";

// A merchant's process: it books each payment in the inbox's transaction and calls somebody outside.
// It ends itself by SIGKILL where it is told to: no handler runs, no buffer is flushed.

// The campaign writes it.
const options = JSON.parse(process.argv[2] ?? "{}") as MerchantOptions;
const { database, outside, crashes, now, crash, flaw } = options;

let passes = 0;
function passing(point: CrashPoint): void {
  if (crash?.point !== point) return;
  passes += 1;
  if (passes !== crash.pass) return;
  appendFileSync(crashes, `${point}\n`);
  process.kill(process.pid, "SIGKILL");
}

const own = new DatabaseSync(database, { timeout: 5000 });
// No key: a payment that is booked twice must be seen twice.
own.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS booked (id TEXT NOT NULL)");

const book = (file: DatabaseSync, id: string): void => {
  file.prepare("INSERT INTO booked (id) VALUES (?)").run(id);
};

const stored = sqliteInbox(database);
const inbox: SqliteInbox = {
  ...stored,
  async claim(request) {
    passing("before the claim");
    const claim = await stored.claim(request);
    passing("after the claim");
    return claim;
  },
  begin(claim) {
    const transaction = stored.begin(claim);
    return {
      ...transaction,
      async commit(at) {
        passing("before the commit");
        const commit = await transaction.commit(at);
        passing("after the commit");
        return commit;
      },
    };
  },
};

const receiver = createReceiver({
  secrets: [secret],
  fallback: () => undefined,
  inbox,
  now: () => now,
}).on("PAYMENT", async ({ id }, { transaction }) => {
  passing("handler began");
  await new Promise((resolve) => setImmediate(resolve));
  passing("in the middle of the handler");
  appendFileSync(outside, `${id}\n`);
  passing("after the call outside");
  if (flaw === "writes outside the transaction") {
    book(own, id);
    return;
  }
  transaction((file) => {
    book(file, id);
    passing("inside the transaction");
  });
});

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
});
