import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

interface Found {
  readonly violations: readonly Violation[];
}

/** What axe-core calls serious or critical about a page, in a line each. */
export async function seriousViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The script that was just run.
    const { axe } = globalThis as unknown as {
      axe: { run: (context: Document, options: object) => Promise<Found> };
    };
    // Without the lists of what is as it should be, which take half of the time.
    return (await axe.run(document, { resultTypes: ["violations"] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`)
          .join(" | ")
          .slice(0, 600)}`,
    );
}
