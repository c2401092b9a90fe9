import { readFileSync } from "node:fs";
import {
  providerChecks,
  receiverChecks,
  requirements,
  type Target,
} from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import type { Fault } from "./fault.ts";
import { byHand } from "./good/receivers.ts";
import { alarmsAt, matrixOf, offDiagonal, type Row } from "./matrix.ts";
import { type MatrixDocument, pagesOf } from "./page.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";

const all = requirements();
const receiver = { checks: receiverChecks, requirements: all };
const short = { requirements: all, isShort: true };
const firstOf = <T extends Target>(faults: readonly Fault<T>[], key: keyof Fault<T>) => [
  ...new Map(faults.toReversed().map((one) => [one[key], one])).values(),
];
/** Requirements that a check tests and no target breaks. */
const unbroken = (
  checks: readonly { readonly requirements: readonly string[] }[],
  faults: readonly { readonly requirement: string }[],
): readonly string[] =>
  checks
    .flatMap((check) => check.requirements)
    .filter((id) => !faults.some(({ requirement }) => requirement === id));

// A sample meets only the checks that must catch it; in the slow lane all faults meet all checks.
describe("the detection matrix", { timeout: 90_000 }, () => {
  // Some faults show only if eight attempts meet within a second, which a busy machine may not manage the first time.
  it.concurrent("catches the first broken receiver of each requirement", { retry: 1 }, async () => {
    const faults = firstOf(
      receiverFaults.filter(({ isSlow }) => !isSlow),
      "requirement",
    );
    const rows = await matrixOf(faults, { ...short, checks: receiverChecks, atOnce: 8 });
    expect(offDiagonal(rows, { isShort: true })).toEqual([]);
    expect(rows.length).toBeGreaterThan(40);
  });

  it.concurrent("catches a broken provider of each check", async () => {
    const faults = firstOf(providerFaults, "check");
    const rows = await matrixOf(faults, { ...short, checks: providerChecks, runs: 12, atOnce: 8 });
    expect(offDiagonal(rows, { isShort: true })).toEqual([]);
    expect(rows.length).toBe(providerChecks.length);
  });

  it.concurrent("raises no alarm at the honest receiver", async () => {
    const good = { name: "by hand", open: byHand() };
    expect(await alarmsAt(good, { ...receiver, seed: 2 })).toEqual([]);
  });

  it("reports an unexpected finding at a good receiver, and a missing expected one", async () => {
    const open = byHand({ wrongMethod: { status: 200 } });
    const findings = [{ requirement: "R-VERIFY-RAW", why: "it was so", bytes: ["GET /webhooks"] }];
    const checks = receiverChecks.filter(({ id }) => id === "receiver/methods");
    expect(await alarmsAt({ name: "x", findings, open }, { ...receiver, checks })).toEqual([
      expect.stringMatching(/^x: receiver\/methods fail R-METHOD: /),
      "x: R-VERIFY-RAW is listed as a finding, but was not found",
    ]);
  });

  it("has a broken target for each requirement that a check tests", () => {
    expect(unbroken(receiverChecks, receiverFaults)).toEqual([]);
    expect(unbroken(providerChecks, providerFaults)).toEqual([]);
  });

  it("names each fault once, and in docs/matrix.json", () => {
    const read = (name: string): string =>
      readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
    // Only `pnpm matrix` writes it.
    const document = JSON.parse(read("matrix.json")) as MatrixDocument;
    const named = (rows: readonly Pick<Row, "requirement" | "what">[] = []): readonly string[] =>
      rows.map(({ requirement, what }) => `${requirement}: ${what}`);
    for (const faults of [receiverFaults, providerFaults])
      expect(new Set(faults.map(({ what }) => what)).size).toBe(faults.length);
    expect(named(document.receiver?.rows)).toEqual(named(receiverFaults));
    expect(named(document.provider?.rows)).toEqual(named(providerFaults));
    expect(read("matrix.md")).toBe(pagesOf(document)["matrix.md"]);
  });

  it("is diagonal only if each fault is caught by its own requirement and by argued ones", () => {
    const row: Row = { requirement: "R-A", what: "x", also: {}, caughtBy: ["R-A"], errors: [] };
    const problems = (change: Partial<Row>) => offDiagonal([{ ...row, ...change }]);
    expect(problems({})).toEqual([]);
    expect(problems({ also: { "R-B": "it must" }, caughtBy: ["R-A", "R-B"] })).toEqual([]);
    expect(problems({ caughtBy: [] })).toEqual(["R-A does not catch: x"]);
    expect(problems({ caughtBy: ["R-A", "R-B"] })).toEqual(["R-B catches R-A's: x"]);
    expect(problems({ also: { "R-B": "?" } })).toEqual(["R-B is excused and does not catch: x"]);
    expect(problems({ errors: ["receiver/a: boom"] })).toEqual(["x: receiver/a: boom"]);
  });
});
