import { readdirSync, readFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { profiles } from "@countersign/schemas/profiles";
import type { Locator } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { buildInspector } from "../../packages/dev/src/build-inspector.ts";
import { listen } from "../../packages/sandbox/test/listen.ts";
import { seed } from "../seed.ts";
import { browserOfFile, describeInBrowser, mouse, goTo, openPage, watchPage } from "./browser.ts";
import { hostileTextsInPage, someHostileTexts } from "./hostile.ts";
import { accessible } from "./looks.ts";
import { KEY, openInspector } from "./open-inspector.ts";
import { askRefund } from "./scene.ts";
import { opener, startOpened } from "./start-opened.ts";
import { tasks } from "./tasks.ts";

// One file, one browser: starting one takes as long as most of these tests. The long lane has the long forms.
describeInBrowser("the inspector's page", () => {
  const browser = browserOfFile();
  tasks(browser, `a mouse, some drawn with seed ${String(seed)}`, () => mouse, 5);
  hostileTextsInPage(browser, someHostileTexts.slice(0, 25));
  const sample = ["event", "faults"];
  accessible(browser, [{ width: 360, theme: "dark" }], ({ name }) => sample.includes(name));

  it("has scripts of at most 110 kB packed", () => {
    const { folder } = buildInspector();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const scripts = files.filter((name) => name.endsWith(".js"));
    const packed = scripts.map((name) => gzipSync(readFileSync(join(folder, name))).length);
    expect(scripts.length).toBeGreaterThan(0);
    expect(packed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(110_000);
  });

  it.skipIf(opener === "")(
    "is opened by countersign sandbox --open, with its session",
    async () => {
      const { opened, end } = await startOpened();
      const tab = await (await browser()).newPage();
      await tab.goto(opened[0] ?? "");
      await tab.locator(".connection.live").waitFor();
      expect(new URL(tab.url()).pathname).toBe("/inspector/");
      await tab.close();
      expect(await end()).toBe(0);
    },
  );

  it("offers no checks without --deliver-to, and no payments that the profile does not have", async () => {
    const { standard } = profiles;
    const catalogue = standard.catalogue.filter(({ category }) => category === "CUSTOMER");
    const profile = { ...standard, name: "customers-only", catalogue };
    const one = await openInspector({ noTarget: true, profile });
    const { page } = await openPage(await browser(), one);
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(["Events", "Customers", "Endpoints", "Checks"]);
    await goTo(page, "#/checks");
    await page.getByText("countersign sandbox --deliver-to").waitFor();
    expect(await page.getByRole("button", { name: /Run/ }).count()).toBe(0);
  });

  it("keeps rows in place while the pointer is on them, and its filters in the address", async () => {
    const one = await openInspector();
    const emit = (type: string) => one.api("POST", "/sandbox/events", { type });
    const { page, faults } = await openPage(await browser(), one);
    await page.getByText("15 of 15 events").waitFor();
    const third = page.getByRole("row").nth(3);
    await third.hover();
    const before = await third.innerText();
    await emit("account.updated");
    await emit("customer.created");
    await page.getByText("17 of 17 events").waitFor();
    expect(await third.innerText()).toBe(before);
    await page.getByRole("button", { name: "↑ 2 new" }).click();
    await page.getByRole("row", { name: "account.updated" }).waitFor();

    await page.getByRole("searchbox", { name: "Search these events" }).fill("account.updated");
    await page.getByText("1 of 17 events").waitFor();
    expect(page.url()).toContain("q=account.updated");
    await page.getByRole("row", { name: "account.updated" }).getByRole("link").click();
    await page.getByRole("heading", { name: "account.updated" }).waitFor();
    expect(await page.title()).toMatch(/^evt_[\w-]+ · Countersign inspector$/);
    await page.goBack();
    await page.getByRole("heading", { name: "Next steps" }).waitFor();
    await page.getByText("1 of 17 events").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.getByText("17 of 17 events").waitFor();
    await goTo(page, "#/payments/pay_unknown");
    await page.getByRole("heading", { name: "No such payment" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("lists a payment's refunds under a heading, and shows none without refunds", async () => {
    const one = await openInspector();
    const { payment, refund } = await askRefund(one);
    const { page } = await openPage(await browser(), one);
    const heading = page.getByRole("heading", { name: "Refunds", exact: true });
    await goTo(page, `#/payments/${payment}`);
    await heading.waitFor();
    await page.getByRole("listitem").filter({ hasText: refund }).first().waitFor();
    await page.getByRole("navigation", { name: "Views" }).getByText("Payments").click();
    await page
      .getByRole("row", { name: /^SUCCEEDED 100\.00 USD/ })
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: "Payment 100.00 USD" }).waitFor();
    expect(await heading.count()).toBe(0);
  });

  it("follows an address that changes during the first draw, and leaves the focus to a quick reader when a dialog closes", async () => {
    const one = await openInspector();
    const { page } = await watchPage(await browser(), one.url);
    await page.addInitScript(() => {
      const watch = new MutationObserver(() => {
        if (document.querySelector("#page > *") === null) return;
        watch.disconnect();
        location.hash = "#/payments";
      });
      watch.observe(document, { childList: true, subtree: true });
    });
    await page.goto(one.address);
    await page.getByRole("heading", { name: "Payments" }).waitFor();

    const hasFocus = (place: Locator): Promise<boolean> =>
      place.evaluate((element) => element === document.activeElement);
    const adding = page.getByRole("button", { name: "New payment" });
    const dialog = page.getByRole("dialog");
    await adding.click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus(adding)).toBe(true);
    await adding.click();
    await dialog.evaluate((element: HTMLDialogElement) => {
      element.close();
      document.querySelector<HTMLElement>("[role=combobox]")?.focus();
    });
    await dialog.waitFor({ state: "detached" });
    expect(await hasFocus(page.getByRole("combobox", { name: "Search everything" }))).toBe(true);
  });

  it("resends in bulk with the count first, and sends an edited copy digit for digit", async () => {
    const one = await openInspector();
    await one.api("POST", "/sandbox/inspect/endpoints", { subscriptionDetails: { type: "ALL" } });
    one.receiver.statusOf = () => 500;
    for (const type of ["payment.created", "payment.failed", "customer.created"])
      await one.api("POST", "/sandbox/events", { type });
    await one.api("PUT", "/sandbox/clock", { advance: "PT0S" });
    one.receiver.statusOf = () => 204;
    const { page, faults } = await openPage(await browser(), one);
    await page.getByRole("button", { name: "Resend all failing…" }).click();
    await page.getByText("3 deliveries").waitFor();
    const before = one.arrived.length;
    await page.getByRole("button", { name: "Resend 3" }).click();
    await page.getByText("3 sent again.").waitFor();
    await expect.poll(() => one.arrived.length).toBe(before + 3);

    await page.getByRole("row", { name: "payment.created" }).first().getByRole("link").click();
    await page.getByRole("button", { name: "Edit and send a copy" }).click();
    const field = page.getByRole("textbox", { name: "Data, JSON" });
    expect(await field.inputValue()).toContain('"value": 10.50');
    await field.fill((await field.inputValue()).replace("10.50", "20.70"));
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect.poll(() => one.arrived.at(-1)).toContain('"value":20.70');
    expect(faults).toEqual([]);
  });

  it("shows what a move of the clock waits for, and stops it", async () => {
    const one = await openInspector();
    // This endpoint answers once the test has ended.
    const waiting = Promise.withResolvers<void>();
    onTestFinished(() => waiting.resolve());
    const url = await listen((_, response) => void waiting.promise.then(() => response.end()));
    await one.api("POST", "/sandbox/inspect/endpoints", { subscriptionDetails: { type: "ALL" } });
    one.receiver.statusOf = () => 500;
    await one.api("POST", "/sandbox/events", { type: "payment.created" });
    await one.api("PUT", "/sandbox/clock", { advance: "PT0S" });
    await one.api("POST", "/v1/webhook/subscribe", {
      url,
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "ALL" },
    });
    await one.api("POST", "/sandbox/events", { type: "payment.canceled" });
    const { page, faults } = await openPage(await browser(), one);
    await page.getByText("Sending…").first().waitFor();
    await page.getByRole("button", { name: "3 business days" }).click();
    await page.getByText(/^1 of \d+ due items · payment\.\w+: waiting for .* \d+\/15 s$/).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "3 business days" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("reconnects, says that the sandbox has stopped, and opens a new key in the same tab", async () => {
    const one = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const way = await openCuttable(one.port);
    const origin = `http://127.0.0.1:${String(way.port)}`;
    const at = { url: origin, address: `${origin}/inspector/#key=${KEY}` };
    const { page, faults } = await openPage(await browser(), at);
    await page.getByText("Live", { exact: true }).waitFor();
    way.cut();
    await page.getByText(/^Reconnecting \d+ s$/).waitFor();
    await one.api("POST", "/sandbox/events", { type: "payment.canceled" });
    way.restore();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("row", { name: "payment.canceled" }).waitFor();

    // Another run of the sandbox has the same address, and does not know the session.
    const other = await openInspector({ allowedHosts: ["127.0.0.1"] });
    await one.sandbox.close({ graceMs: 0 });
    way.leadTo(other.port);
    await page.getByText("The sandbox has stopped.").waitFor();
    expect(await page.getByRole("button", { name: "3 business days" }).isDisabled()).toBe(true);
    await page.evaluate((key) => (location.hash = `#key=${key}`), KEY);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("15 of 15 events").waitFor();
    expect(faults).toEqual([]);
  });
});

/** Opens a way to a port of this machine; until `restore`, `cut` ends all connections and refuses new ones. */
async function openCuttable(first: number) {
  const open = new Set<net.Socket>();
  let isCut = false;
  let to = first;
  const server = net.createServer((near) => {
    const far = net.connect(to, "127.0.0.1");
    const end = (): void => [near, far].forEach((socket) => void socket.destroy());
    for (const socket of [near, far]) {
      open.add(socket);
      // Connections break here on purpose.
      socket.on("error", end).on("close", end);
    }
    if (isCut) end();
    else near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { port, cut, restore: () => (isCut = false), leadTo: (other: number) => (to = other) };
}
