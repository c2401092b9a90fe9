import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { createReceiver, type UnknownEvent } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { profiles } from "@countersign/schemas/profiles";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { receiverChecks } from "../../src/receiver/receiver-checks.ts";
import { receiverTarget } from "../../src/receiver/receiver-target.ts";
import { requirements } from "../../src/requirements.ts";
import { run } from "../../src/run.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/effects.md", import.meta.url)), "utf8");
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** What the page's program gives. */
interface Shown {
  readonly effect: (event: UnknownEvent) => void;
  readonly mountEffects: (app: express.Express, framework: typeof express) => void;
}

it("the page's lines for Express show what handlers have done, and make them fail", async () => {
  const [, code = ""] = /```js\n([^]*?)```/.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "countersign-effects-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "effects.mjs"), code);
  // The page's own program, which the assertions below hold to its form.
  const shown = (await import(
    /* @vite-ignore */ pathToFileURL(join(folder, "effects.mjs")).href
  )) as Shown;
  const app = express();
  shown.mountEffects(app, express);
  app.post(
    "/webhooks",
    toExpress(createReceiver({ secrets: [secret], fallback: (event) => shown.effect(event) })),
  );
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = receiverTarget({
    url: `${origin}/webhooks`,
    effectsUrl: `${origin}/effects`,
    secrets: [secret],
    profile: profiles.standard,
  });
  const only = ["receiver/genuine", "receiver/duplicates", "receiver/failing"];
  const { findings } = await run({
    target,
    checks: receiverChecks,
    requirements: requirements("receiver"),
    only,
  });
  expect(findings.map(({ requirement, status }) => `${status} ${requirement.id}`)).toEqual([
    "pass R-ACK-GENUINE",
    "pass R-ACK-IN-TIME",
    "pass R-ROUTE-ONE",
    "pass R-ONCE-DUPLICATE",
    "pass R-ACK-AFTER-HANDLER",
    "pass R-ACK-FAILED",
    "pass R-ACK-RETRY-AFTER",
  ]);
});
