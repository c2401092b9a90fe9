import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requirements, type Finding } from "@countersign/contract-kit";
import { htmlReport, reportOfRun } from "@countersign/contract-kit/report";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeInBrowser, pageOfFile, violationsOf } from "./browser.ts";
import { hostileTexts } from "./hostile.ts";

const statuses = ["fail", "pass", "warn", "not_applicable", "error", "skipped"] as const;

/** Writes a report of every requirement, with these texts as the target's answers, and returns its address. */
function write(texts: readonly string[]): string {
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
  const report = {
    role: "receiver",
    url: "http://127.0.0.1:3000/webhooks",
    profile: profiles.standard,
    seed: 1,
    failOn: ["exploitable"],
    startedAt: 0,
    isInterrupted: false,
    findings,
    uncovered: all.slice(0, 9).map(({ id }) => id),
    exitCode: 1,
  } as const;
  const folder = temporaryFolder();
  const file = join(folder, "report.html");
  writeFileSync(file, htmlReport(reportOfRun(report, { notes: texts.slice(0, 40) })));
  return pathToFileURL(file).href;
}

describeInBrowser("an HTML report", () => {
  const emptyPage = pageOfFile();
  const plain = ["answered 204", "a-word-without-an-end-".repeat(20)];

  it.each([
    ["hostile texts, 1200 pixels wide, light", hostileTexts, 1200, "light"],
    ["a long word, 1440 pixels wide, dark", plain, 1440, "dark"],
    ["a long word, 360 pixels wide, light", plain, 360, "light"],
    ["a long word, 360 pixels wide, dark", plain, 360, "dark"],
  ] as const)("D6 is readable, and nothing in it runs: %s", async (_, texts, width, theme) => {
    const { page, faults } = await emptyPage("null", { width, theme });
    await page.goto(write(texts));
    expect(await page.locator("article pre").first().innerText()).toContain(
      texts[2 % texts.length],
    );
    const code = "script, img, svg, iframe, object, embed, form, base";
    expect(await page.locator(code).count()).toBe(0);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([overflow, await violationsOf(page), faults]).toEqual([0, [], []]);
    const articles = page.locator("article:visible");
    const before = await articles.count();
    await page.getByLabel("fail").uncheck();
    expect(await articles.count()).toBeLessThan(before);
    await page.getByLabel("fail").check();
    await page.getByLabel("hygiene").uncheck();
    expect(await page.locator('[data-level="hygiene"]:visible').count()).toBe(0);
    await page.getByLabel("hygiene").check();
    expect(await page.locator("details table").first().isVisible()).toBe(false);
    await page.locator("nav a").first().click();
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#receiver/);
    expect(await page.locator("article:target").count()).toBe(1);
    await page.locator("summary").first().click();
    expect(await violationsOf(page)).toEqual([]);
  });
});
