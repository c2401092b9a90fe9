import type { Browser, Page } from "playwright-core";
import { expect, it } from "vitest";
import { violationsOf, goTo, openPage } from "./browser.ts";
import { openInspector, type OpenInspector } from "./open-inspector.ts";
import { drawnChecks, makeScene, type Scene } from "./scene.ts";

export interface Look {
  readonly width: 360 | 768 | 1440;
  readonly theme: "light" | "dark";
}

export const everyLook: readonly Look[] = ([360, 768, 1440] as const).flatMap((width) => [
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

/** Opens a sandbox with the scene and a run of the checks. */
async function openScene(): Promise<{ one: OpenInspector; scene: Scene }> {
  const one = await openInspector({ checksOf: drawnChecks });
  const scene = await makeScene(one);
  await one.api("POST", "/sandbox/inspect/checks", {});
  return { one, scene };
}

/** Draws each state in each look, and calls back when it is drawn. */
export async function visit(
  browser: Browser,
  looks: readonly Look[],
  onState: (page: Page, state: State, look: Look) => Promise<void>,
  some: (state: State) => boolean = () => true,
): Promise<string[]> {
  const { one, scene } = await openScene();
  const found: string[] = [];
  for (const look of looks) {
    const viewport = { width: look.width, height: look.width === 360 ? 780 : 900 };
    const settings = { viewport, colorScheme: look.theme };
    const { page, faults } = await openPage(browser, one, settings);
    await page.getByRole("table").first().waitFor();
    for (const state of statesOf(scene).filter(some)) {
      await goTo(page, state.hash);
      await state.enter?.(page);
      await page.locator(state.wait).first().waitFor();
      await onState(page, state, look);
      await page.keyboard.press("Escape");
    }
    found.push(...faults);
    await page.close();
  }
  return found;
}

/** Searches states of the page in these looks for accessibility violations and for text that does not fit its width. */
export function accessible(
  browser: () => Promise<Browser>,
  looks: readonly Look[],
  some?: (state: State) => boolean,
): void {
  const shown = looks.map(({ width, theme }) => `${String(width)} ${theme}`).join(", ");
  it(`violates no accessibility rule in any state and fits its width: ${shown}`, async () => {
    const wrong: string[] = [];
    const judge = async (page: Page, { name }: State, { width, theme }: Look): Promise<void> => {
      const found = await violationsOf(page);
      wrong.push(...found.map((one) => `${name} ${String(width)} ${theme}: ${one}`));
      const isTooWide = await page.evaluate(
        () =>
          document.documentElement.scrollWidth > document.documentElement.clientWidth ||
          // A list hides columns before its last one is cut off.
          [...document.querySelectorAll("table.rows")].some(
            ({ scrollWidth, parentElement }) => scrollWidth > (parentElement?.clientWidth ?? 0),
          ),
      );
      if (isTooWide) wrong.push(`${name} ${String(width)} is wider than the page`);
    };
    wrong.push(...(await visit(await browser(), looks, judge, some)));
    expect(wrong).toEqual([]);
  });
}
