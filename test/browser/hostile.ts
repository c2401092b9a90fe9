import type { CheckRunner } from "@countersign/service/sandbox";
import { expect, it } from "vitest";
import { type EmptyPage, goTo, openPage } from "./browser.ts";
import { openInspector, type Target } from "./open-inspector.ts";
import { drawnChecks } from "./scene.ts";

/** Texts in one event. */
const AT_ONCE = 25;

/** C1: every field of the page gets texts that have become code somewhere. */
export function hostileTextsInPage(emptyPage: EmptyPage, texts: readonly string[]): void {
  it(`C1 shows ${String(texts.length)} hostile texts as text in every field, and its policy refuses markup`, async () => {
    const one = await openInspector({ checksOf: (target) => hostileChecks(target, texts) });
    await one.api("POST", "/sandbox/inspect/checks", {});
    await one.api("POST", "/v1/webhook/subscribe", {
      url: `${one.receiverUrl}?q=${encodeURIComponent("<img src=x onerror=alert(1)>")}`,
      secretKey: "a-secret-of-24-characters-or-more",
      subscriptionDetails: { type: "ALL" },
    });
    one.receiver.statusOf = () => 500;
    one.receiver.answerOf = (body) => {
      const { data } = JSON.parse(body) as { data: { id: string } };
      return JSON.stringify({ code: "CS_BODY_CONSUMED", fix: data.id });
    };
    // Names of members and values at once.
    const ids: string[] = [];
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const some = texts.slice(at, at + AT_ONCE);
      const members = Object.fromEntries(some.map((text) => [text, text]));
      const data = { id: some[0], paymentId: some[1], customerId: some[2], ...members };
      const made = await one.api("POST", "/sandbox/events", { type: "account.linked", data });
      expect(made.status).toBe(201);
      ids.push((made.body as { id: string }).id);
    }
    await expect.poll(() => one.arrived.length).toBe(ids.length);
    for (const text of texts.slice(0, 20)) {
      const named = { firstName: text, lastName: text.slice(0, 255) };
      await one.api("POST", "/sandbox/customers", named);
    }
    const { page, faults } = await openPage(emptyPage, one);
    await page.getByRole("row", { name: "account.linked" }).first().waitFor();
    for (const [index, id] of ids.entries()) {
      for (const show of ["attempts", "payload", "signature"]) {
        await goTo(page, `#/events/${id}?show=${show}`);
        await page.locator("article pre", { hasText: id }).first().waitFor();
      }
      const fix = (texts[index * AT_ONCE] ?? "").replaceAll(/\s+/g, " ").replaceAll(/\p{C}/gu, "");
      expect(await page.locator("article .why dd").nth(1).textContent()).toBe(fix);
    }
    const copy = page.getByRole("button", { name: "Edit and send a copy" });
    await copy.click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await copy.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.getByRole("searchbox", { name: "Search everything" }).fill(texts[5] ?? "");
    await page.getByRole("link", { name: /^Events with/ }).waitFor();
    await goTo(page, "#/checks");
    await page.locator(".attempts").waitFor();
    for (const view of ["endpoints", "payments", "events"]) {
      await goTo(page, `#/${view}`);
      await page.getByRole("table").first().waitFor();
    }
    await page.getByRole("searchbox", { name: "Search these events" }).fill(texts[6] ?? "");
    await page.getByText(/^\d+ of \d+ events/).waitFor();
    await goTo(page, "#/checks/R-VERIFY-UNSIGNED");
    expect(await page.locator("article .summary").first().textContent()).toContain(texts[0]);
    expect(await page.locator("article li a[href]").count()).toBe(0);
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
    const markup = page.evaluate(() =>
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror=alert(1)>"),
    );
    await expect(markup).rejects.toThrow("TrustedHTML");
    await expect.poll(() => faults.length).toBeGreaterThan(0);
  });
}

/** A run of the checks with the texts in every member that repeats what a target said. */
function hostileChecks(target: Target, texts: readonly string[]): CheckRunner {
  const { planned, run } = drawnChecks(target);
  const [first = ""] = texts;
  const all = texts.join("\n");
  const said = {
    message: all,
    fix: first,
    page: `javascript:${first}`,
    exchanges: [{ sent: all, received: all }],
    replay: first,
  };
  return {
    planned,
    run: async (watch) => {
      const onEntry = (entry: object): void => watch.onEntry({ ...entry, ...said });
      const report = await run({ ...watch, onEntry });
      watch.onCheck({ check: first, title: first, place: 1, total: 1 });
      const about = { profile: first, seed: 1, startedAt: first, kit: first };
      return { ...report, about, notes: [first] };
    },
  };
}

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
