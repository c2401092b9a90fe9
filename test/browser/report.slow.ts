import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  htmlReport,
  requirements,
  reportOfRun,
  type Finding,
  type ReportDocument,
} from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it, onTestFinished } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { seriousViolations } from "./serious-violations.ts";
import { watchPage } from "./watch-page.ts";

const statuses = ["fail", "pass", "warn", "not_applicable", "error", "skipped"] as const;

/** A report of every requirement, with these texts as the target's answers. */
function reportOf(texts: readonly string[]): ReportDocument {
  const all = requirements();
  const findings = all.map((requirement, index): Finding => {
    const said = (place: number): string => texts[(index * 4 + place) % texts.length] ?? "";
    return {
      check: "receiver/said",
      requirement,
      status: statuses[index % statuses.length] ?? "pass",
      message: said(0),
      evidence: { curl: [said(1)], exchanges: [{ sent: said(2), received: said(3) }] },
      ms: index,
    };
  });
  return reportOfRun(
    {
      role: "receiver",
      url: "http://127.0.0.1:3000/webhooks",
      profile: profiles.standard,
      seed: 1,
      isStrict: false,
      startedAt: 0,
      isInterrupted: false,
      findings,
      uncovered: all.slice(0, 9).map(({ id }) => id),
      exitCode: 1,
    },
    { replay: (check) => `again ${check}`, notes: texts.slice(0, 40) },
  );
}

/** Writes the report and returns its address. */
function write(document: ReportDocument): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-report-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "report.html");
  writeFileSync(file, htmlReport(document));
  return pathToFileURL(file).href;
}

describeInBrowser("an HTML report", () => {
  const browser = browserOfFile();

  it("D6 shows hostile texts as text: no dialog, no policy violation, no request", async () => {
    const document = reportOf(hostileTexts);
    const { page, faults } = await watchPage(await browser(), "null");
    await page.goto(write(document));
    await page.locator("summary").first().click();
    const shown = ["fail", "warn", "error"];
    const count = document.entries.filter(({ status }) => shown.includes(status)).length;
    expect(await page.locator("article").count()).toBe(count);
    expect(await page.locator("article pre").first().innerText()).toContain("<script>");
    const code = "script, img, svg, iframe, object, embed, form, base";
    expect(await page.locator(code).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it.each([
    [360, "light"],
    [360, "dark"],
    [1200, "light"],
    [1200, "dark"],
  ] as const)("is readable %i pixels wide in the %s theme", async (width, colorScheme) => {
    const options = { viewport: { width, height: 800 }, colorScheme };
    const { page, faults } = await watchPage(await browser(), "null", options);
    await page.goto(write(reportOf(["answered 204", "a-word-without-an-end-".repeat(20)])));
    await page.locator("summary").first().click();
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([overflow, await seriousViolations(page), faults]).toEqual([0, [], []]);
    await page.locator("td a").first().click();
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#receiver/);
    expect(await page.locator("article:target").count()).toBe(1);
  });
});
