import type { Browser, Request } from "playwright-core";
import { expect, it } from "vitest";
import { cuttable } from "./cuttable.ts";
import { KEY, openInspector } from "./open-inspector.ts";
import { SOON } from "./soon.ts";
import { watchPage } from "./watch-page.ts";

/** What the page does while things happen. */
export function streaming(browser: () => Promise<Browser>): void {
  it("goes on by itself where its stream broke, without reading anything again", async () => {
    const one = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const way = await cuttable(one.port);
    const origin = `http://127.0.0.1:${String(way.port)}`;
    const { page, faults } = await watchPage(await browser(), origin);
    const asked: Request[] = [];
    page.on("request", (request) => asked.push(request));
    const of = (path: string) => asked.filter((request) => request.url().includes(path));
    await page.goto(`${origin}/inspector/#key=${KEY}`);
    await page.locator(".live.on").waitFor();
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await page.locator("a.row", { hasText: "account.linked" }).first().waitFor();
    const before = of("/inspect/timeline").length;

    way.cut();
    await page.getByText("connecting…").waitFor();
    for (const type of ["payment.canceled", "account.updated"]) {
      await one.api("POST", "/sandbox/events", { type });
    }
    way.mend();
    await page.locator(".live.on").waitFor();
    await page.locator("a.row", { hasText: "payment.canceled" }).waitFor();
    await page.locator("a.row", { hasText: "account.updated" }).waitFor();

    const last = of("/sandbox/stream").at(-1);
    expect(await last?.headerValue("last-event-id")).toMatch(/^[\w-]+\.\d+$/);
    expect(of("/inspect/timeline")).toHaveLength(before);
    expect(faults).toEqual([]);
  });

  it("says that the sandbox has ended its session", async () => {
    const one = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const other = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const way = await cuttable(one.port);
    const origin = `http://127.0.0.1:${String(way.port)}`;
    const { page } = await watchPage(await browser(), origin);
    await page.goto(`${origin}/inspector/#key=${KEY}`);
    await page.locator(".live.on").waitFor();
    // Another run of the sandbox is at the same address, and knows nothing of the session.
    await page.route("**/inspector/api/**", (route) =>
      route.continue({ url: route.request().url().replace(origin, other.url) }),
    );
    way.cut();
    way.mend();
    await page.getByText("ended: open the address that the sandbox has printed").waitFor();
    expect(await page.locator(".live.on").count()).toBe(0);
  });

  it("moves nothing that somebody looks at while events stream in", async () => {
    const one = await openInspector();
    const { page, faults } = await watchPage(await browser(), one.url);
    for (let made = 0; made < 25; made += 1) {
      await one.api("POST", "/sandbox/events", { type: "customer.created" });
    }
    await page.goto(one.address);
    await page.getByText("40 events").waitFor();
    await page.locator(".rows").evaluate((element) => (element.scrollTop = 0));
    const pointed = page.locator("a.row", { hasText: "customer.created" }).nth(3);
    const id = await pointed.getAttribute("href");
    await pointed.click();
    await page.getByText("fits the schema").waitFor();
    const places = async (): Promise<unknown[]> =>
      Promise.all(
        [`a.row[href="${String(id)}"]`, "article h1", ".clock .buttons", ".pause", ".calls"].map(
          (selector) => page.locator(selector).first().boundingBox(),
        ),
      );
    const before = await places();
    await page.evaluate(() => {
      const shifts: string[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        // Chromium's Layout Instability API: what has moved though nobody scrolled or typed.
        for (const entry of list.getEntries() as (PerformanceEntry & {
          sources: readonly { node: Node | null }[];
        })[]) {
          for (const { node } of entry.sources) {
            // Digits that a counter gains within its own box.
            const isCounter = node?.parentElement?.closest(".count, .newer") != null;
            if (!isCounter) shifts.push(node instanceof Element ? node.className : "text");
          }
        }
      }).observe({ type: "layout-shift" });
    });
    for (let made = 0; made < 150; made += 1) {
      await one.api("POST", "/sandbox/events", { type: "account.linked" });
    }
    await page.getByText("190 events").waitFor();
    await page.getByRole("button", { name: "↑ 150 new" }).waitFor();
    expect(await places()).toEqual(before);
    // What was put there above.
    const moved = await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts);
    expect(moved).toEqual([]);

    await page.getByRole("button", { name: "↑ 150 new" }).click();
    await page.locator("a.row", { hasText: "account.linked" }).first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: /↑/ }).count(), SOON).toBe(0);
    expect(faults).toEqual([]);
  });

  it("forgets what a reset has forgotten", async () => {
    const one = await openInspector();
    await one.api("POST", "/sandbox/outcomes", { outcome: "rejected", code: "CS_X" });
    const { page } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.getByText("15 events").waitFor();
    await page.locator(".more summary").click();
    await page.getByLabel("forget everything").check();
    await page.getByRole("button", { name: "reset" }).click();
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator(".more").getAttribute("open")).toBeNull();
    expect((await one.api("GET", "/sandbox/outcomes")).body).toEqual({ outcomes: [] });
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
}
