import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";

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
