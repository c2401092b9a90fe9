import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

interface Figures {
  readonly size: number;
  /** Nanoseconds of one HMAC over the same bytes and one comparison. */
  readonly floor: number;
  /** Nanoseconds of `verify`. */
  readonly ours: number;
  /** Nanoseconds of npm `standardwebhooks`. */
  readonly theirs: number;
}

/** Allowance for the noise of a shared machine. */
const NOISE = 0.9;

// At 20 KB the floor itself is little more than 8 times the peer on Node 24: no verifier reaches 10.
const goals = [
  { size: 200, floor: 0, peer: 0 },
  { size: 1024, floor: 0.8, peer: 3 },
  { size: 20 * 1024, floor: 0.95, peer: 7 },
  { size: 350 * 1024, floor: 0.95, peer: 10 },
];

test("verify against the bare floor and against standardwebhooks, in one run", () => {
  const script = fileURLToPath(new URL("measure.ts", import.meta.url));
  const sizes = goals.map(({ size }) => String(size));
  const output = execFileSync(process.execPath, [script, ...sizes], { encoding: "utf8" });
  const figures = JSON.parse(output) as readonly Figures[];

  const ratios = figures.map(({ size, floor, ours, theirs }) => {
    const ratio = { size, floor: floor / ours, peer: theirs / ours };
    console.log(
      `${size} B: verify ${Math.round(ours)} ns; of the floor ${ratio.floor.toFixed(2)} (${Math.round(floor)} ns); ${ratio.peer.toFixed(1)} times standardwebhooks (${Math.round(theirs)} ns)`,
    );
    return ratio;
  });

  expect(ratios).toHaveLength(goals.length);
  for (const [index, goal] of goals.entries()) {
    expect(ratios[index]?.floor).toBeGreaterThanOrEqual(goal.floor * NOISE);
    expect(ratios[index]?.peer).toBeGreaterThanOrEqual(goal.peer * NOISE);
  }
});
