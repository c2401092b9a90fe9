import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";

export interface WatchedPage {
  readonly page: Page;
  /** What a page must not do: dialogs, reports of its policy, errors, calls elsewhere. */
  readonly faults: string[];
}

/** Milliseconds for one step of a test: many times what it takes. */
const TIMEOUT_MS = 30_000;

/** A page of its own context, watched for whatever shows that a text became code. */
export async function watchPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    locale: "en-US",
    timezoneId: "America/New_York",
    ...options,
  });
  onTestFinished(() => context.close());
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
