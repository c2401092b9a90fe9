import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { postgresBinaries, redisBinary, sharedPostgres, startRedis } from "./inboxes/servers.ts";

/** A Node that the system installed: older than the supported ones, which have the same API. */
const isOld = (node: string): boolean =>
  existsSync(node) && /^v(?:20|22)\./.test(execFileSync(node, ["--version"], { encoding: "utf8" }));
const node = ["/usr/bin/node", "/usr/local/bin/node"].find(isOld);

const program = `
  import { once } from "node:events";
  import { createServer } from "node:http";
  import { Redis } from "ioredis";
  import pg from "pg";
  import { createReceiver, memoryInbox } from "@countersign/receiver";
  import { toExpress } from "@countersign/receiver/express";
  import { toFetch } from "@countersign/receiver/fetch";
  import { reference } from "@countersign/receiver/providers";
  import { postgresInbox } from "@countersign/receiver/postgres";
  import { redisInbox } from "@countersign/receiver/redis";
  import { eventFactories, signedAttempt } from "@countersign/receiver/testing";

  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  const factories = eventFactories();
  const attempt = () => ({ method: "POST", ...signedAttempt({ provider: reference, secrets, event: factories["refund.authorized"]() }) });
  const receiverOf = (inbox) => createReceiver({ provider: reference, secrets, inbox, fallback: () => undefined });
  const [postgresUrl, redisPort] = process.argv.slice(2);
  const answers = {};

  const receiver = receiverOf(memoryInbox());
  answers.fetch = (await toFetch(receiver)(new Request("http://shop.example/webhooks", attempt()))).status;
  const express = toExpress(receiver);
  const server = createServer((request, response) => express(request, response, console.error));
  await once(server.listen(0, "127.0.0.1"), "listening");
  answers.express = (await fetch("http://127.0.0.1:" + server.address().port, attempt())).status;
  server.close();

  const twice = async (inbox) => {
    const [receiver, sent] = [receiverOf(inbox), attempt()];
    return [(await receiver.receive(sent)).kind, (await receiver.receive(sent)).kind];
  };
  if (postgresUrl !== "") {
    const pool = new pg.Pool({ connectionString: postgresUrl });
    const inbox = postgresInbox(pool, { schema: "old" });
    await inbox.migrate();
    answers.postgres = await twice(inbox);
    await pool.end();
  }
  if (redisPort !== "") {
    const client = new Redis(Number(redisPort));
    answers.redis = await twice(redisInbox(client, { prefix: "old" }));
    client.disconnect();
  }
  process.stdout.write(JSON.stringify(answers));
`;

/** The arguments of the program: a database's URL and a port, '' for a server that is not installed. */
async function startServers(): Promise<readonly [string, string]> {
  let [url, port] = ["", ""];
  if (postgresBinaries !== undefined) {
    const postgres = await sharedPostgres();
    onTestFinished(() => postgres.stop());
    url = postgres.urlOf(await postgres.create());
  }
  if (redisBinary !== undefined) {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    port = String(redis.port);
  }
  return [url, port];
}

it.skipIf(node === undefined)(
  `an event is handled through fetch and Express, and once over PostgreSQL and Redis, on Node 20 or 22 of any patch release${node === undefined ? " (skipped: not installed)" : ""}`,
  { tags: "ci" },
  async () => {
    const outfile = join(temporaryFolder(), "program.mjs");
    const resolveDir = fileURLToPath(new URL(".", import.meta.url));
    await build({
      stdin: { contents: program, resolveDir },
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "es2024",
      external: ["pg-native"],
      // The clients of the servers are CommonJS.
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
      },
    });
    const [url, port] = await startServers();
    const { stdout } = await promisify(execFile)(node ?? "", [outfile, url, port]);
    const twice = ["unrouted", "duplicate"];
    expect(JSON.parse(stdout)).toEqual({
      fetch: 204,
      express: 204,
      ...(url !== "" && { postgres: twice }),
      ...(port !== "" && { redis: twice }),
    });
  },
);
