import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { drawn } from "../seed.ts";
import { type EmptyPage, goTo, openPage, type WatchedPage } from "./browser.ts";
import type { Scene } from "./scene.ts";

/**
 * Everyday tasks from the page's first view by the keyboard only, each with its number of presses. Typing does not
 * count. With `count`, the run's seed draws so many of them.
 */
export function tasks(emptyPage: EmptyPage, sceneOf: () => Scene, count?: number): void {
  describe("with the keyboard only", () => {
    let watched: WatchedPage;
    let presses = 0;
    const press = async (place: Locator): Promise<void> => {
      presses += 1;
      await pressByKeyboard(watched.page, place);
    };
    const button = (name: string | RegExp): Locator =>
      watched.page.getByRole("button", { name, exact: true });
    const view = (name: string): Locator =>
      watched.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
    const sees = (text: string | RegExp): Promise<void> =>
      watched.page.getByText(text).first().waitFor();
    const failed = (): Locator =>
      watched.page.getByRole("row", { name: "payment.failed" }).getByRole("link").first();

    beforeAll(async () => {
      watched = await openPage(emptyPage, sceneOf().one);
    });

    const all: (() => void)[] = [];
    const task = (name: string, most: number, run: (scene: Scene) => Promise<void>): void => {
      all.push(() =>
        it(`${name}, presses: ${String(most)}`, async () => {
          await goTo(watched.page, "#/events");
          await watched.page.getByRole("table").waitFor();
          presses = 0;
          await run(sceneOf());
          expect(presses).toBe(most);
          expect(watched.faults).toEqual([]);
        }),
      );
    };

    task("says why the last webhook failed, the cause and the fix", 1, async ({ failing }) => {
      await press(failed());
      await sees("Failed 2 times. Your endpoint answered 503: CS_HANDLER_FAILED.");
      await sees("CS_HANDLER_FAILED: your handler threw.");
      await sees("Read the error in your app's log");
      await sees(/Next retry in [\d.]+ \w+ of sandbox time, ◷ /);
      expect(watched.page.url()).toContain(`#/events/${failing}`);
    });

    task("shows its raw bytes and the steps of its signature", 2, async ({ one, failing }) => {
      await press(failed());
      await press(watched.page.getByRole("link", { name: "Signature", exact: true }));
      await sees("when it was sent");
      const sent = one.arrived.find((body) => body.includes(failing)) ?? "";
      const text = watched.page.getByRole("region", { name: "Signed text" });
      expect(await text.textContent()).toMatch(/^evt_[\w-]+\.\d+\.\{/);
      expect((await text.textContent())?.endsWith(sent)).toBe(true);
      expect(await watched.page.locator(".numbered > li").count()).toBe(3);
    });

    task("compares two of its attempts", 2, async () => {
      await press(failed());
      await press(button("Compare two attempts"));
      await watched.page.locator(".diff .removed", { hasText: "HTTP 500" }).waitFor();
    });

    task("resends it", 2, async ({ one, failing }) => {
      const before = one.arrived.length;
      await press(failed());
      await press(button("Resend"));
      await sees("Attempt 3");
      const bodies = one.arrived.filter((body) => body.includes(failing));
      expect(new Set(one.arrived.slice(before))).toEqual(new Set(bodies));
    });

    task("copies a test of the receiver with the payload", 2, async ({ failing }) => {
      await press(failed());
      await press(button("Copy as a vitest test"));
      await sees("Copied.");
      const code = await watched.page.evaluate(() => navigator.clipboard.readText());
      expect(code).toContain('it("handles payment.failed"');
      expect(code).toContain(failing);
    });

    task("moves the clock three business days ahead", 1, async ({ one }) => {
      one.receiver.statusOf = () => 204;
      const { body } = await one.api("GET", "/sandbox/clock");
      const { holdEnds } = body as { holdEnds: string };
      await press(watched.page.getByRole("button", { name: "3 business days" }));
      await expect
        .poll(async () => (await one.api("GET", "/sandbox/clock")).body)
        .toMatchObject({ now: holdEnds });
      await watched.page.getByRole("button", { name: "3 business days" }).waitFor();
    });

    task("lets a refund fail late", 3, async () => {
      const { page } = watched;
      await press(view("Payments"));
      await press(page.getByRole("row", { name: /^SUCCEEDED 100\.00 USD/ }).getByRole("link"));
      await press(button("Late return of a refund"));
      await sees("refund.failed");
      await page.getByRole("listitem").filter({ hasText: "TERMINAL_FAILED" }).first().waitFor();
    });

    task("sends an event of any type", 3, async () => {
      await press(button("Send event"));
      await press(button("account.updated"));
      await watched.page.getByRole("textbox", { name: "Data, JSON" }).waitFor();
      await press(button("Send"));
      await watched.page.getByRole("heading", { name: "account.updated" }).waitFor();
    });

    task("sends one event of every type", 2, async ({ one }) => {
      const before = one.arrived.length;
      await press(button("Send event"));
      await press(button("Send one of every type (14)"));
      await sees("14 events sent");
      await expect.poll(() => one.arrived.length).toBe(before + 14);
    });

    task("runs an outage and its retries", 2, async () => {
      await press(button("Sandbox"));
      await press(button(/^Run an outage/));
      await sees("Delivered after it had failed 2 times.");
      await expect.poll(() => watched.page.getByText("by a fault").count()).toBe(2);
    });

    task("adds a second endpoint for one category", 4, async () => {
      await press(view("Endpoints"));
      await press(button("Add endpoint"));
      await press(watched.page.getByRole("checkbox", { name: "CUSTOMER", exact: true }));
      await press(button("Add"));
      await sees("Shown only once.");
      await watched.page.getByRole("row", { name: /localhost:3000\/webhooks CUSTOMER/ }).waitFor();
    });

    task("runs the checks of a receiver", 2, async ({ one }) => {
      await press(view("Checks"));
      await press(button("Run again"));
      await expect
        .poll(async () => (await one.api("GET", "/sandbox/inspect/checks")).body)
        .toMatchObject({ run: { number: 2, isRunning: false } });
      await sees("FAIL: 1 requirement does not hold");
    });

    task("finds a payment by its id among 10,000", 0, async ({ one }) => {
      const { driver } = one.sandbox.service;
      await driver.transaction((tx) =>
        tx.query(
          `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
           INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, amount_cents, status,
             request_key, created_at)
           SELECT 'pay_many_' || n, merchant_id, clock_id, id, 'DEBIT', n, 'CREATED', 'many-' || n, 1795000000000
           FROM numbers, (SELECT * FROM customers LIMIT 1)`,
        ),
      );
      await watched.page.keyboard.press("ControlOrMeta+k");
      await watched.page.keyboard.type("pay_many_5000");
      await watched.page.keyboard.press("Enter");
      await watched.page.getByRole("heading", { name: "Payment 50.00 USD" }).waitFor();
    });

    task("starts over with sample data, its endpoint still subscribed", 2, async ({ one }) => {
      await press(button("Sandbox"));
      await press(button(/^Start over with sample data/));
      await sees("15 of 15 events");
      const { body } = await one.api("GET", "/sandbox/subscriptions");
      expect(body).toMatchObject({ subscriptions: [{ url: one.target.url, status: "ACTIVE" }] });
    });

    for (const define of drawn(all, count ?? all.length)) define();
  });
}

/** More stops of the Tab key than any view has. */
const MAX_STOPS = 400;

/** Reaches a place by the Tab key, however far it is, and presses it. */
async function pressByKeyboard(page: Page, place: Locator): Promise<void> {
  const find = () => place.evaluateHandle((element) => element);
  // To find it by its role takes many times as long as a stop: it is found again only if a draw has replaced it.
  let found = await find();
  for (let stops = 0; ; stops += 1) {
    if (stops === MAX_STOPS) throw new Error(`no Tab leads to ${String(place)}`);
    const isThere = await found.evaluate((element) =>
      element.isConnected ? element === document.activeElement : undefined,
    );
    if (isThere === true) break;
    if (isThere === undefined) found = await find();
    else await page.keyboard.press("Tab");
  }
  // A checkbox obeys the space bar only.
  const isCheckbox = await place.evaluate((element) => element.matches("[type=checkbox]"));
  await page.keyboard.press(isCheckbox ? "Space" : "Enter");
}
