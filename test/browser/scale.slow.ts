import type { Driver } from "@countersign/service";
import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { openInspector } from "./open-inspector.ts";
import { watchPage } from "./watch-page.ts";

const EVENTS = 100_000;

describeInBrowser("the inspector with 100,000 events of 1 KB", () => {
  const browser = browserOfFile();

  it("C9 answers within 100 ms and keeps below 250 MB", async () => {
    const one = await openInspector();
    await fill(one.sandbox.service.driver, EVENTS);
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator("a.row").first().waitFor();
    for (let pages = 1; pages < EVENTS / 1000; pages += 1) {
      const before = await page.locator(".count").innerText();
      await page.locator(".rows").evaluate((element) => (element.scrollTop = element.scrollHeight));
      await page.getByRole("button", { name: "older events" }).click();
      await expect
        .poll(() => page.locator(".count").innerText(), { interval: 5, timeout: 10_000 })
        .not.toBe(before);
    }
    await page.getByText("100,000 events").waitFor();

    // A burst comes in while somebody types.
    await page.locator(".live.on").waitFor();
    await page.evaluate(async () => {
      // The last pages are drawn: what is measured begins here.
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const inputs = new Map<number, number>();
      Object.assign(globalThis, { inputs });
      new PerformanceObserver((list) => {
        // What the Event Timing API tells of a key or a click: until the next frame is painted.
        for (const entry of list.getEntries() as (PerformanceEventTiming & {
          interactionId: number;
        })[]) {
          const { interactionId: id, duration } = entry;
          if (id > 0) inputs.set(id, Math.max(duration, inputs.get(id) ?? 0));
        }
      }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    });
    const burst = (async () => {
      for (let sent = 0; sent < 300; sent += 1) {
        await one.api("POST", "/sandbox/events", { type: "customer.created" });
      }
    })();
    await page.getByRole("searchbox").focus();
    for (const letter of "refund.authorized pay_1234") await page.keyboard.type(letter);
    for (let count = 0; count < 12; count += 1) await page.keyboard.press("Backspace");
    await burst;
    await page.getByRole("searchbox").fill("");
    await page.locator(".rows").evaluate((element) => (element.scrollTop = 2_000_000));
    await page.locator("a.row").first().click();
    const { durations, heap } = await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      // What was put there above, and what Chromium alone has.
      const { inputs } = globalThis as unknown as { inputs: Map<number, number> };
      const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
      return {
        durations: [...inputs.values()].toSorted((a, b) => a - b),
        heap: memory.usedJSHeapSize,
      };
    });
    // Those that a busy machine holds up are told, not counted: one in twenty.
    const common = durations[Math.floor(durations.length * 0.95) - 1] ?? 0;
    console.info(
      `${String(durations.length)} inputs: 95 % within ${String(common)} ms, slowest ${String(durations.at(-1))} ms; heap ${(heap / 1e6).toFixed(0)} MB`,
    );
    // Faster ones than 16 ms are not told by the browser.
    expect(durations.length).toBeGreaterThan(5);
    expect(common).toBeLessThanOrEqual(100);
    expect(heap).toBeLessThan(250e6);
    expect(faults).toEqual([]);
  });

  it("is painted within a second", async () => {
    const one = await openInspector();
    const { page } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator("a.row").first().waitFor();
    const painted = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
    );
    console.info(`first paint ${painted.toFixed(0)} ms`);
    expect(painted).toBeLessThan(1000);
  });
});

/** Writes events straight into the store: what is measured is the page. */
async function fill(driver: Driver, count: number): Promise<void> {
  const [merchant] = await driver.query<{ id: string; clock_id: string }>(
    "SELECT id, clock_id FROM merchants",
  );
  const padding = "x".repeat(850);
  await driver.transaction((tx) =>
    tx.query(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
     INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
     SELECT 'evt_' || n, $2, $3, 'refund.authorized', 'PAYMENT',
       '{"id":"evt_' || n || '","type":"refund.authorized","category":"PAYMENT","data":{"paymentId":"ref_' || n || '","note":"' || $4 || '"}}',
       1795000000000 + n FROM numbers`,
      [count, merchant?.id ?? "", merchant?.clock_id ?? "", padding],
    ),
  );
}
