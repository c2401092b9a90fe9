import type { CheckRunner } from "@countersign/sandbox";
import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { CANARY } from "./hostile-texts.ts";
import { openInspector } from "./open-inspector.ts";
import { SOON } from "./soon.ts";
import { watchPage } from "./watch-page.ts";

/** How many of the texts one event, and one finding, holds. */
const AT_ONCE = 25;

/**
 * C1: texts in every field of the page that have become code somewhere.
 *
 * @param texts A multiple of 25 of them.
 */
export function hostileTextsInPage(
  browser: () => Promise<Browser>,
  texts: readonly string[],
): void {
  const rows = Array.from({ length: texts.length / AT_ONCE }, (_, index) => ({
    at: index * AT_ONCE,
    requirement: `R-${String(index * AT_ONCE)}`,
    texts: texts.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  }));

  it("C1 stays text in every field: no dialog, no report, no request elsewhere", async () => {
    const one = await openInspector({ checksOf: () => hostileFindings(rows) });
    await one.api("POST", "/sandbox/inspect/checks", {});
    await one.api("POST", "/v1/webhook/subscribe", {
      url: `${one.receiverUrl}?q=${encodeURIComponent("<img src=x onerror=alert(1)>")}`,
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "ALL" },
    });
    // Names of members and values at once: 25 texts an event, each event in the catalogue's form.
    const ids: string[] = [];
    for (const { texts: some } of rows) {
      const members = Object.fromEntries(some.map((text) => [text, text]));
      const data = { id: some[0], paymentId: some[1], customerId: some[2], ...members };
      const made = await one.api("POST", "/sandbox/events", { type: "account.linked", data });
      expect(made.status).toBe(201);
      ids.push((made.body as { id: string }).id);
    }
    await expect.poll(() => one.arrived.length, SOON).toBe(rows.length);
    for (const text of texts.slice(0, 20)) {
      const named = { firstName: text, lastName: text.slice(0, 255) };
      await one.api("POST", "/sandbox/customers", named);
      await one.api("POST", "/sandbox/outcomes", {
        outcome: "rejected",
        code: text.slice(0, 64),
        eventId: text,
      });
    }
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    const events = page.locator("a.row", { hasText: "account.linked" });
    await events.first().waitFor();
    for (const id of ids) {
      await page.evaluate((hash) => (location.hash = hash), `#/timeline/${id}`);
      await page.locator(".facts", { hasText: id }).waitFor();
      await page.locator(".attempts summary").first().click();
      const shown = await page.locator("article").innerText();
      expect(shown).toContain("alert(1)");
    }
    await page.getByRole("searchbox").fill(texts[5] ?? "");
    for (const view of ["customers", "receiver", "subscriptions", "payments", "faults", "checks"]) {
      await page.evaluate((hash) => (location.hash = hash), `#/${view}`);
      await page.locator(".row.resource:visible, .page h1, .list-head progress").first().waitFor();
    }
    // What a receiver answers to the checks.
    for (const { at, requirement } of rows) {
      await page.evaluate((hash) => (location.hash = hash), `#/checks/${requirement}`);
      await page.getByRole("heading", { name: `sentence ${String(at)}`, exact: true }).waitFor();
      expect(await page.locator(".said").textContent()).toContain("alert(1)");
      expect(await page.locator("article a[href]:not(.back)").count()).toBe(0);
    }
    // A path, a key and a view that nobody has.
    for (const hash of [
      `#/timeline/<img src=x onerror=alert(1)>`,
      "#javascript:alert(1)",
      "#/__proto__/x",
    ]) {
      await page.evaluate((text) => (location.hash = text), hash);
      await page.locator(".rows").waitFor();
    }
    const made = await page.evaluate(() => ({
      elements: document.querySelectorAll("article script, article img, iframe, object, embed")
        .length,
      cookie: document.cookie,
    }));
    expect(made).toEqual({ elements: 0, cookie: "" });
    expect(faults).toEqual([]);
    expect(JSON.stringify(faults)).not.toContain(CANARY);
  });

  it("C1 that became markup would be refused by the policy, and be reported here", async () => {
    const one = await openInspector();
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.locator("a.row").first().waitFor();
    const refused = await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>");
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toBe(true);
    await expect.poll(() => faults.length, SOON).toBeGreaterThan(0);
  });
}

interface Row {
  readonly at: number;
  readonly requirement: string;
  readonly texts: readonly string[];
}

/** A finding a row, its texts in every member that holds what a target said. */
const hostileFindings = (rows: readonly Row[]): CheckRunner => ({
  owed: () =>
    Promise.resolve(
      rows.map(({ at, requirement }) => ({
        id: requirement,
        group: "receiver/hostile",
        title: "hostile",
        requirement,
        level: "MUST",
        name: `sentence ${String(at)}`,
        source: "S 1",
        why: "why",
      })),
    ),
  run: ({ onCheck, onEntry }) => {
    const text = rows[0]?.texts[0] ?? "";
    onCheck({ check: text, title: text, place: 1, total: 1 });
    for (const { requirement, texts } of rows) {
      const [first = ""] = texts;
      const all = texts.join("\n");
      onEntry({
        id: requirement,
        group: "receiver/hostile",
        requirement,
        status: "fail",
        message: all,
        fix: first,
        page: `javascript:${first}`,
        evidence: { curl: [first], exchanges: [{ sent: all, received: all }] },
        replay: first,
        ms: 1,
      });
    }
    const about = { profile: { name: text }, seed: 1, startedAt: text, kit: text };
    return Promise.resolve({ about, notes: [text], problems: [], uncovered: [], exitCode: 1 });
  },
});
