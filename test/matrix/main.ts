// pnpm matrix: runs every check against every broken and every good target, and writes docs/matrix.*.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  type CheckOf,
  providerChecks,
  receiverChecks,
  requirements,
  type Target,
} from "@countersign/contract-kit";
import type { Fault } from "./fault.ts";
import { goodProviders } from "./good/providers.ts";
import { goodReceivers } from "./good/receivers.ts";
import { alarmsAt, type Good, matrixOf, offDiagonal } from "./matrix.ts";
import { type MatrixDocument, type MatrixOfRole, pagesOf } from "./page.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";

const HELP = `pnpm matrix [--role receiver|provider] [--seed N] [--check | --fault TEXT]

Runs every check against every broken and every good target, and writes docs/matrix.md and docs/matrix.json.
Exit code 1 if a fault is not caught as it must be, or if a good target raises an alarm.

  --role ROLE    run only this role; keep the other's written results
  --check        write nothing; also exit with 1 if the written results are stale
  --fault TEXT   show what catches the broken targets whose words contain TEXT; write nothing
  --seed N       seed of the checks (default: 1)
`;

const { values: asked } = parseArgs({
  options: {
    role: { type: "string" },
    check: { type: "boolean", default: false },
    fault: { type: "string" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
const all = requirements();
const docs = new URL("../../docs/", import.meta.url);
const seed = Number(asked.seed);
const made: Partial<Record<Target["role"], MatrixOfRole>> = {};
const problems: string[] = [];

if (asked.help) process.stdout.write(HELP);
else {
  if (asked.role !== "provider")
    await play("receiver", receiverChecks, receiverFaults, goodReceivers, { atOnce: 4 });
  // 12 runs are enough for each generated check to meet the faults of its own broken services.
  const pace = { atOnce: 3, runs: 12 };
  if (asked.role !== "receiver")
    await play("provider", providerChecks, providerFaults, goodProviders, pace);
  for (const problem of problems) console.error(problem);
  const isFresh = Object.keys(made).length === 0 || publish(made);
  process.exitCode = problems.length === 0 && isFresh ? 0 : 1;
}

/** Runs what was asked for of one role. */
async function play<T extends Target>(
  role: T["role"],
  checks: readonly CheckOf<T>[],
  faults: readonly Fault<T>[],
  good: readonly Good<T>[],
  pace: { readonly atOnce: number; readonly runs?: number },
): Promise<void> {
  const options = { checks, requirements: all, seed, ...pace };
  const { fault } = asked;
  const some = faults.filter((one) => `${one.requirement} ${one.what}`.includes(fault ?? ""));
  const onRow = ({ what }: { readonly what: string }): void => progress(`${role}: ${what}`);
  const rows = await matrixOf(some, { ...options, onRow });
  problems.push(...offDiagonal(rows));
  if (fault !== undefined) {
    for (const { requirement, what, caughtBy } of rows)
      console.log(`${requirement}: ${what}\n  caught by ${caughtBy.join(", ") || "nothing"}`);
    return;
  }
  for (const one of good) {
    progress(`${role}: ${one.name}`);
    if (one.missing !== undefined) console.error(`${one.name}: not run, ${one.missing}`);
    else problems.push(...(await alarmsAt(one, options)));
  }
  console.log(`${role}: ${rows.length} faults, ${good.length} good targets`);
  const tested = new Set(checks.flatMap((check) => check.requirements));
  made[role] = {
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
