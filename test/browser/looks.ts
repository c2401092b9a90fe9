import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { drawn } from "../seed.ts";
import { type EmptyPage, goTo, type Look, openPage, violationsOf } from "./browser.ts";
import type { Scene } from "./scene.ts";

export const everyLook: readonly Look[] = [360, 768, 1440].flatMap((width) => [
  { width, theme: "light" },
  { width, theme: "dark" },
]);

interface State {
  readonly name: string;
  readonly hash: string;
  /** Selects an element of the drawn view. */
  readonly wait: string;
  readonly enter?: (page: Page) => Promise<void>;
}

const press = (name: string) => (page: Page) =>
  page.getByRole("button", { name, exact: true }).first().click();

const statesOf = ({ failing, payment, refund, endpoint }: Scene): readonly State[] => [
  { name: "events", hash: "#/events", wait: ".start" },
  { name: "event", hash: `#/events/${failing}`, wait: ".attempts pre" },
  { name: "signature", hash: `#/events/${failing}?show=signature`, wait: ".numbered" },
  { name: "payments", hash: `#/payments/${payment}`, wait: ".choices" },
  { name: "refund", hash: `#/payments/${refund}`, wait: ".calendar" },
  { name: "endpoints", hash: `#/endpoints/${endpoint}`, wait: ".facts" },
  { name: "checks", hash: "#/checks/R-VERIFY-UNSIGNED", wait: "article .summary" },
  { name: "faults", hash: "#/events", wait: "dialog h3", enter: press("Faults") },
  {
    name: "comparison",
    hash: `#/events/${failing}`,
    wait: ".diff",
    enter: press("Compare two attempts"),
  },
  { name: "payload", hash: `#/events/${failing}?show=payload`, wait: "article pre" },
  { name: "timeline", hash: `#/events/${failing}?show=timeline`, wait: "article" },
  { name: "nothing found", hash: "#/events?q=nothing-has-this-text", wait: ".nothing" },
  { name: "unknown event", hash: "#/events/evt_unknown", wait: ".refusal" },
  { name: "customers", hash: "#/customers", wait: ".rows" },
  { name: "send an event", hash: "#/events", wait: "dialog .types", enter: press("Send event") },
  {
    name: "resend",
    hash: "#/events",
    wait: "dialog .buttons",
    enter: press("Resend all failing…"),
  },
  { name: "new payment", hash: "#/payments", wait: "dialog .form", enter: press("New payment") },
  {
    name: "add an endpoint",
    hash: "#/endpoints",
    wait: "dialog form, dialog fieldset",
    enter: press("Add endpoint"),
  },
  { name: "copy", hash: `#/events/${failing}`, wait: ".menu:popover-open", enter: press("Copy") },
  {
    name: "clock",
    hash: "#/payments",
    wait: ".panel",
    enter: (page) => page.locator(".clock .menu-button").click(),
  },
];

/**
 * Searches states of the page in these looks for accessibility violations and for text that does not fit its width.
 * With `count`, the run's seed draws so many states.
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
      for (const state of drawn(states, count ?? states.length)) {
        await goTo(page, state.hash);
        await state.enter?.(page);
        await page.locator(state.wait).first().waitFor();
        wrong.push(
          ...(await violationsIn(page)).map((one) => JSON.stringify({ one, look, state })),
        );
        await takePicture(page, state, look);
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
const pictured = "events event signature payments refund endpoints checks faults".split(" ");

/** `UPDATE_PICTURES=1 npm run test:long -- browser/page` takes the pictures of the README and the docs again. */
async function takePicture(page: Page, { name }: State, { width, theme }: Look): Promise<void> {
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
