import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { openInspector } from "./open-inspector.ts";
import { watchPage } from "./watch-page.ts";

describeInBrowser("the inspector's page", () => {
  const browser = browserOfFile();

  it("leads from an empty sandbox to a failed, repaired and replayed delivery", async () => {
    const one = await openInspector();
    await one.api("POST", "/sandbox/reset", {});
    const { page, faults } = await watchPage(await browser(), one.url);
    page.setDefaultTimeout(10_000);
    await page.goto(one.address);
    const link = (name: string) => page.getByRole("navigation").getByRole("link", { name });
    const button = (name: string) => page.getByRole("button", { name, exact: true });

    // Nothing is there, and the page says what to do first.
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/");

    // A customer with an account, and a payment that settles.
    await link("Customers").click();
    await button("create").click();
    await button("link").click();
    await page.getByRole("cell", { name: "First Sample Bank" }).waitFor();
    await link("Payments").click();
    await button("create").click();
    await button("settle").click();
    await page.locator(".facts .badge.SUCCEEDED").waitFor();

    // A subscription of the one address, and a receiver that fails.
    await link("Subscriptions").click();
    await button("subscribe").click();
    await page.locator(".row.resource").waitFor();
    await link("Faults").click();
    await button("receiver answers 500").click();
    await page.getByLabel("how often").fill("1");
    await button("switch on").click();
    await page.getByText("once").waitFor();

    // A refund moves: it waits, its event fails, and the schedule says when it is tried again.
    await link("Payments").click();
    await page.locator(".row.resource").click();
    await button("refund").click();
    await page.getByRole("heading", { name: "Refund 1.00 USD" }).waitFor();
    await page.locator(".state.present", { hasText: "PENDING" }).waitFor();
    await page.locator(".calendar .closed, .calendar .open").first().waitFor();
    await link("Timeline").click();
    await page.locator("a.row", { hasText: "refund.pending" }).click();
    await page.locator(".card .status", { hasText: "500" }).waitFor();
    await page.getByText("Attempt 2 of 10 is due").waitFor();
    expect(one.arrived).toHaveLength(0);

    // The clock goes to what is next: the second attempt repairs it.
    await button("next change").click();
    await page.locator(".card .badge.delivered").waitFor();
    await page.getByText("attempt 2").waitFor();
    expect(one.arrived).toHaveLength(1);

    // A replay is one further attempt of the same bytes.
    await button("replay").click();
    await page.getByText("attempt 3").waitFor();
    await expect.poll(() => one.arrived.length).toBe(2);
    expect(one.arrived[1]).toBe(one.arrived[0]);

    // The signature as sent is genuine, and one changed byte is found.
    const attempt = page.locator(".attempts > li", { hasText: "attempt 3" });
    await attempt.locator("summary").first().click();
    await attempt.getByText("verify this signature").click();
    await page.getByText("genuine").waitFor();
    const body = attempt.getByLabel("body as received");
    await body.fill((await body.inputValue()).replace("PENDING", "PENDINg"));
    await button("verify").click();
    await page.getByText("CS_SIGNATURE_MISMATCH").waitFor();
    await page.getByText(/The bodies differ first in byte \d+/).waitFor();

    // The refund is AUTHORIZED after three business days.
    await button("+3 business days").click();
    await page.locator("a.row", { hasText: "refund.authorized" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("shows what happens as it happens, and after a break what was missed", async () => {
    const one = await openInspector();
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator(".live.on").waitFor();
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await page.locator("a.row", { hasText: "account.linked" }).first().waitFor();
    await page.context().setOffline(true);
    await one.api("POST", "/sandbox/events", { type: "payment.canceled" });
    await page.context().setOffline(false);
    await page.reload();
    await page.locator("a.row", { hasText: "payment.canceled" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("is worked with the keyboard alone", async () => {
    const one = await openInspector();
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

  it("holds still while it is paused, and says how many events it keeps back", async () => {
    const one = await openInspector();
    const { page } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator(".live.on").waitFor();
    await page.getByRole("button", { name: "pause" }).click();
    await one.api("POST", "/sandbox/events", { type: "account.updated" });
    await page.getByRole("button", { name: "resume (1 new)" }).waitFor();
    expect(await page.locator("a.row", { hasText: "account.updated" }).count()).toBe(0);
    await page.getByRole("button", { name: "resume (1 new)" }).click();
    await page.locator("a.row", { hasText: "account.updated" }).waitFor();
  });
});
