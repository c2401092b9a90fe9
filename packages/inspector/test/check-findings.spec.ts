import { describe, expect, it } from "vitest";
import type { CheckEntry, CheckRun, FindingStatus, PlannedCheck } from "../src/checks/findings.ts";
import { counts, tested } from "../src/checks/findings.ts";

const texts = { title: "", level: "MUST", name: "", source: "", why: "" } as const;
const planned = (group: string, requirement: string): PlannedCheck => {
  return { id: `${group}#${requirement}`, group, requirement, ...texts };
};
const entry = (group: string, requirement: string, status: FindingStatus): CheckEntry => {
  return { id: `${group}#${requirement}`, group, requirement, status, message: "", ms: 1 };
};
const runOf = (entries: readonly CheckEntry[]): CheckRun => {
  const running = { isRunning: true, progress: null };
  return { ...running, entries, report: null, problem: null };
};

describe("the list of tested requirements", () => {
  const list = [
    planned("one", "R-A"),
    planned("one", "R-B"),
    planned("two", "R-A"),
    planned("two", "R-C"),
  ];

  it("shows the worst finding of a requirement's checks", () => {
    const entries = [entry("one", "R-A", "pass"), entry("two", "R-A", "fail")];
    const [row] = tested({ planned: list, run: runOf(entries) });
    expect(row).toMatchObject({ requirement: "R-A", status: "fail", entries });
    const mild = [entry("one", "R-A", "pass"), entry("two", "R-A", "not_applicable")];
    expect(tested({ planned: list, run: runOf(mild) })[0]?.status).toBe("pass");
  });

  it("keeps the order of the checks, and counts requirements by status, the worst first", () => {
    const rows = tested({
      planned: list,
      run: runOf([
        entry("one", "R-A", "pass"),
        entry("one", "R-B", "warn"),
        entry("two", "R-A", "pass"),
        entry("two", "R-C", "pass"),
      ]),
    });
    expect(rows.map(({ requirement }) => requirement)).toEqual(["R-A", "R-B", "R-C"]);
    expect(counts(rows)).toEqual([
      ["warn", 1],
      ["pass", 2],
    ]);
  });
});
