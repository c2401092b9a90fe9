import { runInNewContext } from "node:vm";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { signedAttempt } from "@countersign/receiver/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawn } from "../seed.ts";
import { type Hand, goTo, openPage, type WatchedPage } from "./browser.ts";
import { openInspector, SECRET, type OpenInspector } from "./open-inspector.ts";
import { drawnChecks, makeScene, type Scene } from "./scene.ts";

/** Payments in addition to the samples. */
const MANY = 10_000;

/**
 * Everyday tasks from the page's first view, each with its number of clicks. Typing does not count. With `count`, the
 * run's seed draws so many of them.
 */
export function tasks(
  browser: () => Promise<Browser>,
  tool: string,
  handOf: (page: Page) => Hand,
  count?: number,
): void {
  describe(`with ${tool}`, () => {
    const ends: (() => void | Promise<void>)[] = [];
    let [one, scene, watched] = [] as unknown as [OpenInspector, Scene, WatchedPage];
    let clicks = 0;
    const press = async (place: Locator): Promise<void> => {
      clicks += 1;
      await handOf(watched.page).press(place);
    };
    const button = (name: string | RegExp): Locator =>
      watched.page.getByRole("button", { name, exact: true });
    const link = (name: string): Locator => watched.page.getByRole("link", { name, exact: true });
    const view = (name: string): Locator =>
      watched.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
    const sees = (text: string | RegExp): Promise<void> =>
      watched.page.getByText(text).first().waitFor();
    const failed = (): Locator =>
      watched.page.getByRole("row", { name: "payment.failed" }).getByRole("link").first();

    beforeAll(async () => {
      one = await openInspector({ checksOf: drawnChecks }, (end) => ends.unshift(end));
      scene = await makeScene(one);
      watched = await openPage(await browser(), one, {}, (end) => ends.unshift(end));
    });
    afterAll(async () => {
      expect(watched.faults).toEqual([]);
      // oxlint-disable-next-line no-await-in-loop -- the last one opened ends first
      for (const end of ends) await end();
    });

    const all: (() => void)[] = [];
    const task = (name: string, most: number, run: () => Promise<void>): void => {
      const words = most === 1 ? "1 click" : `${String(most)} clicks`;
      all.push(() =>
        it(`${name} in ${most === 0 ? "no click" : words}`, async () => {
          await goTo(watched.page, "#/events");
          await watched.page.getByRole("table").waitFor();
          clicks = 0;
          await run();
          expect(clicks).toBe(most);
        }),
      );
    };

    task("says why the last webhook failed, the cause and the fix", 1, async () => {
      await press(failed());
      await sees("Failed 2 times. Your endpoint answered 503: TypeError: Cannot read");
      await sees("Your receiver reported failed (CS_HANDLER_FAILED).");
      await sees("Read the stack trace in your app's log");
      await sees(/Next retry in [\d.]+ \w+ of sandbox time, ◷ /);
      expect(watched.page.url()).toContain(`#/events/${scene.failing}`);
    });

    task("shows its raw bytes and the steps of its signature", 2, async () => {
      await press(failed());
      await press(link("Signature"));
      await sees("when it was sent");
      const sent = one.arrived.find((body) => body.includes(scene.failing)) ?? "";
      const text = watched.page.getByRole("region", { name: "Signed text" });
      expect(await text.textContent()).toMatch(/^evt_[\w-]+\.\d+\.\{/);
      expect((await text.textContent())?.endsWith(sent)).toBe(true);
      expect(await watched.page.locator(".numbered > li").count()).toBe(4);
    });

    task("compares two of its attempts", 2, async () => {
      await press(failed());
      await press(button("Compare two attempts"));
      await watched.page.locator(".diff .removed", { hasText: "HTTP 500" }).waitFor();
    });

    task("resends it", 2, async () => {
      const before = one.arrived.length;
      await press(failed());
      await press(button("Resend"));
      await sees("Attempt 3");
      const bodies = one.arrived.filter((body) => body.includes(scene.failing));
      expect(new Set(one.arrived.slice(before))).toEqual(new Set(bodies));
    });

    task("copies a test that fails for the same reason", 3, async () => {
      await press(failed());
      await press(button("Copy"));
      await press(button("Vitest test of your receiver"));
      await sees("Copied.");
      const code = await watched.page.evaluate(() => navigator.clipboard.readText());
      const fault = new TypeError("Cannot read properties of undefined (reading 'ledger')");
      await expect(runCopied(code, fault)).rejects.toThrow("Cannot read properties of undefined");
      await runCopied(code, undefined);
    });

    task("moves the clock three business days ahead", 1, async () => {
      one.receiver.statusOf = () => 204;
      const { body } = await one.api("GET", "/sandbox/inspect/due");
      const { businessDays } = body as { businessDays: { at: string }[] };
      await press(watched.page.getByRole("button", { name: "3 business days" }));
      await expect
        .poll(async () => (await one.api("GET", "/sandbox/clock")).body)
        .toEqual({ now: businessDays[2]?.at });
      await watched.page.getByRole("button", { name: "3 business days" }).waitFor();
    });

    task("lets a refund fail late", 3, async () => {
      await press(view("Payments"));
      await press(
        watched.page.getByRole("row", { name: /^SUCCEEDED 100\.00 USD/ }).getByRole("link"),
      );
      await press(button("Late return of a refund"));
      await sees("refund.failed");
      await watched.page
        .getByRole("listitem")
        .filter({ hasText: "TERMINAL_FAILED" })
        .first()
        .waitFor();
    });

    task("sends an event of any type", 3, async () => {
      await press(button("Send event"));
      await press(button("account.updated"));
      await press(button("Send"));
      await watched.page.getByRole("heading", { name: "account.updated" }).waitFor();
    });

    task("sends one event of every type", 2, async () => {
      const before = one.arrived.length;
      await press(button("Send event"));
      await press(button("Send one of every type (14)"));
      await sees("14 events sent");
      await expect.poll(() => one.arrived.length).toBe(before + 14);
    });

    task("runs an outage and its retries", 2, async () => {
      await press(button("Faults"));
      await press(button("Run an outage"));
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

    task("runs the checks of a receiver", 2, async () => {
      await press(view("Checks"));
      await press(button("Run the checks"));
      await sees("FAIL: 1 requirement does not hold");
    });

    task("finds a payment by its id among 10,000", 0, async () => {
      await fillPayments(one);
      await watched.page.keyboard.press("ControlOrMeta+k");
      await watched.page.keyboard.type("pay_many_5000");
      await watched.page.keyboard.press("Enter");
      await watched.page.getByRole("heading", { name: "Payment 50.00 USD" }).waitFor();
    });

    task(
      "starts over with sample data, the endpoint of --deliver-to still subscribed",
      2,
      async () => {
        await press(button(/^Reset/));
        await press(button(/^Start over with sample data/));
        await sees("15 of 15 events");
        const { body } = await one.api("GET", "/sandbox/inspect/endpoints");
        expect(body).toMatchObject({ endpoints: [{ isTarget: true, status: "ACTIVE" }] });
      },
    );

    for (const define of drawn(all, count ?? all.length)) define();
  });
}

/** Runs a copied test against a receiver whose handler throws `fault`, if there is one. */
async function runCopied(code: string, fault: Error | undefined): Promise<void> {
  const receiver = createReceiver({
    secrets: [SECRET],
    inbox: memoryInbox(),
    log: false,
    fallback: () => undefined,
  }).on("payment.failed", () => {
    if (fault !== undefined) throw fault;
  });
  // The test without its imports, and with what they import.
  const body = code.replaceAll(/^import .*$/gm, "");
  let run = (): Promise<void> => Promise.reject(new Error("the text defines no test"));
  const define = (_: string, defined: () => Promise<void>): void => void (run = defined);
  const process = { env: { WEBHOOK_SECRET: SECRET } };
  runInNewContext(body, { signedAttempt, expect, receiver, process, it: define });
  await run();
}

async function fillPayments({ sandbox }: OpenInspector): Promise<void> {
  await sandbox.service.driver.transaction((tx) =>
    tx.query(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
     INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, amount_cents, status,
       request_key, created_at)
     SELECT 'pay_many_' || n, merchant_id, clock_id, id, 'DEBIT', n, 'CREATED', 'many-' || n, 1795000000000
     FROM numbers, (SELECT * FROM customers LIMIT 1)`,
      [MANY],
    ),
  );
}
