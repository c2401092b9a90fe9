import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** A Node that the system installed: older than the supported ones, which have the same API. */
const isOld = (node: string): boolean =>
  existsSync(node) && /^v(?:20|22)\./.test(execFileSync(node, ["--version"], { encoding: "utf8" }));
const node = ["/usr/bin/node", "/usr/local/bin/node"].find(isOld);

const program = `
  import { once } from "node:events";
  import { createServer } from "node:http";
  import { createReceiver, memoryInbox } from "@countersign/receiver";
  import { toExpress } from "@countersign/receiver/express";
  import { toFetch } from "@countersign/receiver/fetch";
  import { postgresInbox } from "@countersign/receiver/postgres";
  import { redisInbox } from "@countersign/receiver/redis";
  import { eventFactories, signedAttempt } from "@countersign/receiver/testing";

  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  const receiver = createReceiver({ secrets, inbox: memoryInbox(), fallback: () => undefined });
  const factories = eventFactories();
  const attempt = () => ({ method: "POST", ...signedAttempt({ secrets, event: factories["refund.authorized"]() }) });
  const fetched = await toFetch(receiver)(new Request("http://shop.example/webhooks", attempt()));

  const express = toExpress(receiver);
  const server = createServer((request, response) => express(request, response, console.error));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const served = await fetch("http://127.0.0.1:" + server.address().port, attempt());
  server.close();
  process.stdout.write([fetched.status, served.status, typeof postgresInbox, typeof redisInbox].join());
`;

it.skipIf(node === undefined)(
  `an event is handled through fetch and Express on Node 20 or 22 of any patch release${node === undefined ? " (skipped: not installed)" : ""}`,
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
    });
    const output = execFileSync(node ?? "", [outfile], { encoding: "utf8" });
    expect(output).toBe("204,204,function,function");
  },
);
