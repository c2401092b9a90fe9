import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Kind } from "./kinds.ts";
import { table } from "./table.ts";

interface Figures {
  readonly kind: Kind;
  /** Microseconds of the server's processor for a request: its own, and the system's for it. */
  readonly user: number;
  readonly system: number;
  /** Requests in a second, of a load that shares the machine. */
  readonly rate: number;
}

/** What a machine that others use takes off a ratio. */
const NOISE = 0.75;

// How many times the other's requests ours answers.
const goals: Partial<Record<Kind, number>> = {
  "hand-written": 0.9,
  octokit: 1.2,
  standardwebhooks: 1.3,
  stripe: 1.3,
};

test("P2: behind Express 5 against a hand-written handler and three libraries, in one run", () => {
  const script = fileURLToPath(new URL("loopback.ts", import.meta.url));
  const flags = ["--conditions=@countersign/source", "--disable-warning=ExperimentalWarning"];
  const output = execFileSync(process.execPath, [...flags, script], { encoding: "utf8" });
  const figures = JSON.parse(output) as readonly Figures[];
  const ours = figures.find(({ kind }) => kind === "countersign")?.rate ?? 0;

  console.log(
    table(
      ["1 KB, 64 connections", "own", "system", "requests", "ours is", "goal"],
      figures.map(({ kind, user, system, rate }) => {
        const goal = goals[kind];
        const verdict = ours / rate >= (goal ?? 0) ? "reached" : "missed";
        return [
          kind,
          `${user.toFixed(1)} µs`,
          `${system.toFixed(1)} µs`,
          `${Math.round(rate)}/s`,
          (ours / rate).toFixed(2),
          goal === undefined ? "" : `${goal}: ${verdict}`,
        ];
      }),
    ),
  );

  for (const { kind, rate } of figures)
    expect(ours / rate).toBeGreaterThanOrEqual((goals[kind] ?? 0) * NOISE);
});
