import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requirements, type Finding } from "@countersign/contract-kit";
import { htmlReport, reportOfRun } from "@countersign/contract-kit/report";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeInBrowser, pageOfFile, violationsOf } from "./browser.ts";

const statuses = ["fail", "pass", "warn", "not_applicable", "error", "skipped"] as const;
const statusAt = (index: number) => statuses[index % statuses.length] ?? "pass";

/** Writes a report of every requirement, whose texts have a long word, and returns its address. */
function write(): string {
  const all = requirements();
  const said = `answered 204 ${"a-word-without-an-end-".repeat(20)}`;
  const exchanges = [{ sent: said, received: said }];
  const findings = all.map((requirement, index): Finding => {
    const status = statusAt(index);
    return { check: "receiver/said", requirement, status, message: said, exchanges, ms: index };
  });
  const report = {
    role: "receiver",
    url: "http://127.0.0.1:3000/webhooks",
    profile: profiles.standard,
    version: "2026-11",
    seed: 1,
    failOn: ["exploitable"],
    startedAt: 0,
    isInterrupted: false,
    findings,
    uncovered: all.slice(0, 9).map(({ id }) => id),
    exitCode: 1,
  } as const;
  const file = join(temporaryFolder(), "report.html");
  writeFileSync(file, htmlReport(reportOfRun(report, { notes: [said] })));
  return pathToFileURL(file).href;
}

// That no text of a target becomes code is in the kit's hostile-reports.spec.ts.
describeInBrowser("an HTML report", () => {
  const emptyPage = pageOfFile();

  it.each([
    { width: 1440, theme: "light" },
    { width: 360, theme: "light" },
    { width: 360, theme: "dark" },
  ] as const)("is readable, $width pixels wide, $theme", async (look) => {
    const { page, faults } = await emptyPage("null", look);
    await page.goto(write());
    const code = "script, img, svg, iframe, object, embed, form, base";
    expect(await page.locator(code).count()).toBe(0);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([overflow, await violationsOf(page), faults]).toEqual([0, [], []]);
    expect(await page.locator("article").count()).toBe(
      requirements().filter((_one, index) => ["fail", "warn", "error"].includes(statusAt(index)))
        .length,
    );
    expect(await page.locator("details table").first().isVisible()).toBe(false);
    await page.locator("summary").first().click();
    expect(await page.locator("details table").first().isVisible()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
  });
});
