import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { freePort } from "../free-port.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const node = `"${process.execPath}" --disable-warning=ExperimentalWarning`;

const verify = `shift 2; exec ${node} "${root}packages/cli/src/main.ts" "$@"`;

/** The inputs of the steps in docs/ci/README.md. */
const examples = [
  ...readFileSync(`${root}docs/ci/README.md`, "utf8").matchAll(/^```yaml\n(.*?)^```/gms),
].flatMap(([, yaml = ""]) =>
  (parse(yaml) as { with: Readonly<Record<string, string>> }[]).map((step) => step.with),
);

interface RunnerOptions {
  /** The command that `npx` runs. Default: the command of this repository. */
  readonly command?: string;
  /** The checked out repository. Default: an empty one. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A receiver as a merchant writes it with GitHub's library. */
const githubReceiver = `
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verify } from "${import.meta.resolve("@octokit/webhooks-methods")}";

const { PORT, GITHUB_WEBHOOK_SECRET } = process.env;
createServer(async (request, response) => {
  // A stranger may end the connection in the middle of a body.
  const body = await buffer(request).then(String, () => undefined);
  if (body === undefined) return;
  const signature = request.headers["x-hub-signature-256"] ?? "";
  const isGenuine =
    request.method === "POST" &&
    signature !== "" &&
    (await verify(GITHUB_WEBHOOK_SECRET, body, signature).catch(() => false));
  response.writeHead(isGenuine ? 200 : 400).end();
}).listen(PORT);`;

/** Runs the action's script with the environment of a runner. `npx` runs the command of this repository, or another. */
async function runAction(
  inputs: Readonly<Record<string, string>>,
  { command = verify, folder = temporaryFolder(), env = {} }: RunnerOptions = {},
) {
  const npx = `#!/bin/bash\necho "$COUNTERSIGN_SECRET" > "${folder}/secret"\necho "$@" > "${folder}/arguments"\n${command}\n`;
  writeFileSync(join(folder, "npx"), npx, { mode: 0o755 });
  const files = {
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
  };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const child = spawn("bash", [`${root}action/verify.sh`], {
    cwd: folder,
    env: {
      ...process.env,
      ...files,
      ...env,
      ...Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
      PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}`,
      GITHUB_ACTIONS: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  return { status: child.exitCode, out, read };
}

const port = await freePort(21_000);
const url = `http://127.0.0.1:${String(port)}/webhooks`;
/** The example's app, as a workflow starts it. */
const start = `WEBHOOK_SECRET="$COUNTERSIGN_SECRET" PORT=${String(port)} ${node} "${root}examples/merchant/src/main.ts"`;

describe("the GitHub action", () => {
  it(
    "starts a receiver with a new secret, verifies it, writes the summary and stops it",
    { tags: "ci" },
    async () => {
      const { status, out, read } = await runAction({
        role: "receiver",
        url,
        start,
        options: "--only R-VERIFY-TAMPERED",
      });
      expect([status, read("output")]).toEqual([0, "result=passed\nreports=countersign-reports\n"]);
      expect(read("summary")).toContain("R-VERIFY-TAMPERED");
      expect(JSON.parse(read("countersign-reports/report.json"))).toHaveProperty("about");
      const [, secret = ""] = /^::add-mask::(whsec_\S+)$/m.exec(out) ?? [];
      expect(secret).toHaveLength(50);
      expect(read("arguments")).not.toContain(secret);
      expect(read("arguments")).toMatch(/^--yes countersign@\d+\.\d+\.\d+ verify receiver --url /);
      await expect(fetch(url)).rejects.toThrow("fetch failed");
    },
  );

  it("verifies a sender by its trigger, with a new secret", { tags: "ci" }, async () => {
    const { status, out, read } = await runAction({
      role: "sender",
      trigger: `${node} "${root}packages/cli/test/senders/sender.mjs"`,
      options: "--only sender/deliveries",
    });
    expect([status, read("output")]).toEqual([0, "result=passed\nreports=countersign-reports\n"]);
    expect(read("summary")).toContain("P-EVENT-SIGNED");
    const [, secret = ""] = /^::add-mask::(whsec_\S+)$/m.exec(out) ?? [];
    expect(secret).toHaveLength(50);
    expect(read("arguments")).not.toContain(secret);
  });

  it(
    "verifies a receiver with GitHub's library as docs/ci shows",
    { tags: "ci", timeout: 120_000 },
    async () => {
      const [step] = examples;
      const folder = temporaryFolder();
      const scripts = { start: "node receiver.mjs" };
      writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
      writeFileSync(join(folder, "receiver.mjs"), githubReceiver);
      const free = String(await freePort(22_000));
      const inputs = { ...step, url: (step?.["url"] ?? "").replace("3000", free) };
      const { status, out, read } = await runAction(inputs, { folder, env: { PORT: free } });
      expect(out).toMatch(/tier: no effects/);
      expect(out).toMatch(/^n\/a: GitHub signs no time\n +R-VERIFY-STALE/m);
      expect([status, read("output")]).toEqual([0, "result=passed\nreports=countersign-reports\n"]);
    },
  );

  it("has the inputs that docs/ci gives", () => {
    const { inputs } = parse(readFileSync(`${root}action.yml`, "utf8")) as { inputs: object };
    expect(examples).toHaveLength(2);
    for (const name of examples.flatMap((step) => Object.keys(step)))
      expect(Object.keys(inputs)).toContain(name);
  });

  it("fails the job if the verification fails, and passes a given secret in the environment only", async () => {
    const { status, read } = await runAction({ url, secret: SECRET }, { command: "exit 1" });
    expect([status, read("output")]).toEqual([1, "result=failed\nreports=countersign-reports\n"]);
    expect(read("secret")).toBe(`${SECRET}\n`);
    expect(read("arguments")).not.toContain(SECRET);
  });

  it(
    "prints the target's log and an annotation if the target does not start",
    { tags: "ci" },
    async () => {
      const { status, out, read } = await runAction({ url, start: "echo no database; exit 3" });
      expect(status).toBe(2);
      expect(out).toContain("no database\n");
      expect(out).toContain('::error title=Countersign::the command of "start" ended');
      expect(read("output")).toBe("result=unusable\n");
    },
  );

  it.each([
    [
      { role: "merchant", url },
      'invalid role "merchant": expected "receiver", "sender" or "provider"',
    ],
    [{ role: "sender" }, 'missing trigger: expected a command, or "POST URL"'],
    [{ role: "provider", url: "localhost" }, 'invalid url "localhost": expected a full URL'],
  ])("rejects the inputs %j", async (inputs, message) => {
    const { status, out } = await runAction(inputs);
    expect([status, out]).toEqual([2, `::error title=Countersign::${message}\n`]);
  });

  it("passes every input of action.yml to the script, in its environment", () => {
    const { inputs, runs } = parse(readFileSync(`${root}action.yml`, "utf8")) as {
      readonly inputs: object;
      readonly runs: {
        readonly steps: readonly { readonly env?: object; readonly run?: string }[];
      };
    };
    const step = runs.steps.find(({ run }) => run !== undefined);
    expect(step?.run).toBe('bash "$GITHUB_ACTION_PATH/action/verify.sh"');
    expect(step?.env).toEqual(
      Object.fromEntries(
        Object.keys(inputs).map((name) => [
          `INPUT_${name.toUpperCase()}`,
          `\${{ inputs.${name} }}`,
        ]),
      ),
    );
  });
});

it("the workflows of this repository pin every action by its commit", () => {
  const folder = `${root}.github/workflows/`;
  const used = readdirSync(folder).flatMap((file) => {
    const { jobs } = parse(readFileSync(folder + file, "utf8")) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses?: string }[] }>>;
    };
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  });
  expect(used.length).toBeGreaterThan(3);
  for (const action of used) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40}$/);
});
