// The step of action.yml, without dependencies: starts the target, runs `countersign verify` with reports, and writes
// the job's summary and outputs. Secrets are passed in the environment only.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** The longest wait for the target's first answer, in milliseconds. */
const START_MS = 60_000;

const { env } = process;
const input = (name) => (env[`INPUT_${name}`] ?? "").trim();
const append = (variable, text) => {
  if (env[variable]) appendFileSync(env[variable], text);
};

/** Ends the step with an annotation. */
function fail(message) {
  console.log(`::error title=Countersign::${message}`);
  append("GITHUB_OUTPUT", "result=unusable\n");
  process.exit(2);
}

/** Starts the target in a process group of its own, and waits until it answers. @returns Stops it. */
async function start(command, { url, log, variables }) {
  const file = openSync(log, "a");
  const child = spawn(command, {
    shell: "/bin/bash",
    detached: true,
    stdio: ["ignore", file, file],
    env: { ...env, ...variables },
  });
  const ended = once(child, "exit");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    // The group has all processes of the command.
    if (!hasEnded()) process.kill(-(child.pid ?? 0), "SIGTERM");
    await ended;
  };
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && !hasEnded();) {
    // Any answer will do: a receiver has none for GET but 405.
    const answer = await fetch(url, { redirect: "manual" }).catch(() => undefined);
    if (answer !== undefined) return stop;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  console.log(readFileSync(log, "utf8"));
  const how = hasEnded() ? "ended" : `did not answer at ${url} within ${START_MS / 1000} s`;
  if (!hasEnded()) await stop();
  return fail(`the command of "start" ${how}`);
}

const role = input("ROLE") || "receiver";
const url = input("URL");
if (role !== "receiver" && role !== "provider")
  fail(`invalid role ${JSON.stringify(role)}: expected "receiver" or "provider"`);
if (!URL.canParse(url)) fail(`invalid url ${JSON.stringify(url)}: expected a full URL`);
const command = input("START");
const isReceiver = role === "receiver";
const secret =
  input("SECRET") || (isReceiver && command ? `whsec_${randomBytes(32).toString("base64")}` : "");
if (secret) console.log(`::add-mask::${secret}`);
const variables = secret && { [isReceiver ? "COUNTERSIGN_SECRET" : "COUNTERSIGN_TOKEN"]: secret };

const reports = input("REPORTS") || "countersign-reports";
mkdirSync(reports, { recursive: true });
const stop =
  command && (await start(command, { url, log: join(reports, "target.log"), variables }));

const manifest = new URL("../packages/cli/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, "utf8"));
const summary = join(reports, "summary.md");
const written = { github: summary, json: "report.json", html: "report.html", junit: "junit.xml" };
const report = Object.entries(written).map(
  ([format, file]) => `${format}=${file === summary ? file : join(reports, file)}`,
);
const baseline = input("BASELINE");
const args = [
  "--yes",
  `countersign@${version}`,
  "verify",
  role,
  "--url",
  url,
  "--report",
  report.join(","),
  ...(baseline ? ["--baseline", baseline] : []),
  ...input("OPTIONS").split(/\s+/).filter(Boolean),
];
const child = spawn("npx", args, { stdio: "inherit", env: { ...env, ...variables } });
const [status] = await once(child, "exit");
if (stop) await stop();

if (existsSync(summary)) append("GITHUB_STEP_SUMMARY", readFileSync(summary, "utf8"));
const result = { 0: "passed", 1: "failed" }[status] ?? "unusable";
append("GITHUB_OUTPUT", `result=${result}\nreports=${reports}\n`);
process.exitCode = status ?? 2;
