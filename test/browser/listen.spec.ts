import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { atEndOfFile } from "../temporary-folder.ts";
import { describeInBrowser, goTo, openPage, pageOfFile, violationsOf } from "./browser.ts";
import { openListenScene, STRIPE_SECRET } from "./listen-scene.ts";

describeInBrowser("the inspector on countersign listen", { tags: "ci" }, () => {
  const emptyPage = pageOfFile();
  const atEnd = atEndOfFile();
  let scene: Awaited<ReturnType<typeof openListenScene>>;
  let page: Page;
  let faults: readonly string[];
  beforeAll(async () => {
    scene = await openListenScene(atEnd);
    ({ page, faults } = await openPage(emptyPage, scene));
    await page.getByText("7 of 7 events").waitFor();
  });

  describe("in few clicks", () => {
    let clicks = 0;
    const click = async (place: Locator): Promise<void> => {
      clicks += 1;
      await place.click();
    };
    const choose = async (name: string, option: string): Promise<void> => {
      clicks += 1;
      await page.getByRole("combobox", { name, exact: true }).selectOption(option);
    };
    const row = (name: string): Locator =>
      page.getByRole("row", { name }).first().getByRole("link").first();
    const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
    /** Runs a task from the list of events, and expects its number of clicks. */
    const counted = async (most: number, run: () => Promise<void>): Promise<void> => {
      await goTo(page, "#/events");
      await page.getByRole("table").waitFor();
      clicks = 0;
      await run();
      expect(clicks).toBe(most);
      expect(faults).toEqual([]);
    };

    it("says why a Stripe event was refused, clicks: 1", () =>
      counted(1, async () => {
        await click(row("checkout.session.completed"));
        const why = page.locator(".why");
        await why
          .getByText(/^The timestamp is 36\d\d s old, and the tolerance is 300 s\.$/)
          .waitFor();
        expect(await why.textContent()).toContain("Synchronise this machine's clock");
      }));

    it("lists all that were refused in the last hour for one cause, clicks: 2", () =>
      counted(2, async () => {
        await choose("Cause", "secret-other");
        await choose("Any time", "1h");
        await page.getByText("3 of 7 events").waitFor();
        expect(await page.getByRole("row", { name: "charge.refunded" }).count()).toBe(3);
      }));

    it("sends the same event again with another amount, clicks: 3", () =>
      counted(3, async () => {
        await click(row("invoice.paid"));
        await click(button("Edit and send a copy"));
        const field = page.getByRole("textbox", { name: "Body" });
        await expect.poll(() => field.inputValue()).toContain('"amount": 1050');
        await field.fill((await field.inputValue()).replace("1050", "500"));
        await click(button("Send"));
        await page.getByText("Delivered at the first attempt.").waitFor();
        expect(scene.arrived.at(-1)).toContain('"amount":500');
      }));

    it("copies a failing event as a test in vitest, clicks: 2", () =>
      counted(2, async () => {
        await click(row("invoice.payment_failed"));
        await click(button("Copy as a vitest test"));
        await page.getByText("Copied.").waitFor();
        const code = await page.evaluate(() => navigator.clipboard.readText());
        expect(code).toContain('import { stripe } from "@countersign/receiver/providers";');
        expect(code).toContain('it("handles invoice.payment_failed"');
        // A masked body would not be the event's.
        expect(code).toContain("zoe@example.com");
      }));

    it("resends a refused event with a signature of now, clicks: 2", () =>
      counted(2, async () => {
        const before = scene.arrived.length;
        await click(row("checkout.session.completed"));
        await click(button("Resend"));
        await page.getByText("Delivered after it had failed once.").waitFor();
        expect(scene.arrived.length).toBe(before + 1);
      }));
  });

  it("shows the text that Stripe signs part by part, and personal members only on request", async () => {
    await goTo(page, "#/events");
    await page.getByRole("row", { name: "invoice.paid" }).last().getByRole("link").first().click();
    await page.getByRole("link", { name: "Signature", exact: true }).click();
    const signed = page.getByRole("region", { name: "Signed text" });
    await signed.waitFor();
    for (const name of ["timestamp", "text", "body"])
      expect(await signed.getByTitle(name, { exact: true }).count()).toBe(1);
    expect(await signed.textContent()).toMatch(/^\d{10}\.\{/);
    expect(await page.content()).not.toContain("zoe@example.com");
    await page.getByRole("link", { name: "Payload", exact: true }).click();
    await page.getByText('"amount"').first().waitFor();
    expect(await page.content()).not.toContain("zoe@example.com");
    await page.getByRole("link", { name: "Show them" }).click();
    await page.getByText("zoe@example.com").first().waitFor();
    expect(await page.content()).not.toContain(STRIPE_SECRET.slice(6));
  });

  it.each([
    { width: 1440, theme: "light" },
    { width: 375, theme: "dark" },
  ] as const)("violates no accessibility rule at $width px in the $theme theme", async (look) => {
    ({ page, faults } = await openPage(emptyPage, scene, look));
    await page.getByRole("table").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page
      .getByRole("row", { name: "charge.refunded" })
      .first()
      .getByRole("link")
      .first()
      .click();
    await page.locator(".why").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const isTooWide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect({ isTooWide, faults }).toEqual({ isTooWide: false, faults: [] });
  });
});
