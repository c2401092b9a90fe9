import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { postgresBinaries, startPostgres } from "../inboxes/servers.ts";
import type { Kind, Table } from "./kinds.ts";
import type { Figures } from "./load.ts";
import { median } from "./wires.ts";

// Express 5, events of 1 KB with unique ids, 64 connections that stay open. A ratio is the median of rounds
// in which all kinds take turns. The floor of a test is below its goal by what other users of a machine cost.

const NOISE = 0.75;

/** Prints a table and returns the peers to which our ratio is below its goal, less the noise. */
function compare(name: Table, goals: Readonly<Partial<Record<Kind, number>>>, port = 0): Kind[] {
  const script = fileURLToPath(new URL("load.ts", import.meta.url));
  const flags = ["--conditions=@countersign/source", "--no-warnings"];
  const output = execFileSync(process.execPath, [...flags, script, name, String(port)], {
    encoding: "utf8",
  });
  const all = JSON.parse(output) as readonly Figures[];
  const rows = all.map(({ kind, cpu, rates }) => {
    // Ours is the first of each table.
    const ours = all[0]?.rates ?? [];
    const ratio = median(ours.map((rate, round) => rate / (rates[round] ?? Number.NaN)));
    return { kind, cpu, rate: median(rates), ratio, goal: goals[kind] ?? 0 };
  });
  console.table(
    rows.map(({ kind, cpu, rate, ratio, goal }) => ({
      [name]: kind,
      "CPU time": `${cpu.toFixed(0)} µs`,
      requests: `${rate.toFixed(0)}/s`,
      ...(goal !== 0 && { "ours / its": ratio.toFixed(2), goal, reached: ratio >= goal }),
    })),
  );
  return rows.filter(({ ratio, goal }) => !(ratio >= goal * NOISE)).map(({ kind }) => kind);
}

test("the memory inbox is compared with a hand-written handler and three libraries", () => {
  const goals = { "hand-written": 0.95, octokit: 1.3, standardwebhooks: 1.3, stripe: 1.3 };
  expect(compare("memory", goals)).toEqual([]);
});

test("the SQLite inbox is compared with an INSERT before and an UPDATE after the handler", () => {
  expect(compare("sqlite", { "hand-written, SQLite": 2.5 })).toEqual([]);
});

const postgres = postgresBinaries === undefined ? undefined : await startPostgres();
afterAll(() => postgres?.stop());

test.skipIf(postgres === undefined)(
  "the PostgreSQL inbox is compared with an INSERT before and an UPDATE after, on 16 connections",
  () => expect(compare("postgres", { "hand-written, PostgreSQL": 1 }, postgres?.port)).toEqual([]),
);
