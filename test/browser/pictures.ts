import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { expect, it } from "vitest";
import { ManualClock } from "../../packages/service/test/manual-clock.ts";
import { differingShare } from "./differing-share.ts";
import { drawnChecks } from "./drawn-checks.ts";
import { openInspector, type OpenInspector } from "./open-inspector.ts";
import { seriousViolations } from "./serious-violations.ts";
import { openPage } from "./watch-page.ts";

const kept = fileURLToPath(new URL("../../packages/inspector/docs/", import.meta.url));
const output = fileURLToPath(new URL("../output/pictures/", import.meta.url));
const isTaking = process.env["UPDATE_PICTURES"] === "1";

/** Share of pixels that may differ: the edges of letters depend on the machine. */
const TOLERATED_SHARE = 0.02;
const NOW = Date.parse("2026-11-20T15:00:00.000Z");
const SHOWN = ".rows:visible, .row.resource:visible, .page h1, article h1:visible";

const sizes = {
  narrow: { width: 360, height: 780 },
  wide: { width: 2560, height: 1280 },
} as const;

interface Look {
  readonly width: keyof typeof sizes;
  readonly theme: "light" | "dark";
}

/** Compares the page in these looks with the pictures in the docs, and searches each view for accessibility violations. */
export function pictures(browser: () => Promise<Browser>, looks: readonly Look[]): void {
  const shown = looks.map(({ width, theme }) => `${width} and ${theme}`).join(", ");
  it(`matches its pictures in the docs, and no view violates accessibility rules: ${shown}`, async () => {
    const one = await openInspector({
      now: NOW,
      random: hashedRandom(),
      clock: new ManualClock(NOW),
      checksOf: drawnChecks,
    });
    const { refundId, eventId } = await makeRefund(one);
    await one.api("POST", "/sandbox/inspect/checks", {});
    const views = [
      { name: "event", hash: `#/timeline/${eventId}`, wait: ".schedule" },
      { name: "refund", hash: `#/payments/${refundId}`, wait: ".states svg" },
      { name: "checks", hash: "#/checks/R-VERIFY-UNSIGNED", wait: ".said" },
    ];
    // The quick lane has one look: the long one also visits the views without a picture.
    const others =
      "timeline faults receiver customers customers/new subscriptions payments timeline/new";
    const hashes = looks.length > 1 ? others.split(" ").map((view) => `#/${view}`) : ["#/faults"];
    const wrong: string[] = [];
    for (const { width, theme } of looks) {
      const settings = { viewport: sizes[width], colorScheme: theme };
      const { page, faults } = await openPage(await browser(), one, settings);
      await page.locator("a.row").first().waitFor();
      const judge = async (hash: string): Promise<void> => {
        const found = await seriousViolations(page);
        wrong.push(...found.map((violation) => `${hash} ${width} ${theme} ${violation}`));
        const isTooWide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        );
        if (isTooWide) wrong.push(`${hash} ${width} is wider than the page`);
      };
      for (const { name, hash, wait } of views) {
        await show(page, hash, wait);
        const picture = `${name}-${width}-${theme}`;
        const share = await compare(await browser(), picture, await page.screenshot());
        if (share > TOLERATED_SHARE) wrong.push(`${picture} differs by ${share.toFixed(4)}`);
        await judge(hash);
      }
      for (const hash of hashes) {
        await page.evaluate((text) => (location.hash = text), hash);
        await page.locator(SHOWN).first().waitFor();
        await judge(hash);
      }
      wrong.push(...faults);
      await page.close();
    }
    expect(wrong).toEqual([]);
  });
}

/** The same bytes in every run, so that ids in the pictures stay. */
function hashedRandom(): { bytes: (length: number) => Uint8Array } {
  let block = 0;
  const next = (): Buffer =>
    createHash("sha256")
      .update(`7 ${String((block += 1))}`)
      .digest();
  return {
    bytes: (length) =>
      Buffer.concat(Array.from({ length: Math.ceil(length / 32) }, next)).subarray(0, length),
  };
}

/** Makes one pending refund, with one delivered event and one in retry. */
async function makeRefund(one: OpenInspector): Promise<{ refundId: string; eventId: string }> {
  await one.api("POST", "/v1/webhook/subscribe", {
    url: one.receiverUrl,
    secretKey: "a-secret-of-24-characters-or-more",
    subscriptionDetails: { type: "ALL" },
  });
  const { payments } = (await one.api("GET", "/sandbox/payments")).body as {
    payments: { paymentId: string; amount: { value: number } }[];
  };
  const paymentId = payments.find(({ amount }) => amount.value === 250)?.paymentId;
  one.statuses.push(500, 500);
  const refund = `{"paymentId":"${paymentId ?? ""}","amount":{"currency":"USD","value":10.50},"requestKey":"order-7"}`;
  const made = (await one.api("POST", "/v1/refunds", refund)).body as { paymentId: string };
  await expect.poll(() => one.arrived.length).toBe(1);
  await one.api("PUT", "/sandbox/clock", { advance: "PT10S" });
  await expect.poll(() => one.arrived.length).toBe(2);
  const { events } = (await one.api("GET", "/sandbox/events")).body as {
    events: { id: string; type: string }[];
  };
  const event = events.find(({ type }) => type === "refund.pending");
  return { refundId: made.paymentId, eventId: event?.id ?? "" };
}

async function show(page: Page, hash: string, wait: string): Promise<void> {
  await page.evaluate((text) => (location.hash = text), hash);
  await page.locator(wait).first().waitFor();
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const said = text.nodeValue ?? "";
      // The ports differ in each run.
      const even = said.replaceAll(/127\.0\.0\.1:\d+/g, "localhost:3000");
      if (even !== said) text.nodeValue = even;
    }
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
}

/** Returns the share of pixels that differ from the picture in the docs; 1 if there is none yet. */
async function compare(browser: Browser, name: string, taken: Buffer): Promise<number> {
  const file = `${kept}${name}.png`;
  if (isTaking) writeFileSync(file, taken);
  mkdirSync(output, { recursive: true });
  writeFileSync(`${output}${name}.png`, taken);
  return existsSync(file) ? differingShare(browser, readFileSync(file), taken) : 1;
}
