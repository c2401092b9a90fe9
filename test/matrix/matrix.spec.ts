import { readFileSync } from "node:fs";
import { receiverChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import type { MatrixDocument } from "./matrix-document.ts";
import { pageOf } from "./matrix-page.ts";
import { pictureOf } from "./matrix-picture.ts";
import { matrixOf, offDiagonal, type Row } from "./matrix.ts";
import { receiverFaults } from "./receivers/faults.ts";

// One fault of each requirement at what must catch it, the first in its table; the slow lane and `pnpm
// matrix` hold all of them to every check.
describe("the broken receivers", () => {
  it("are caught, each by the requirement that it breaks", async () => {
    const seen = receiverFaults.filter(({ isSlow = false }) => !isSlow);
    const faults = seen.filter(
      ({ requirement }, index) =>
        seen.findIndex((one) => one.requirement === requirement) === index,
    );
    const rows = await matrixOf({
      faults,
      checks: receiverChecks,
      requirements: requirements(),
      isShort: true,
      atOnce: 6,
    });
    expect(offDiagonal(rows, { isShort: true })).toEqual([]);
    expect(rows.length).toBeGreaterThan(40);
  });

  it("break every requirement that a check tests", () => {
    const broken = new Set(receiverFaults.map(({ requirement }) => requirement));
    const tested = new Set(receiverChecks.flatMap((check) => check.requirements));
    expect([...tested].filter((id) => !broken.has(id))).toEqual([]);
  });
});

describe("the page and the pictures in docs", () => {
  const read = (name: string): string =>
    readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
  // Written by `pnpm matrix` alone.
  const document = JSON.parse(read("matrix.json")) as MatrixDocument;

  it("are of what was measured", () => {
    expect(read("matrix.md")).toBe(pageOf(document));
    for (const role of ["receiver", "provider"] as const) {
      const part = document[role];
      if (part !== undefined) expect(read(`matrix-${role}.svg`)).toBe(pictureOf(role, part));
    }
  });

  it("have the broken receivers that there are", () => {
    const told = (rows: readonly Pick<Row, "requirement" | "what">[] = []): string[] =>
      rows.map(({ requirement, what }) => `${requirement}: ${what}`);
    expect(told(document.receiver?.rows)).toEqual(told(receiverFaults));
  });
});

describe("the matrix", () => {
  const row: Row = { requirement: "R-A", what: "x", also: {}, caughtBy: ["R-A"], errors: [] };

  it("is diagonal where each fault is caught by what it breaks, and by what is argued", () => {
    expect(offDiagonal([row])).toEqual([]);
    const argued = { ...row, also: { "R-B": "it must" }, caughtBy: ["R-A", "R-B"] };
    expect(offDiagonal([argued])).toEqual([]);
  });

  it.each([
    ["what nothing catches", { caughtBy: [] }, "R-A does not catch: x"],
    ["what another catches", { caughtBy: ["R-A", "R-B"] }, "R-B catches R-A's: x"],
    ["an exception in vain", { also: { "R-B": "?" } }, "R-B is excused and does not catch: x"],
    ["a check that broke", { errors: ["receiver/a: boom"] }, "x: receiver/a: boom"],
  ])("is not diagonal with %s", (_what, change, told) => {
    expect(offDiagonal([{ ...row, ...change }])).toEqual([told]);
  });
});
