import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { openInspector } from "./open-inspector.ts";
import { openPage } from "./watch-page.ts";

/** The page's forms and controls, in short; the long lane walks through all of them by keyboard. */
export function controls(browser: () => Promise<Browser>): void {
  it("has every form within reach in a narrow page, shows each control's curl line and obeys keys", async () => {
    const one = await openInspector();
    const { page, faults } = await openPage(await browser(), one, {
      viewport: { width: 360, height: 780 },
    });
    const link = (name: string) => page.getByRole("link", { name });
    const forms = [
      ["Customers", "a new customer"],
      ["Payments", "a new payment"],
      ["Subscriptions", "a new subscription"],
      ["Timeline", "+ event"],
    ] as const;
    for (const [view, name] of forms) {
      await page.getByRole("navigation").getByRole("link", { name: view }).click();
      await link(name).click();
      await page.locator(".detail .primary").waitFor();
    }
    await link("Faults").click();
    const { x = -1 } = (await link("Faults").boundingBox()) ?? {};
    expect(x >= 0 && x < 340).toBe(true);

    await page.setViewportSize({ width: 1280, height: 720 });
    const line = page.locator(".calls summary");
    await page.getByRole("button", { name: "+1 business day" }).hover();
    await line
      .getByText(/^curl -X PUT .* -d '\{"now":"[^"]+"\}' '[^']+\/sandbox\/clock'$/)
      .waitFor();
    for (const view of ["payments", "customers", "subscriptions", "faults", "checks"]) {
      await page.evaluate((hash) => (location.hash = hash), `#/${view}/new`);
      await page.locator("button.primary, .list-head button").first().focus();
      await expect.poll(() => line.innerText()).toMatch(/^curl .*\/sandbox\//);
    }

    await page.evaluate(() => (location.hash = "#/timeline"));
    await page.locator("a.row").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("payment.failed");
    await page.getByText("1 of 15").waitFor();
    await page.locator(".rows").focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("heading", { name: "payment.failed" }).waitFor();
    expect(await page.evaluate(() => location.hash)).toMatch(/^#\/timeline\/evt_/);
    expect(faults).toEqual([]);
  });
}
