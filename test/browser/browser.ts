import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type Axe from "axe-core";
import { chromium, type Page } from "playwright-core";
import { afterAll, describe } from "vitest";

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

export interface WatchedPage {
  readonly page: Page;
  /** Dialogs, reports of the page's policy, errors and calls elsewhere. */
  readonly faults: string[];
}

export interface Look {
  readonly width: number;
  readonly theme: "light" | "dark";
}

/** Makes the page of a test empty, allows calls to one origin, and sets its look. */
export type EmptyPage = (origin: string, look?: Look) => Promise<WatchedPage>;

/** One page for the tests of a file, watched for signs that a text became code: each page more costs a second. */
export function pageOfFile(): EmptyPage {
  const faults: string[] = [];
  let origin = "";
  let opened: Promise<Page> | undefined;
  afterAll(async () => {
    await (await opened)?.context().browser()?.close();
  });

  const open = async (): Promise<Page> => {
    const args = ["--disable-gpu", "--disable-quic", "--font-render-hinting=none"];
    const browser = await chromium.launch({ executablePath: executablePath ?? "", args });
    const context = await browser.newContext({
      locale: "en-US",
      timezoneId: "America/New_York",
      permissions: ["clipboard-read", "clipboard-write"],
    });
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
    // A run of checks takes half a minute on a busy machine.
    page.setDefaultTimeout(55_000);
    page.on("dialog", (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== origin) faults.push(`elsewhere: ${request.url()}`);
    });
    return page;
  };

  return async (allowed, { width, theme } = { width: 1440, theme: "light" }) => {
    const page = await (opened ??= open());
    await page.unrouteAll();
    await page.goto("about:blank");
    origin = allowed;
    faults.length = 0;
    await page.setViewportSize({ width, height: width < 400 ? 780 : 900 });
    await page.emulateMedia({ colorScheme: theme });
    return { page, faults };
  };
}

/** Opens a sandbox's page with its session. */
export async function openPage(
  emptyPage: EmptyPage,
  { url, address }: { readonly url: string; readonly address: string },
  look?: Look,
): Promise<WatchedPage> {
  const watched = await emptyPage(url, look);
  await watched.page.goto(address);
  return watched;
}

/** Goes to a place of the page without a click. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate((text) => void (location.hash = text), hash);

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns what axe-core finds wrong with a page by WCAG 2.2 AA and best practice, in a line each. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    // The script that was just run.
    const { axe } = globalThis as unknown as { axe: typeof Axe };
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
