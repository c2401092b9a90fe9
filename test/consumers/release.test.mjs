// What users do first: every entry, a mounted receiver, a sandbox, the command, which COUNTERSIGN_COMMAND runs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createReceiver } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { toExpress } from "@countersign/receiver/express";
import { startSandbox } from "@countersign/sandbox";
import express from "express";

const require = createRequire(import.meta.url);
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

for (const name of ["receiver", "client", "schemas", "contract-kit", "sandbox"])
  test(`every entry of @countersign/${name} loads as a module, and as CommonJS if it has a build`, async () => {
    const { exports } = require(`@countersign/${name}/package.json`);
    for (const [path, target] of Object.entries(exports)) {
      // A document, or what only runs inside vitest.
      if (typeof target === "string" || path === "./vitest") continue;
      const entry = `@countersign/${name}${path.slice(1)}`;
      const loaded = await import(entry);
      assert.notEqual(Object.keys(loaded).length, 0, entry);
      if (target.require === undefined) continue;
      assert.deepEqual(
        Object.keys(require(entry)).toSorted(),
        Object.keys(loaded).toSorted(),
        entry,
      );
    }
  });

/** Mounts a receiver as a merchant does. */
async function mount() {
  const seen = [];
  const receiver = createReceiver({
    provider: reference,
    secrets: [secret],
    fallback: (event) => void seen.push(event.type),
  });
  const server = express().post("/webhooks", toExpress(receiver)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/webhooks`;
  return { url, seen, [Symbol.dispose]: () => void server.close() };
}

test("a sandbox started in a test delivers to the mounted receiver", async () => {
  using mounted = await mount();
  await using sandbox = await startSandbox({ deliverTo: { url: mounted.url, secret } });
  await sandbox.call("POST", "/v1/refunds", {
    paymentId: sandbox.payments.recent,
    amount: { currency: "USD", value: 10.5 },
    requestKey: "order-1-refund-1",
  });
  await sandbox.call("PUT", "/sandbox/clock", { advance: "P7D" });
  assert.deepEqual(mounted.seen, ["refund.pending", "refund.authorized"]);
});

/** Runs `countersign` as this project's package manager does. */
async function countersign(...args) {
  const [command, ...first] = JSON.parse(process.env.COUNTERSIGN_COMMAND ?? "[]");
  const child = spawn(command, [...first, ...args], {
    env: { ...process.env, COUNTERSIGN_SECRET: secret },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status: child.exitCode, out, err };
}

test("countersign --version prints the version of its package", async () => {
  const { version } = require("@countersign/receiver/package.json");
  const { status, out, err } = await countersign("--version");
  assert.deepEqual([status, out.trim()], [0, version], err);
});

test("countersign verify receiver passes a mounted receiver, and fails one that checks nothing", async () => {
  using mounted = await mount();
  const good = await countersign("verify", "receiver", "--url", mounted.url);
  assert.equal(good.status, 0, good.out + good.err);
  assert.match(good.out, /^PASS/m);
  const careless = express().post(
    "/webhooks",
    (_request, response) => void response.sendStatus(204),
  );
  const server = careless.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/webhooks`;
  const bad = await countersign("verify", "receiver", "--url", url, "--only", "R-VERIFY-TAMPERED");
  server.close();
  assert.equal(bad.status, 1, bad.out + bad.err);
  assert.match(bad.out, /R-VERIFY-TAMPERED/);
});
