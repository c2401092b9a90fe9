// Runs `countersign verify` against honest and faulty receivers and senders, and counts the faults that it names.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { stacks } from "./check.mjs";
import { heldOut } from "./faults/held-out.mjs";
import { faults } from "./faults/index.mjs";
import { unseen } from "./faults/unseen.mjs";
import { unseenFifth } from "./faults/unseen-fifth.mjs";
import { unseenFourth } from "./faults/unseen-fourth.mjs";
import { unseenSixth } from "./faults/unseen-sixth.mjs";
import { unusual } from "./unusual.mjs";

const HELP = `Counts the planted faults that \`countersign verify\` names. Programs are started one at a time.

node run.mjs [options] [-- OPTION…]   OPTION: passed on to the command

  --set NAME      honest, unusual, planted, held-out, unseen, fourth, fifth, sixth or senders (default: planted)
  --only TEXT     faults whose "STACK NAME" contains the text
  --repeat N      runs of each program (default: 1)
  --out DIR       folder of reports; those that it has are not made again (default: a new one)
  --seconds N     bound of a run (default: 90)
  -h, --help      print this help`;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const programs = {
  python: ["python3", here("python/receiver.py")],
  "sender-py": ["python3", here("../senders/sender.py")],
  "sender-go": ["go", "run", here("../senders/sender.go")],
};
const output = ([command, ...args], last) =>
  JSON.parse(execFileSync(command, [...args, ...last], { encoding: "utf8" }));
const inPython = (isUnseen) =>
  output(programs.python, ["", "--list"])
    .filter((each) => each.isUnseen === isUnseen)
    .map((each) => ({ ...each, program: "python" }));
const senders = () =>
  ["sender-py", "sender-go"].flatMap((program) => {
    const fixed = { stack: "standard-webhooks", group: program, program };
    return output(programs[program], ["--list"]).map((each) => ({ ...each, ...fixed }));
  });
const honest = [
  ...stacks.map((stack) => ({ stack })),
  { stack: "stripe", program: "python" },
  { stack: "standard-webhooks", program: "python" },
  { stack: "standard-webhooks", program: "sender-py" },
  { stack: "standard-webhooks", program: "sender-go" },
].map((each) => ({ ...each, group: "honest", expect: [] }));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string", default: "planted" },
    only: { type: "string", default: "" },
    repeat: { type: "string", default: "1" },
    out: { type: "string" },
    seconds: { type: "string", default: "90" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const isSender = ({ program = "" }) => program.startsWith("sender");
const kindOf = ({ stack, program }) => (program ? `${program}-${stack}` : stack);

/** Returns the command's options for a receiver or sender that listens on `port`. */
function optionsOf(each, port) {
  const origin = `http://127.0.0.1:${port}`;
  if (!isSender(each)) {
    const urls = ["--url", `${origin}/webhooks`, "--effects-url", `${origin}/effects`];
    return ["receiver", "--provider", each.stack, ...urls];
  }
  const given = '{"url":"\'"$COUNTERSIGN_URL"\'","secret":"\'"$COUNTERSIGN_SECRET"\'"}';
  const post = (path) =>
    `curl -sS -f -d '${given}' "${origin}/${path}?type=$COUNTERSIGN_EVENT_TYPE"`;
  const paths = { trigger: "send", subscribe: "endpoints", rotate: "rotate" };
  const commands = Object.entries(paths).flatMap(([name, path]) => [`--${name}`, post(path)]);
  return ["sender", "--provider", each.stack, "--listen", "127.0.0.1", ...commands];
}

/** Starts a program, runs the command, and returns its report with the seconds it took. */
async function verify(each, secrets) {
  const [command, ...args] = programs[each.program] ?? [process.execPath, here("start.mjs")];
  const names = [...(isSender(each) ? [] : [each.stack]), ...(each.name ? [each.name] : [])];
  const env = { ...process.env, PORT: "0", SECRETS: secrets.join(" "), BACKOFF: "1,2" };
  // `go run` starts a process of its own: the whole group is ended.
  const stdio = ["ignore", "pipe", "ignore"];
  const program = spawn(command, [...args, ...names], { env, stdio, detached: true });
  try {
    const [line] = await once(createInterface(program.stdout), "line");
    const options = optionsOf(each, line.split(" ")[1]);
    const began = Date.now();
    const main = here("../../../packages/cli/src/main.ts");
    const cli = spawn(process.execPath, [main, "verify", ...options, "--json", ...positionals], {
      env: { ...env, COUNTERSIGN_SECRET: isSender(each) ? secrets[0] : secrets.join("\n") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // An interrupted run reports what has run until then.
    const timer = setTimeout(() => cli.kill("SIGINT"), Number(values.seconds) * 1000);
    const closed = once(cli, "close");
    const parts = await Promise.all([cli.stdout.toArray(), cli.stderr.toArray()]);
    const [text, stderr] = parts.map((chunks) => Buffer.concat(chunks).toString());
    const [code] = await closed;
    clearTimeout(timer);
    const report = text.startsWith("{") ? JSON.parse(text) : { entries: [] };
    return { ...report, code, seconds: (Date.now() - began) / 1000, stderr };
  } finally {
    // A receiver that has ended has no group.
    if (program.exitCode === null) process.kill(-program.pid, "SIGKILL");
  }
}

/** Returns a report from its file, or makes it. */
async function reportOf(each, round) {
  const file = `${values.out}/${kindOf(each)}-${each.name ?? "honest"}-${round}.json`;
  if (!existsSync(file)) {
    const { a, b } = (await import(`../providers/${each.stack}.mjs`)).secrets;
    // A space separates secrets.
    const secrets = [a, b].map((secret) => secret.replaceAll(" ", "-"));
    writeFileSync(file, JSON.stringify(await verify(each, secrets)));
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

const findings = ({ entries }) =>
  entries.filter(({ status }) => !["pass", "not_applicable", "skipped"].includes(status));
// Ids and counts differ from run to run.
const plain = ({ message }) => message.replaceAll(/cstest_\S+|\d+/g, "");

/**
 * Returns the requirements that a report names, and the honest program's does not. One that both name has a "~" if the
 * message or the status differs: read it.
 */
function namedBy(report, baseline) {
  const ids = findings(report).flatMap((each) => {
    const same = baseline.filter(({ id }) => id === each.id);
    if (same.length === 0) return [each.requirement];
    const isSame = same.some((one) => plain(one) === plain(each) && one.status === each.status);
    return isSame ? [] : [`${each.requirement}~`];
  });
  return [...new Set(ids)];
}

/** Returns a share with its Wilson interval for 95 %, as a text. */
function share(count, of) {
  const z = 1.96;
  const p = count / of;
  const middle = p + (z * z) / (2 * of);
  const half = z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of));
  const bounds = [middle - half, middle + half].map((each) => (100 * each) / (1 + (z * z) / of));
  return `${count}/${of} = ${(100 * p).toFixed(0)} % (${bounds.map((each) => each.toFixed(0)).join(" to ")})`;
}

/** Runs the programs of a set, prints a line for each, and returns their verdicts. */
async function measure() {
  const sets = {
    honest,
    planted: faults,
    "held-out": [...heldOut, ...inPython(false)],
    unseen: [...unseen, ...inPython(true)],
    fourth: unseenFourth,
    fifth: unseenFifth,
    sixth: unseenSixth,
    unusual,
  };
  const chosen = values.set === "senders" ? senders() : sets[values.set];
  if (!chosen)
    throw new Error(
      "invalid --set: expected honest, unusual, planted, held-out, unseen, fourth, fifth, sixth or senders",
    );
  const rows = [];
  for (const each of chosen) {
    if (!`${kindOf(each)} ${each.name}`.includes(values.only)) continue;
    const base = honest.find((other) => kindOf(other) === kindOf(each));
    const baseline = each.group === "honest" ? [] : findings(await reportOf(base, 1));
    for (let round = 1; round <= Number(values.repeat); round += 1) {
      const report = await reportOf(each, round);
      const ids = namedBy(report, baseline);
      const isNamed = ids.some((id) => each.expect.includes(id.replace("~", "")));
      const isJudged = report.entries.length > 0 && report.code < 2;
      const color = isJudged ? ["green", "red"][report.code] : `exit ${report.code}`;
      const unnamed =
        each.group === "honest"
          ? "honest"
          : ids.some((id) => !id.endsWith("~"))
            ? "other"
            : "missed";
      const verdict = isNamed ? "named" : unnamed;
      rows.push({ group: each.group, verdict, color, seconds: report.seconds });
      const start = `${verdict.padEnd(7)} ${color.padEnd(6)} ${report.seconds.toFixed(1)} s`;
      const error = report.code < 2 ? "" : report.stderr.slice(0, 200);
      console.log(
        `${start.padEnd(22)} ${kindOf(each)} ${each.name ?? ""}: ${ids.join(" ")} ${error}`,
      );
    }
  }
  return rows;
}

function summarize(rows) {
  const seconds = rows.map((row) => row.seconds).toSorted((one, other) => one - other);
  console.log(`median ${seconds[Math.floor(seconds.length / 2)]} s, longest ${seconds.at(-1)} s`);
  for (const group of [...new Set(rows.map((row) => row.group)), "all"]) {
    const all = rows.filter((row) => group === "all" || row.group === group);
    const count = (test) => share(all.filter(test).length, all.length);
    const named = count(({ verdict }) => verdict === "named");
    console.log(`${group.padEnd(16)} named ${named}; red ${count(({ color }) => color === "red")}`);
  }
}

if (values.help) console.log(HELP);
else {
  values.out ??= mkdtempSync(`${tmpdir()}/countersign-measure-`);
  mkdirSync(values.out, { recursive: true });
  summarize(await measure());
  console.log(`reports: ${values.out}`);
}
