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

/** Returns what axe-core finds wrong with a page by WCAG 2.2 AA and best practice, in a line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The script that was just run.
    const { axe } = globalThis as unknown as {
      axe: { run: (context: Document, options: object) => Promise<Found> };
    };
    // Without the lists of what is as it should be, which take half of the time.
    return (await axe.run(document, { resultTypes: ["violations"] })).violations;
  });
  return violations.map(
    ({ id, impact, nodes }) =>
      `${impact ?? ""} ${id}: ${nodes
        .map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`)
        .join(" | ")
        .slice(0, 600)}`,
  );
}
