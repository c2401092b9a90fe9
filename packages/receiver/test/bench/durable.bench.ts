import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { postgresBinaries } from "../inboxes/postgres-server.ts";
import { table } from "./table.ts";

/** Events in a second, 64 in flight. */
interface Figures {
  readonly name: string;
  readonly insertTogether: number;
  readonly insertAlone: number;
  readonly afterStore: number;
  readonly claimAndBook: number;
  readonly handled: number;
}

/** What a machine that others use takes off a ratio. */
const NOISE = 0.75;

// `goal` is what is wanted, `held` what the last change reached: the table shows the first, the test
// notices when the second is lost. The loops neither verify, read nor validate: where the disk flushes
// as fast as here, that is most of what an event costs.
const aims = [
  {
    name: "SQLite, FULL",
    held: { together: 0.22, alone: 3.2, transaction: 0.2 },
  },
  { name: "PostgreSQL", held: { together: 0.18, alone: 1.1, transaction: 0.6 } },
] as const;
const goal = { together: 0.6, alone: 2, transaction: 0.8 };

const run = (script: string, ...args: readonly string[]): unknown => {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const flags = ["--conditions=@countersign/source", "--no-warnings"];
  return JSON.parse(
    execFileSync(process.execPath, [...flags, path, ...args], { encoding: "utf8" }),
  );
};

test("P3: durable, 64 attempts in flight, against bare loops at the same durability", () => {
  const figures = run("durable.ts") as readonly Figures[];
  expect(figures).toHaveLength(postgresBinaries === undefined ? 1 : 2);

  const rows = figures.map((found) => ({
    ...found,
    together: found.afterStore / found.insertTogether,
    alone: found.afterStore / found.insertAlone,
    transaction: found.handled / found.claimAndBook,
  }));
  const rate = (events: number): string => `${String(Math.round(events))}/s`;
  const against = (ratio: number, wanted: number): string =>
    `${ratio.toFixed(2)} of ${String(wanted)}: ${ratio >= wanted ? "reached" : "missed"}`;
  console.log(
    table(
      ["1 KB", "rows, joined", "rows, each", "stored", "", "", "2 transactions", "handled", ""],
      rows.map((row) => [
        row.name,
        rate(row.insertTogether),
        rate(row.insertAlone),
        rate(row.afterStore),
        against(row.together, goal.together),
        against(row.alone, goal.alone),
        rate(row.claimAndBook),
        rate(row.handled),
        against(row.transaction, goal.transaction),
      ]),
    ),
  );

  for (const { name, held } of aims) {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) continue;
    expect(row.together).toBeGreaterThanOrEqual(held.together * NOISE);
    expect(row.alone).toBeGreaterThanOrEqual(held.alone * NOISE);
    expect(row.transaction).toBeGreaterThanOrEqual(held.transaction * NOISE);
  }
});

test("P3: what a receiver with a bounded memory inbox holds is flat over a million events", () => {
  const held = run("memory.ts", "1000000") as readonly number[];
  console.log(
    table(
      held.map((_, index) => String((index + 1) * 100_000)),
      [held.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`)],
    ),
  );
  // The first tenth fills the inbox and compiles.
  const [, second = 0, ...later] = held;
  expect(Math.max(...later)).toBeLessThan(second * 1.05 + 1e6);
});
