import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { inspectorOfFile, openInspector } from "./open-inspector.ts";
import { SOON } from "./soon.ts";
import { mouse, tellStory } from "./story.ts";
import { watchPage } from "./watch-page.ts";

/** What somebody does with the page who has never seen it. */
export function firstUse(browser: () => Promise<Browser>): void {
  const shared = inspectorOfFile();

  it("leads from an empty sandbox to a failed, repaired and replayed delivery", async () => {
    const one = await openInspector();
    await one.api("POST", "/sandbox/reset", {});
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await tellStory(page, { one, hand: mouse });
    expect(faults).toEqual([]);
  });

  it("has every form within reach in a narrow page", async () => {
    const one = await shared();
    const { page } = await watchPage(await browser(), one.url, {
      viewport: { width: 360, height: 780 },
    });
    await page.goto(one.address);
    for (const [view, name] of [
      ["Customers", "a new customer"],
      ["Payments", "a new payment"],
      ["Subscriptions", "a new subscription"],
      ["Timeline", "+ event"],
    ] as const) {
      const place = page.getByRole("navigation").getByRole("link", { name: view });
      await place.click();
      await page.getByRole("link", { name }).click();
      await page.locator(".detail .primary").waitFor();
    }
    await page.getByRole("link", { name: "Faults" }).click();
    const { x = -1 } = (await page.getByRole("link", { name: "Faults" }).boundingBox()) ?? {};
    expect(x >= 0 && x < 340).toBe(true);
  });

  it("is worked with the keyboard alone", async () => {
    const one = await shared();
    const { page } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator("a.row").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("payment.failed");
    await page.getByText("1 of 15").waitFor();
    await page.locator(".rows").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "payment.failed" }).waitFor();
    expect(await page.evaluate(() => location.hash)).toMatch(/^#\/timeline\/evt_/);
  });

  it("tells every control's curl line before it is pressed", async () => {
    const one = await shared();
    const { page } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator("a.row").first().waitFor();
    const line = page.locator(".calls summary");
    await page.getByRole("button", { name: "+1 business day" }).hover();
    await line
      .getByText(/^curl -X PUT .* -d '\{"now":"[^"]+"\}' '[^']+\/sandbox\/clock'$/)
      .waitFor();
    for (const view of ["payments", "customers", "subscriptions", "faults", "checks"]) {
      await page.evaluate((hash) => (location.hash = hash), `#/${view}/new`);
      const button = page.locator("button.primary, .list-head button").first();
      await button.focus();
      await expect.poll(() => line.innerText(), SOON).toMatch(/^curl .*\/sandbox\//);
    }
  });
}
