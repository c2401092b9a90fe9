import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Page,
  type Locator,
} from "playwright-core";
import { afterAll, describe, onTestFinished } from "vitest";

const candidates = [
  process.env["COUNTERSIGN_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const executablePath = candidates.find((path) => path !== "" && existsSync(path));

if (executablePath === undefined)
  console.warn("no Chromium here: the tests of the inspector's page are skipped (CONTRIBUTING.md)");

/** A suite that needs a browser: skipped without one, with the line above. */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;

/** One browser for a file of tests; ends with it. Nothing leaves this machine. */
export function browserOfFile(): () => Promise<Browser> {
  let launched: Promise<Browser> | undefined;
  afterAll(async () => {
    await (await launched)?.close();
  });
  return () =>
    (launched ??= chromium.launch({
      executablePath: executablePath ?? "",
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-precise-memory-info",
        "--font-render-hinting=none",
      ],
    }));
}

export interface WatchedPage {
  readonly page: Page;
  /** Dialogs, reports of the page's policy, errors and calls elsewhere. */
  readonly faults: string[];
}

/** For one step of a test: many times what it takes. */
const TIMEOUT_MS = 30_000;

type OnEnd = (end: () => Promise<void>) => void;

export async function openPage(
  browser: Browser,
  { url, address }: { readonly url: string; readonly address: string },
  options: BrowserContextOptions = {},
  onEnd: OnEnd = onTestFinished,
): Promise<WatchedPage> {
  const watched = await watchPage(browser, url, options, onEnd);
  await watched.page.goto(address);
  return watched;
}

/** Makes a page in a separate context, watched for signs that a text became code. */
export async function watchPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  onEnd: OnEnd = onTestFinished,
): Promise<WatchedPage> {
  const context = await browser.newContext({
    locale: "en-US",
    timezoneId: "America/New_York",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  onEnd(() => context.close());
  const faults: string[] = [];
  await context.exposeBinding("reportViolation", (_source, text: string) => {
    faults.push(`policy: ${text}`);
  });
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      // The binding above.
      const { reportViolation } = globalThis as unknown as {
        reportViolation: (text: string) => void;
      };
      reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`elsewhere: ${request.url()}`);
  });
  return { page, faults };
}

/** Goes to a place of the page without a click. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate((text) => void (location.hash = text), hash);

export interface Hand {
  readonly press: (place: Locator) => Promise<void>;
}

export const mouse: Hand = {
  press: (place) => place.click(),
};

/** More stops of the Tab key than any view has. */
const MAX_STOPS = 400;

/** Reaches each place by the Tab key, however far it is. */
export function keyboard(page: Page): Hand {
  const reach = async (place: Locator): Promise<void> => {
    await place.waitFor();
    for (let stops = 0; stops < MAX_STOPS; stops += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one key after the other
      if (await place.evaluate((element) => element === document.activeElement)) return;
      // oxlint-disable-next-line no-await-in-loop
      await page.keyboard.press("Tab");
    }
    throw new Error(`no Tab leads to ${String(place)}`);
  };
  return {
    press: async (place) => {
      await reach(place);
      // A checkbox obeys the space bar only.
      const isCheckbox = await place.evaluate((element) => element.matches("[type=checkbox]"));
      await page.keyboard.press(isCheckbox ? "Space" : "Enter");
    },
  };
}

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

interface Found {
  readonly violations: readonly Violation[];
}

/** Returns what axe-core finds wrong with a page by WCAG 2.2 AA and best practice, in a line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The script that was just run.
    const { axe } = globalThis as unknown as {
      axe: { run: (context: Document, options: object) => Promise<Found> };
    };
    // Without the lists of what is as it should be, which take half of the time.
    return (await axe.run(document, { resultTypes: ["violations"] })).violations;
  });
  return violations.map(
    ({ id, impact, nodes }) =>
      `${impact ?? ""} ${id}: ${nodes
        .map(({ html, failureSummary }) => `${html} ${failureSummary ?? ""}`)
        .join(" | ")
        .slice(0, 600)}`,
  );
}
