import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { drawn } from "../seed.ts";
import { type EmptyPage, goTo, type Look, openPage, violationsOf } from "./browser.ts";
import type { Scene } from "./scene.ts";

export const everyLook: readonly Look[] = [375, 768, 1440].flatMap((width) => [
  { width, theme: "light" },
  { width, theme: "dark" },
]);

/** A state of the page: `wait` selects an element of the drawn view. */
type State = readonly [
  name: string,
  hash: string,
  wait: string,
  enter?: (page: Page) => Promise<void>,
];

const press = (name: string) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();

async function enterFaults(page: Page): Promise<void> {
  await press("Sandbox")(page);
  await page.getByRole("button", { name: /^Faults/ }).click();
}

const statesOf = ({ failing, payment, refund, endpoint }: Scene): readonly State[] => [
  ["events", "#/events", ".start"],
  ["event", `#/events/${failing}`, ".attempts pre"],
  ["signature", `#/events/${failing}?show=signature`, ".numbered"],
  ["payments", `#/payments/${payment}`, "h2:has-text('Refunds') + ul"],
  ["refund", `#/payments/${refund}`, ".timeline"],
  ["endpoints", `#/endpoints/${endpoint}`, ".facts"],
  ["checks", "#/checks", "article .summary"],
  ["faults", "#/events", "dialog .form", enterFaults],
  ["comparison", `#/events/${failing}`, ".diff", press("Compare two attempts")],
  ["payload", `#/events/${failing}?show=payload`, "article:not(:has(.numbered)) pre"],
  ["nothing found", "#/events?q=nothing-has-this-text", ".nothing"],
  ["unknown event", "#/events/evt_unknown", ".refusal"],
  ["send an event", "#/events", "dialog .types", press("Send event")],
  ["resend", "#/events", "dialog .buttons", press("Resend all failing…")],
  ["add an endpoint", "#/endpoints", "dialog form, dialog fieldset", press("Add endpoint")],
  ["copy", `#/events/${failing}`, ".menu:popover-open", press("Copy")],
  [
    "clock",
    "#/payments",
    ".menu:popover-open",
    (page) => page.locator(".clock .menu-button").click(),
  ],
];

/**
 * Enters states of the page in these looks, and searches them for accessibility violations and for text that does not
 * fit its width. With `count`, the run's seed draws so many of the states.
 */
export function accessible(
  emptyPage: EmptyPage,
  sceneOf: () => Scene,
  looks: readonly Look[],
  count?: number,
): void {
  it("violates no accessibility rule and fits its width", async () => {
    const wrong: string[] = [];
    const states = statesOf(sceneOf());
    for (const look of looks) {
      const { page, faults } = await openPage(emptyPage, sceneOf().one, look);
      await page.getByRole("table").first().waitFor();
      for (const [name, hash, wait, enter] of drawn(states, count ?? states.length)) {
        await goTo(page, hash);
        await enter?.(page);
        await page.locator(wait).first().waitFor();
        wrong.push(...(await violationsIn(page)).map((one) => JSON.stringify({ one, look, name })));
        await takePicture(page, name, look);
        await page.keyboard.press("Escape");
      }
      wrong.push(...faults);
    }
    expect(wrong).toEqual([]);
  });
}

async function violationsIn(page: Page): Promise<string[]> {
  const isTooWide = await page.evaluate(
    () =>
      document.documentElement.scrollWidth > document.documentElement.clientWidth ||
      // A list hides columns before its last one is cut off.
      [...document.querySelectorAll("table.rows")].some(
        ({ scrollWidth, parentElement }) => scrollWidth > (parentElement?.clientWidth ?? 0),
      ),
  );
  return [...(await violationsOf(page)), ...(isTooWide ? ["wider than the page"] : [])];
}

const pictures = fileURLToPath(new URL("../../docs/public/pictures/", import.meta.url));
const pictured = ["event", "signature", "checks"];

/** `UPDATE_PICTURES=1 npm run test:long -- browser/page` takes the pictures of the README and the docs again. */
async function takePicture(page: Page, name: string, { width, theme }: Look): Promise<void> {
  const isTaken = width === 1440 && pictured.includes(name);
  if (process.env["UPDATE_PICTURES"] !== "1" || !isTaken) return;
  // The port differs in each run.
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      text.nodeValue = text.nodeValue?.replaceAll(/127\.0\.0\.1:\d+/g, "localhost:3000") ?? "";
  });
  await page.screenshot({ path: `${pictures}${name}-${theme}.png` });
}
