import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { drawnChecks } from "./drawn-checks.ts";
import { differingShare } from "./differing-share.ts";
import { openInspector, type OpenInspector } from "./open-inspector.ts";
import { seriousViolations } from "./serious-violations.ts";
import { seededRandom } from "./seeded-random.ts";
import { SOON } from "./soon.ts";
import { watchPage } from "./watch-page.ts";

const pictures = fileURLToPath(new URL("../../packages/inspector/docs/", import.meta.url));
const output = fileURLToPath(new URL("../output/pictures/", import.meta.url));
const isTaking = process.env["UPDATE_PICTURES"] === "1";

/** The share of pixels that may differ: edges of letters are of the machine. */
const TOLERATED_SHARE = 0.02;
const NOW = Date.parse("2026-11-20T15:00:00.000Z");

const sizes = {
  narrow: { width: 360, height: 780 },
  wide: { width: 2560, height: 1280 },
} as const;

/** A width and a theme. */
export interface Look {
  readonly width: keyof typeof sizes;
  readonly theme: "light" | "dark";
}

/** One refund that waits, with one event that was delivered and one that is tried again. */
async function tell(one: OpenInspector): Promise<{ refundId: string; eventId: string }> {
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
  const { paymentId: refundId } = (await one.api("POST", "/v1/refunds", refund)).body as {
    paymentId: string;
  };
  await expect.poll(() => one.arrived.length, SOON).toBe(1);
  await one.api("PUT", "/sandbox/clock", { advance: "PT10S" });
  await expect.poll(() => one.arrived.length, SOON).toBe(2);
  const { events } = (await one.api("GET", "/sandbox/events")).body as {
    events: { id: string; type: string }[];
  };
  return { refundId, eventId: events.find(({ type }) => type === "refund.pending")?.id ?? "" };
}

async function show(page: Page, hash: string, wait: string): Promise<void> {
  await page.evaluate((text) => (location.hash = text), hash);
  await page.locator(wait).first().waitFor();
  // The ports are of this run alone.
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const shown = text.nodeValue ?? "";
      const even = shown.replaceAll(/127\.0\.0\.1:\d+/g, "localhost:3000");
      if (even !== shown) text.nodeValue = even;
    }
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
}

async function compare(browser: Browser, name: string, taken: Buffer): Promise<number> {
  const file = `${pictures}${name}.png`;
  if (isTaking || !existsSync(file)) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(file, taken);
    return isTaking ? 0 : 1;
  }
  mkdirSync(output, { recursive: true });
  writeFileSync(`${output}${name}.png`, taken);
  return differingShare(browser, readFileSync(file), taken);
}

/**
 * Takes the pictures of the docs in these looks and compares them with those that are kept, and looks for
 * violations of accessibility in every view.
 *
 * @returns What is wrong, in a line each.
 */
export async function comparePictures(browser: Browser, looks: readonly Look[]): Promise<string[]> {
  const one = await openInspector({
    now: NOW,
    random: seededRandom(7),
    clock: { now: () => NOW },
    checksOf: () => drawnChecks,
  });
  const { refundId, eventId } = await tell(one);
  await one.api("POST", "/sandbox/inspect/checks", {});
  const views = [
    { name: "event", hash: `#/timeline/${eventId}`, wait: ".schedule" },
    { name: "refund", hash: `#/payments/${refundId}`, wait: ".states svg" },
    { name: "checks", hash: "#/checks/R-VERIFY-UNSIGNED", wait: ".said" },
  ];
  const differing: [string, number][] = [];
  const wrong: string[] = [];
  for (const { width: name, theme } of looks) {
    const { page, faults } = await watchPage(browser, one.url, {
      viewport: sizes[name],
      colorScheme: theme,
    });
    await page.goto(one.address);
    await page.locator("a.row").first().waitFor();
    for (const view of views) {
      await show(page, view.hash, view.wait);
      const picture = `${view.name}-${name}-${theme}`;
      differing.push([picture, await compare(browser, picture, await page.screenshot())]);
    }
    // Contrast depends on the theme, everything else on the width.
    const tried = [
      "#/timeline",
      "#/faults",
      `#/timeline/${eventId}`,
      `#/payments/${refundId}`,
      "#/receiver",
      "#/checks/R-VERIFY-UNSIGNED",
    ];
    const more =
      name === "narrow" && theme === "light"
        ? ["#/customers", "#/customers/new", "#/subscriptions", "#/payments", "#/timeline/new"]
        : [];
    for (const hash of [...tried, ...more]) {
      await page.evaluate((text) => (location.hash = text), hash);
      await page
        .locator(".rows:visible, .row.resource:visible, .page h1, article h1:visible")
        .first()
        .waitFor();
      for (const violation of await seriousViolations(page)) {
        wrong.push(`${hash} ${name} ${theme} ${violation}`);
      }
      const isTooWide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      if (isTooWide) wrong.push(`${hash} ${name} is wider than the page`);
    }
    wrong.push(...faults);
    await page.close();
  }
  for (const [picture, share] of differing) {
    if (share > TOLERATED_SHARE) wrong.push(`${picture} differs by ${share.toFixed(4)}`);
  }
  return wrong;
}
