// pnpm matrix: runs every check against every broken and every good target, and writes docs/matrix.*.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { requirements, type Target } from "@countersign/contract-kit";
import { alarmsAt, matrixOf, offDiagonal } from "./matrix.ts";
import { type MatrixDocument, type MatrixOfRole, pagesOf } from "./page.ts";
import { type Part, roles } from "./roles.ts";

const HELP = `pnpm matrix [--role receiver|provider] [--seed N] [--check | --fault TEXT | --repeat N [--good TEXT]]

Runs every check against every broken and every good target, and writes docs/matrix.md and docs/matrix.json.
Exit code 1 if a fault is not caught as it must be, or if a good target raises an alarm.

  --role ROLE    run only this role; keep the other's written results
  --check        write nothing; also exit with 1 if the written results are stale
  --fault TEXT   show what catches the broken targets whose words contain TEXT; write nothing
  --repeat N     run the checks N times against the good targets, each time with another seed
  --good TEXT    with --repeat: only the good targets whose name contains TEXT
  --seed N       first seed (default: 1)
`;

const { values: asked } = parseArgs({
  options: {
    role: { type: "string" },
    check: { type: "boolean", default: false },
    repeat: { type: "string" },
    good: { type: "string", default: "" },
    fault: { type: "string" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
const all = requirements();
const docs = new URL("../../docs/", import.meta.url);
const seed = Number(asked.seed);

if (asked.help) process.stdout.write(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const made: Partial<Record<Target["role"], MatrixOfRole>> = {};
  const problems: string[] = [];
  for (const role of ["receiver", "provider"] as const) {
    if (asked.role !== undefined && asked.role !== role) continue;
    const part = await roles[role]();
    if (asked.repeat !== undefined) problems.push(...(await repeat(part, Number(asked.repeat))));
    else if (asked.fault !== undefined) problems.push(...(await show(part, asked.fault)));
    else made[role] = await measure(part, problems);
  }
  for (const problem of problems) console.error(problem);
  const isFresh = Object.keys(made).length === 0 || publish(made);
  return problems.length === 0 && isFresh;
}

async function measure(part: Part<Target>, problems: string[]): Promise<MatrixOfRole> {
  const { role, checks, faults, good, ...pace } = part;
  const options = { checks, requirements: all, seed, ...pace };
  let done = 0;
  const onRow = ({ what }: { readonly what: string }): void => {
    done += 1;
    progress(`${role} ${done}/${faults.length}: ${what}`);
  };
  const rows = await matrixOf(faults, { ...options, onRow });
  problems.push(...offDiagonal(rows));
  for (const one of good) {
    progress(`${role} ${one.name}`);
    if (one.missing !== undefined) console.error(`${one.name}: not run, ${one.missing}`);
    else problems.push(...(await alarmsAt(one, options)));
  }
  progress("");
  const tested = new Set(checks.flatMap((check) => check.requirements));
  console.log(`${role}: ${rows.length} faults, ${good.length} good targets`);
  return {
    requirements: all.filter(({ id }) => tested.has(id)).map(({ id }) => id),
    rows: rows.map(({ requirement, what, also, caughtBy }) => ({
      requirement,
      what,
      also,
      caughtBy,
    })),
    good: good.map(({ name, findings = [] }) => ({ name, findings })),
  };
}

/** Runs the checks against good targets again and again, each time with another seed. */
async function repeat({ role, checks, good }: Part<Target>, times: number): Promise<string[]> {
  const some = good.filter((one) => one.missing === undefined && one.name.includes(asked.good));
  const flakes: string[] = [];
  for (let round = 0; round < times; round += 1)
    for (const one of some) {
      const options = { checks, requirements: all, seed: seed + round };
      const alarms = await alarmsAt(one, options);
      flakes.push(...alarms.map((alarm) => `seed ${options.seed}: ${alarm}`));
      progress(`${role} ${round + 1}/${times} ${one.name}, ${flakes.length} alarms`);
    }
  progress("");
  console.log(`${role}: ${times * some.length} runs, ${flakes.length} alarms`);
  return flakes;
}

/** Shows what catches some broken targets. */
async function show(
  { checks, faults, ...pace }: Part<Target>,
  text: string,
): Promise<readonly string[]> {
  const some = faults.filter((one) => `${one.requirement} ${one.what}`.includes(text));
  const rows = await matrixOf(some, { checks, requirements: all, seed, ...pace });
  for (const { requirement, what, caughtBy } of rows)
    console.log(`${requirement}: ${what}\n  caught by ${caughtBy.join(", ") || "nothing"}`);
  return offDiagonal(rows);
}

/** Writes the results, or with --check compares them; returns false if they were stale. */
function publish(measured: MatrixDocument): boolean {
  const old = new URL("matrix.json", docs);
  // Only this command writes it. Read this late, since another process may have measured the other role.
  const known = existsSync(old) ? (JSON.parse(readFileSync(old, "utf8")) as MatrixDocument) : {};
  const { receiver, provider } = { ...known, ...measured };
  const pages = pagesOf({ ...(receiver && { receiver }), ...(provider && { provider }) });
  const stale = Object.entries(pages).filter(
    ([name, text]) =>
      !existsSync(new URL(name, docs)) || readFileSync(new URL(name, docs), "utf8") !== text,
  );
  for (const [name, text] of stale)
    if (asked.check) console.error(`docs/${name} is stale: run pnpm matrix`);
    else writeFileSync(new URL(name, docs), text);
  return stale.length === 0 || !asked.check;
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line.slice(0, 100)}`);
}
