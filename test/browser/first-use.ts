import type { Browser, Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Hand } from "./hand.ts";
import { openInspector } from "./open-inspector.ts";
import { openPage } from "./watch-page.ts";

/** Walks through the first use: from an empty namespace to a delivery that failed, was fixed and replayed. */
export function firstUse(
  browser: () => Promise<Browser>,
  tool: string,
  handOf: (page: Page) => Hand,
): void {
  it(`leads from an empty sandbox to a failed, fixed and replayed delivery with ${tool}`, async () => {
    const one = await openInspector();
    await one.api("POST", "/sandbox/reset", {});
    const { page, faults } = await openPage(await browser(), one);
    const hand = handOf(page);
    const link = (name: string) => page.getByRole("navigation").getByRole("link", { name });
    const button = (name: string) => page.getByRole("button", { name, exact: true });

    // Nothing is there, and the page says what to do first.
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
    await page.getByText("Nobody is subscribed: subscribe").waitFor();
    expect(new URL(page.url()).hash).toBe("#/");

    // A customer with an account, and a payment that settles.
    await hand.press(link("Customers"));
    await hand.press(button("create"));
    await hand.press(button("link"));
    await page.getByRole("cell", { name: "First Sample Bank" }).waitFor();
    await hand.press(link("Payments"));
    await hand.press(button("create"));
    await hand.press(button("settle"));
    await page.locator(".facts .badge.SUCCEEDED").waitFor();

    // A subscription of the one address, and a receiver that fails.
    await hand.press(link("Subscriptions"));
    await hand.press(button("subscribe"));
    await page.locator(".row.resource").waitFor();
    await hand.press(link("Faults"));
    await hand.press(button("receiver answers 500"));
    await hand.fill(page.getByLabel("how often"), "1");
    await hand.press(button("switch on"));
    await page.getByText("once").waitFor();

    // A refund moves: it waits, its event fails, and the schedule says when it is tried again.
    await hand.press(link("Payments"));
    await hand.press(page.locator(".row.resource"));
    await hand.press(button("refund"));
    await page.getByRole("heading", { name: "Refund 1.00 USD" }).waitFor();
    await page.locator(".state.present", { hasText: "PENDING" }).waitFor();
    await page.locator(".calendar .closed, .calendar .open").first().waitFor();
    await hand.press(link("Timeline"));
    await hand.press(page.locator("a.row", { hasText: "refund.pending" }));
    await page.locator(".card .status", { hasText: "500" }).waitFor();
    await page.getByText("Attempt 2 of 10 is due").waitFor();
    expect(one.arrived).toHaveLength(0);

    // The clock goes to what is next: the second attempt repairs it.
    await hand.press(button("next change"));
    await page.locator(".card .badge.delivered").waitFor();
    await page.getByText("attempt 2").waitFor();
    expect(one.arrived).toHaveLength(1);

    // A replay is one further attempt of the same bytes.
    await hand.press(button("replay"));
    await page.getByText("attempt 3").waitFor();
    await expect.poll(() => one.arrived.length).toBe(2);
    expect(one.arrived[1]).toBe(one.arrived[0]);

    // The signature as sent is genuine, and one changed byte is found.
    const attempt = page.locator(".attempts > li", { hasText: "attempt 3" });
    await hand.press(attempt.locator("summary").first());
    await hand.press(attempt.getByText("verify this signature"));
    await page.getByText("genuine").waitFor();
    const body = attempt.getByLabel("body as received");
    await hand.fill(body, (await body.inputValue()).replace("PENDING", "PENDINg"));
    await hand.press(button("verify"));
    await page.getByText("CS_SIGNATURE_MISMATCH").waitFor();
    await page.getByText(/The bodies differ first in byte \d+/).waitFor();
    // A signature that the sandbox refuses as too long is the only refusal.
    expect(await attempt.locator(".refusal").count()).toBe(0);
    await hand.fill(attempt.getByLabel("signature as received"), "x".repeat(8193));
    await hand.press(button("verify"));
    await attempt.locator(".refusal").waitFor();

    // The refund is AUTHORIZED after three business days.
    await hand.press(button("+3 business days"));
    await page.locator("a.row", { hasText: "refund.authorized" }).waitFor();
    expect(faults).toEqual([]);
  });
}
