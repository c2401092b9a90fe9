import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { postgresBinaries } from "../inboxes/servers.ts";

// On an idle machine with two cores.
const goals = [
  { name: "SQLite, FULL", free: 3000, ordered: 500 },
  { name: "PostgreSQL", free: 2000, ordered: 500 },
] as const;

/** Drained events a second: each on its own resource without order, all of one resource with it. */
interface Figures {
  readonly name: string;
  readonly free: number;
  readonly ordered: number;
}

test("after-store: workers drain a backlog with a no-op handler", () => {
  const script = fileURLToPath(new URL("drain.ts", import.meta.url));
  const args = ["--conditions=@countersign/source", "--no-warnings", script];
  const output = execFileSync(process.execPath, args, { encoding: "utf8" });
  const figures = JSON.parse(output) as readonly Figures[];
  expect(figures).toHaveLength(postgresBinaries === undefined ? 1 : 2);

  const against = (rate: number, goal: number): string =>
    `${String(Math.round(rate))}/s of ${String(goal)}: ${rate >= goal ? "reached" : "missed"}`;
  console.table(
    goals.flatMap(({ name, free, ordered }) => {
      const found = figures.find((one) => one.name === name);
      if (found === undefined) return [];
      const rates = { free: against(found.free, free), ordered: against(found.ordered, ordered) };
      return [{ name, ...rates }];
    }),
  );
});
