// pnpm matrix: runs every check against every broken and every good target, and writes docs/matrix*.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { requirements, type Target } from "@countersign/contract-kit";
import { alarmsAt } from "./good.ts";
import { type MatrixDocument, type MatrixOfRole, jsonOf } from "./matrix-document.ts";
import { pageOf } from "./matrix-page.ts";
import { pictureOf } from "./matrix-picture.ts";
import { matrixOf, offDiagonal } from "./matrix.ts";
import { type Part, parts } from "./part.ts";

const HELP = `pnpm matrix [--role receiver|provider] [--check]
pnpm matrix --repeat N [--role …] [--good TEXT] [--seed N]
pnpm matrix --fault TEXT [--role …]

Without more, runs every check of both roles against every broken and every good target, and writes
docs/matrix.md, docs/matrix.json and docs/matrix-*.svg. Exit code 1 where the matrix is not diagonal but
for the exceptions that are argued, or where a good target raises an alarm.

  --role ROLE    that one alone; the other's part stays as it is written
  --check        writes nothing; exit code 1 too where what is written is stale
  --repeat N     runs the checks N times against the good targets alone, each time with another seed
  --good TEXT    of those, the ones whose name has TEXT in it
  --fault TEXT   shows what catches the broken targets that have TEXT in them; writes nothing
  --seed N       the first seed. Default: 1
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
const seed = count(asked.seed, "--seed");

if (asked.help) process.stdout.write(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const made: Partial<Record<Target["role"], MatrixOfRole>> = {};
  const problems: string[] = [];
  for (const role of ["receiver", "provider"] as const) {
    if (asked.role !== undefined && asked.role !== role) continue;
    const part = await parts[role]?.();
    if (part === undefined) continue;
    // One role at a time: the union of parts is not one part of a union of targets.
    const one = part as Part<Target>;
    if (asked.repeat !== undefined)
      problems.push(...(await repeat(one, count(asked.repeat, "--repeat"))));
    else if (asked.fault !== undefined) problems.push(...(await show(one, asked.fault)));
    else {
      const [matrix, found] = await measure(one);
      made[role] = matrix;
      problems.push(...found);
    }
  }
  for (const problem of problems) console.error(problem);
  const isMatrix = asked.repeat === undefined && asked.fault === undefined;
  const isStale = isMatrix && !publish(made);
  return problems.length === 0 && !isStale;
}

/** Every check against every broken target, and then against every good one. */
async function measure(part: Part<Target>): Promise<[MatrixOfRole, readonly string[]]> {
  const { role, checks, faults, good, runs, atOnce = 1 } = part;
  const options = { checks, requirements: all, seed, ...(runs !== undefined && { runs }) };
  const started = performance.now();
  let done = 0;
  const rows = await matrixOf({
    ...options,
    faults,
    atOnce,
    onRow: ({ requirement, what }) => {
      done += 1;
      progress(`${role} ${done}/${faults.length} ${requirement}: ${what}`);
    },
  });
  const alarms: string[] = [];
  for (const one of good) {
    progress(`${role} ${one.name}`);
    if (one.missing !== undefined) console.error(`${one.name}: not run, ${one.missing}`);
    else alarms.push(...(await alarmsAt(one, options)));
  }
  progress("");
  const tested = new Set(checks.flatMap((check) => check.requirements));
  const catches = rows.reduce((sum, { caughtBy }) => sum + caughtBy.length, 0);
  console.log(
    `${role}: ${rows.length} faults, ${tested.size} requirements with a check, ${catches - rows.length} cells off the diagonal; ` +
      `${good.length} good targets, ${alarms.length} alarms; ${Math.round((performance.now() - started) / 1000)} s`,
  );
  const matrix = {
    requirements: all.filter(({ id }) => tested.has(id)).map(({ id }) => id),
    rows: rows.map(({ requirement, what, also, caughtBy }) => ({
      requirement,
      what,
      also,
      caughtBy,
    })),
    good: good.map(({ name, findings = [] }) => ({ name, findings })),
  };
  return [matrix, [...offDiagonal(rows), ...alarms]];
}

/** The good targets again and again, each time with another seed: every alarm is a flake. */
async function repeat(part: Part<Target>, times: number): Promise<readonly string[]> {
  const good = part.good.filter(
    ({ name, missing }) => missing === undefined && name.includes(asked.good),
  );
  const flakes: string[] = [];
  for (let round = 0; round < times; round += 1) {
    const options = { checks: part.checks, requirements: all, seed: seed + round };
    for (const one of good) {
      const alarms = await alarmsAt(one, options);
      flakes.push(...alarms.map((alarm) => `seed ${options.seed}: ${alarm}`));
      progress(`${part.role} ${round + 1}/${times} ${one.name}, ${flakes.length} alarms`);
    }
  }
  progress("");
  console.log(
    `${part.role}: ${times * good.length} runs at ${good.length} good targets, ${flakes.length} alarms`,
  );
  return flakes;
}

async function show(part: Part<Target>, text: string): Promise<readonly string[]> {
  const faults = part.faults.filter((one) => `${one.requirement} ${one.what}`.includes(text));
  const { checks, runs, atOnce = 1 } = part;
  const rows = await matrixOf({
    checks,
    requirements: all,
    seed,
    faults,
    atOnce,
    ...(runs !== undefined && { runs }),
    onRow: ({ requirement, what, caughtBy }) => {
      console.log(`${requirement}: ${what}\n  caught by ${caughtBy.join(", ") || "nothing"}`);
    },
  });
  return offDiagonal(rows);
}

function written(): MatrixDocument {
  const file = new URL("matrix.json", docs);
  if (!existsSync(file)) return {};
  // Written by this command alone.
  return JSON.parse(readFileSync(file, "utf8")) as MatrixDocument;
}

/** Whether what is written is what was measured; without --check it is afterwards. */
function publish(measured: MatrixDocument): boolean {
  // Read as late as this: another process may have measured the other role meanwhile.
  const { receiver, provider } = { ...written(), ...measured };
  const made = { ...(receiver && { receiver }), ...(provider && { provider }) };
  const files: Readonly<Record<string, string>> = {
    "matrix.json": jsonOf(made),
    "matrix.md": pageOf(made),
    ...Object.fromEntries(
      Object.entries(made).map(([role, part]) => [`matrix-${role}.svg`, pictureOf(role, part)]),
    ),
  };
  let isFresh = true;
  for (const [name, content] of Object.entries(files)) {
    const file = new URL(name, docs);
    if (existsSync(file) && readFileSync(file, "utf8") === content) continue;
    if (asked.check) {
      isFresh = false;
      console.error(`docs/${name} is stale: run pnpm matrix`);
    } else writeFileSync(file, content);
  }
  return isFresh;
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line.slice(0, 100)}`);
}

function count(text: string, option: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    console.error(`${option} is a whole number from 1`);
    process.exit(2);
  }
  return Number(text);
}
