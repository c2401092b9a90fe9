// Runs the long lane of the tests file by file, within a time budget, and resumes where the last run stopped.
import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const HELP = `Runs the long forms of the tests (*.slow.ts), one file at a time.

npm run test:long -- [options] [PATH...]     PATH: part of a file's path; default: all files

  --minutes N   start no file and stop the running one after N minutes (default: no limit)
  --restart     run all files again, also those that passed for this commit
  --seed N      seed for everything random, an integer from 0 to 2147483647 (default: a random one, printed)
  -h, --help    print this help

Files that passed are recorded in test/output/long.json, and the next run for the same commit skips them.
A file that was stopped runs last next time. Campaigns write their results to docs/evidence/*.json and resume
where they stopped, unless the sources that they measure have changed since. With --restart they start again.`;

const STATE = "test/output/long.json";
interface State {
  /** Results of another commit do not count for this one. */
  readonly commit: string;
  readonly passed: readonly string[];
  readonly stopped: readonly string[];
}

const { values, positionals } = parseArgs({
  // pnpm passes the separator on, npm does not.
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  allowPositionals: true,
  options: {
    minutes: { type: "string" },
    restart: { type: "boolean", default: false },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    help: { type: "boolean", short: "h", default: false },
  },
});
const { seed } = values;
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
if (values.help) console.log(HELP);
else if (minutes !== undefined && !(minutes > 0))
  fail(`invalid --minutes ${JSON.stringify(values.minutes)}: expected a number above 0`);
else if (!/^\d{1,10}$/.test(seed) || Number(seed) >= 2 ** 31)
  fail(`invalid --seed ${JSON.stringify(seed)}: expected an integer from 0 to 2147483647`);
else await runLane();

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}

async function runLane(): Promise<void> {
  const files = globSync("{packages/*,schemas,contracts}/test/**/*.slow.ts")
    .concat(globSync("test/**/*.slow.ts"))
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
    .toSorted();
  let state = readState();
  const open = files.filter((file) => !state.passed.includes(file));
  const order = open.toSorted(
    (one, other) => Number(state.stopped.includes(one)) - Number(state.stopped.includes(other)),
  );
  const endsAt = minutes === undefined ? Infinity : Date.now() + minutes * 60_000;
  const failed: string[] = [];
  let left = order.length;
  for (const file of order) {
    if (Date.now() >= endsAt) break;
    left -= 1;
    console.log(`\n${file}, seed ${seed}`);
    // One at a time: load tests need the machine to themselves.
    // oxlint-disable-next-line no-await-in-loop
    const result = await runFile(file, endsAt);
    if (result === "failed") failed.push(file);
    const stopped = state.stopped.filter((one) => one !== file);
    if (result === "passed") state = { ...state, passed: [...state.passed, file], stopped };
    if (result === "stopped") state = { ...state, stopped: [...stopped, file] };
    writeFileSync(STATE, `${JSON.stringify(state, undefined, 2)}\n`);
  }
  const passed = files.filter((file) => state.passed.includes(file)).length;
  for (const file of failed) console.log(`failed: ${file}`);
  console.log(
    `\n${String(passed)} of ${String(files.length)} files passed, ${String(failed.length)} failed, ${String(left)} not started`,
  );
  process.exitCode = failed.length > 0 ? 1 : 0;
}

/** Runs one file; stops it, with its processes, when the budget ends. */
async function runFile(file: string, endsAt: number): Promise<"passed" | "failed" | "stopped"> {
  const command = ["exec", "vitest", "run", "--config", "test/vitest.slow.config.ts", file];
  const env = {
    ...process.env,
    COUNTERSIGN_SEED: seed,
    ...(values.restart && { COUNTERSIGN_RESTART: "1" }),
  };
  const child = spawn("pnpm", command, { stdio: "inherit", env });
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    child.kill("SIGINT");
  };
  // A timer takes at most 2 ** 31 ms.
  const timer =
    endsAt === Infinity ? undefined : setTimeout(stop, Math.min(endsAt - Date.now(), 2 ** 31 - 1));
  await once(child, "exit");
  clearTimeout(timer);
  if (isStopped) return "stopped";
  return child.exitCode === 0 ? "passed" : "failed";
}

/** Reads what earlier runs of this commit have passed. */
function readState(): State {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  mkdirSync("test/output", { recursive: true });
  if (existsSync(STATE) && !values.restart) {
    // Written below this folder by this script only.
    const state = JSON.parse(readFileSync(STATE, "utf8")) as State;
    if (state.commit === commit) return state;
  }
  return { commit, passed: [], stopped: [] };
}
