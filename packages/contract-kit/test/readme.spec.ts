import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createReceiver, memoryInbox, type UnknownEvent } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { toExpress } from "@countersign/receiver/express";
import express from "express";
import { describe, expect, it } from "vitest";
import { receiverChecks } from "../src/checks.ts";
import { entryOfFinding } from "../src/report/index.ts";
import { terminalEntry } from "../src/report/terminal.ts";
import { requirements } from "../src/check.ts";
import { run } from "../src/run.ts";
import { shownBytes } from "../src/exchange-text.ts";
import { TOKEN } from "../../service/test/sandbox/open-sandbox.ts";
import { openTarget } from "./provider/open-target.ts";
import { openReceiver, secrets } from "./receiver/open-receiver.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const home = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(join(home, path), "utf8");
const guide = read("../../docs/guides/verify-a-provider.md");
/** Returns the program of the guide that uses a name. */
function programWith(name: string): string {
  const programs = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? "");
  return programs.find((code) => code.includes(name)) ?? "";
}

/** Runs a program of the guide in its own process, which must end with 0, next to the package. */
async function ran(
  code: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<string> {
  const node = ["--disable-warning=ExperimentalWarning"];
  // A file has its name among the arguments; an evaluated program has none.
  const all = [...node, "--input-type=module", "--eval", code, "--", "verify.mjs", ...args];
  const { NODE_COMPILE_CACHE } = process.env;
  const options = { cwd: home, env: { NODE_COMPILE_CACHE, ...env } };
  return (await promisify(execFile)(process.execPath, all, options)).stdout;
}

it("the README has a program that verifies a receiver", async () => {
  const receiver = await openReceiver();
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(read("README.md")) ?? [];
  // One check instead of all: they take seconds.
  const one = code.replace(
    "checks: receiverChecks,",
    'checks: receiverChecks, only: ["receiver/genuine"],',
  );
  const [WEBHOOK_SECRET = ""] = secrets["standard"] ?? [];
  const out = await ran(one, [], { RECEIVER_URL: receiver.url, WEBHOOK_SECRET });
  expect(out).toMatch(/^pass R-ACK-GENUINE/m);
});

describe("the guide to verifying a provider", () => {
  it("has a program that verifies a service by the given checks", { tags: "ci" }, async () => {
    const { url } = await openTarget();
    const args = ["provider/common-headers"];
    const out = await ran(programWith("kit.run"), args, { PROVIDER_URL: url, TOKEN });
    expect(out).toMatch(/^pass P-AUTH-BEARER/);
  });

  it("has a program that prints an invalid value for each keyword", async () => {
    const out = await ran(programWith("negatives"));
    expect(out).toContain("/value minimum { currency: 'USD', value: 0 }");
  });
});

it("the guide to findings shows one as the terminal prints it", () => {
  const requirement = requirements("receiver").find(({ id }) => id === "R-VERIFY-TAMPERED");
  if (requirement === undefined) throw new Error("unknown requirement");
  const sent = `POST /webhooks HTTP/1.1\r\nHost: 127.0.0.1:3000\r\nwebhook-id: cstest_1\r\nwebhook-timestamp: 1760000000\r\nwebhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=\r\n\r\n{"id":"cstest_1","amount":999}`;
  const exchange = {
    sent: shownBytes(sent),
    received: shownBytes("HTTP/1.1 204 No Content\r\n\r\n"),
  };
  const message = "one byte of the body was changed after signing: expected a refusal, got 204";
  const exchanges = [exchange];
  const check = "receiver/forged";
  const entry = entryOfFinding(
    { check, requirement, status: "fail", message, exchanges, ms: 1 },
    {
      replay: (id) =>
        `countersign verify receiver --url http://127.0.0.1:3000/webhooks --only ${id} --seed 1`,
    },
  );
  const [, block] =
    /```text\n([\s\S]*?)```/.exec(read("../../docs/guides/reading-a-finding.md")) ?? [];
  expect(block).toBe(terminalEntry(entry).join("\n"));
});

it(
  "the guide to effects has Express code that reports effects and makes handlers fail",
  { tags: "ci" },
  async () => {
    const [, code = ""] = /```js\n([^]*?)```/.exec(read("../../docs/guides/effects.md")) ?? [];
    const folder = temporaryFolder();
    writeFileSync(join(folder, "effects.mjs"), code);
    // The guide's own program, whose form the assertions below hold.
    const { effect, mountEffects } = (await import(
      /* @vite-ignore */ pathToFileURL(join(folder, "effects.mjs")).href
    )) as {
      readonly effect: (event: UnknownEvent) => void;
      readonly mountEffects: (app: express.Express, framework: typeof express) => void;
    };
    const app = express();
    mountEffects(app, express);
    const receiver = createReceiver({
      provider: reference,
      secrets: [...(secrets["standard"] ?? [])],
      fallback: effect,
      inbox: memoryInbox(),
      log: false,
    });
    app.post("/webhooks", toExpress(receiver));
    const target = await openReceiver({ app });
    const { findings } = await run({
      target,
      checks: receiverChecks,
      requirements: requirements("receiver"),
      only: ["receiver/genuine", "receiver/duplicates", "receiver/distinct", "receiver/failing"],
    });
    expect(findings.map(({ requirement, status }) => `${status} ${requirement.id}`)).toEqual([
      "pass R-ACK-GENUINE",
      "pass R-ACK-IN-TIME",
      "pass R-ROUTE-ONE",
      "pass R-ONCE-DUPLICATE",
      "pass R-ONCE-DISTINCT",
      "pass R-ACK-AFTER-HANDLER",
      "pass R-ACK-FAILED",
      "pass R-ACK-RETRY-AFTER",
      "pass R-ACK-IN-TIME",
      "pass R-ONCE-DUPLICATE",
      "pass R-ONCE-CONCURRENT",
      "pass R-ACK-IN-PROGRESS",
    ]);
  },
);
