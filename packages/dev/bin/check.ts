// Runs the tests and the checks of `npm test`. The tests leave cores idle while they wait for processes and
// sockets: the checks run concurrently, one after the other, and are reported at the end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const CHECKS = ["typecheck"];

interface Result {
  readonly name: string;
  readonly isPassed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Runs a script of package.json and keeps its output. */
async function runCheck(name: string): Promise<Result> {
  const startedAt = Date.now();
  const child = spawn("pnpm", ["run", "--silent", name], {
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  const seconds = (Date.now() - startedAt) / 1000;
  return { name, isPassed: child.exitCode === 0, seconds, output: out + err };
}

async function runChecks(): Promise<readonly Result[]> {
  const results: Result[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one at a time leaves a core to the tests
  for (const name of CHECKS) results.push(await runCheck(name));
  return results;
}

const tests = spawn("pnpm", ["run", "--silent", "test:all"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
const [results] = await Promise.all([runChecks(), once(tests, "close")]);
for (const { name, isPassed, output } of results)
  if (!isPassed) console.error(`\n${name} failed:\n${output}`);
for (const { name, isPassed, seconds } of results)
  console.log(`${isPassed ? "passed" : "FAILED"}  ${name.padEnd(14)} ${seconds.toFixed(1)} s`);
process.exitCode = tests.exitCode === 0 && results.every(({ isPassed }) => isPassed) ? 0 : 1;
