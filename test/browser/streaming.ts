import type { Browser, Request } from "playwright-core";
import { expect, it } from "vitest";
import { openCuttable } from "./cuttable.ts";
import { KEY, openInspector } from "./open-inspector.ts";
import { openPage } from "./watch-page.ts";

/** Tests of the page while events arrive. */
export function streaming(browser: () => Promise<Browser>): void {
  it("resumes a broken stream without reading anything again, and reports the end of its session", async () => {
    const one = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const other = await openInspector({ allowedHosts: ["127.0.0.1"] });
    const way = await openCuttable(one.port);
    const origin = `http://127.0.0.1:${String(way.port)}`;
    const at = { url: origin, address: `${origin}/inspector/#key=${KEY}` };
    const { page, faults } = await openPage(await browser(), at);
    const sent: Request[] = [];
    page.on("request", (request) => sent.push(request));
    const sentTo = (path: string) => sent.filter((request) => request.url().includes(path));
    const row = (type: string) => page.locator("a.row", { hasText: type }).first();
    await page.locator(".live.on").waitFor();
    await one.api("POST", "/sandbox/events", { type: "account.linked" });
    await row("account.linked").waitFor();
    const before = sentTo("/inspect/timeline").length;

    way.cut();
    await page.getByText("connecting…").waitFor();
    for (const type of ["payment.canceled", "account.updated"])
      await one.api("POST", "/sandbox/events", { type });
    way.restore();
    await page.locator(".live.on").waitFor();
    await row("payment.canceled").waitFor();
    await row("account.updated").waitFor();
    const last = sentTo("/sandbox/stream").at(-1);
    expect(await last?.headerValue("last-event-id")).toMatch(/^[\w-]+\.\d+$/);
    expect(sentTo("/inspect/timeline")).toHaveLength(before);
    expect(faults).toEqual([]);

    // Another run of the sandbox has the same address, and does not know the session.
    await page.route("**/inspector/api/**", (route) =>
      route.continue({ url: route.request().url().replace(origin, other.url) }),
    );
    way.cut();
    way.restore();
    await page.getByText("ended: open the address that the sandbox has printed").waitFor();
    expect(await page.locator(".live.on").count()).toBe(0);
  });

  it("keeps everything in place while events stream in, pauses, and forgets after a reset", async () => {
    const one = await openInspector();
    const emit = async (type: string, count: number): Promise<void> => {
      for (let made = 0; made < count; made += 1)
        await one.api("POST", "/sandbox/events", { type });
    };
    await emit("customer.created", 25);
    await one.api("POST", "/sandbox/outcomes", { outcome: "rejected", code: "CS_X" });
    const { page, faults } = await openPage(await browser(), one);
    await page.getByText("40 events").waitFor();
    await page.locator(".rows").evaluate((element) => (element.scrollTop = 0));
    const pointed = page.locator("a.row", { hasText: "customer.created" }).nth(3);
    const id = await pointed.getAttribute("href");
    await pointed.click();
    await page.getByText("fits the schema").waitFor();
    const watched = [`a.row[href="${String(id)}"]`, "article h1", ".clock .buttons", ".pause"];
    const places = (): Promise<unknown[]> =>
      Promise.all(
        [...watched, ".calls"].map((selector) => page.locator(selector).first().boundingBox()),
      );
    const before = await places();
    await page.evaluate(() => {
      const shifts: string[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        // Chromium's Layout Instability API: elements that moved without scrolling or typing.
        for (const { sources } of list.getEntries() as (PerformanceEntry & {
          sources: readonly { node: Node | null }[];
        })[]) {
          for (const { node } of sources) {
            // A counter gains digits within its own box.
            const isCounter = node?.parentElement?.closest(".count, .newer") != null;
            if (!isCounter) shifts.push(node instanceof Element ? node.className : "text");
          }
        }
      }).observe({ type: "layout-shift" });
    });
    await emit("account.linked", 150);
    await page.getByText("190 events").waitFor();
    await page.getByRole("button", { name: "↑ 150 new" }).waitFor();
    expect(await places()).toEqual(before);
    // Set above.
    const moved = await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts);
    expect(moved).toEqual([]);
    await page.getByRole("button", { name: "↑ 150 new" }).click();
    await page.locator("a.row", { hasText: "account.linked" }).first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: /↑/ }).count()).toBe(0);

    await page.getByRole("button", { name: "pause" }).click();
    await emit("account.updated", 1);
    await page.getByRole("button", { name: "resume (1 new)" }).waitFor();
    const paused = page.locator("a.row", { hasText: "account.updated" });
    expect(await paused.count()).toBe(0);
    await page.getByRole("button", { name: "resume (1 new)" }).click();
    await paused.waitFor();

    await page.locator(".more summary").click();
    await page.getByLabel("forget everything").check();
    await page.getByRole("button", { name: "reset" }).click();
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator(".more").getAttribute("open")).toBeNull();
    expect((await one.api("GET", "/sandbox/outcomes")).body).toEqual({ outcomes: [] });
    expect(faults).toEqual([]);
  });
}
