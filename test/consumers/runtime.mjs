// Run by Node, Bun and Deno: prints the answers to a genuine attempt, a repeated and a forged one, and what became of SQLite.
import { once } from "node:events";
import { createServer } from "node:http";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { stripe } from "@countersign/receiver/providers";
import { signedAttempt } from "@countersign/receiver/testing";

const OTHERS = ["express", "fastify", "fetch", "lambda", "signatures", "postgres", "redis"];
await Promise.all(OTHERS.map((entry) => import(`@countersign/receiver/${entry}`)));

const secrets = ["whsec_only_for_this_page"];
let inbox = memoryInbox();
let sqlite = "works";
try {
  const { sqliteInbox } = await import("@countersign/receiver/sqlite");
  inbox = sqliteInbox(`inbox-${process.pid}.db`);
} catch (error) {
  sqlite = error.code;
}
const receiver = createReceiver({
  provider: stripe,
  secrets,
  inbox,
  log: false,
  fallback: () => undefined,
});
const server = createServer(toNode(receiver)).listen(0, "127.0.0.1");
await once(server, "listening");

const event = { id: "evt_1", type: "checkout.session.completed", created: 1_790_000_000 };
const { headers, body } = signedAttempt({ provider: stripe, secrets, event });
const answers = [];
for (const sent of [body, body, "{}"]) {
  const url = `http://127.0.0.1:${server.address().port}/`;
  answers.push((await fetch(url, { method: "POST", headers, body: sent })).status);
}
console.log(JSON.stringify({ answers, sqlite }));
process.exit();
