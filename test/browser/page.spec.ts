import { setTimeout as delay } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import { reference } from "@countersign/schemas/providers";
import { describe, expect, it, onTestFinished } from "vitest";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";
import { drawn, seed } from "../seed.ts";
import { describeInBrowser, openPage, pageOfFile } from "./browser.ts";
import { hostileTexts, hostileTextsInPage } from "./hostile.ts";
import { accessible, everyLook } from "./looks.ts";
import { KEY, openInspector } from "./open-inspector.ts";
import { sceneOfFile } from "./scene.ts";
import { tasks } from "./tasks.ts";

// The long lane has the long forms.
describeInBrowser(`the inspector's page (seed ${String(seed)})`, () => {
  const emptyPage = pageOfFile();
  const scene = sceneOfFile();
  describe("with a scene", { tags: "ci" }, () => {
    // Before the tasks, which change the scene.
    accessible(emptyPage, scene, drawn(everyLook, 1), 2);
    tasks(emptyPage, scene, 2);
    hostileTextsInPage(emptyPage, drawn(hostileTexts, 10));
  });

  it(
    "keeps rows in place while the pointer is on them, and its filters in the address",
    { tags: "ci" },
    async () => {
      const one = await openInspector();
      const { page, faults } = await openPage(emptyPage, one);
      await page.getByText("15 of 15 events").waitFor();
      const third = page.getByRole("row").nth(3);
      await third.hover();
      const before = await third.innerText();
      for (const type of ["account.updated", "customer.created"])
        await one.api("POST", "/sandbox/events", { type });
      await page.getByText("17 of 17 events").waitFor();
      expect(await third.innerText()).toBe(before);
      await page.getByRole("button", { name: "↑ 2 new" }).click();
      await page.getByRole("row", { name: "account.updated" }).waitFor();

      await page.getByRole("searchbox", { name: "Search these events" }).fill("account.updated");
      await page.getByText("1 of 17 events").waitFor();
      expect(page.url()).toContain("q=account.updated");
      await page.getByRole("row", { name: "account.updated" }).getByRole("link").click();
      await page.getByRole("heading", { name: "account.updated" }).waitFor();
      await page.goBack();
      await page.getByText("1 of 17 events").waitFor();
      await page.getByRole("link", { name: "Clear filters" }).click();
      await page.getByText("17 of 17 events").waitFor();
      expect(faults).toEqual([]);
    },
  );

  it("follows an address that changes during its first draw", { tags: "ci" }, async () => {
    const one = await openInspector();
    const { page } = await emptyPage(one.url);
    // Only this page gets the script: the other tests share theirs.
    const other = await page.context().newPage();
    onTestFinished(() => other.close());
    await other.addInitScript(() => {
      const watch = new MutationObserver(() => {
        if (document.querySelector("#page > *") === null) return;
        watch.disconnect();
        location.hash = "#/payments";
      });
      watch.observe(document, { childList: true, subtree: true });
    });
    await other.goto(one.address);
    await other.getByRole("heading", { name: "Payments" }).waitFor();
    expect(other.url()).toMatch(/#\/payments$/);
  });

  it(
    "resends in bulk with the count first, sends an edited copy digit for digit, and stops a clock that waits for its answer",
    { tags: "ci" },
    async () => {
      const one = await openInspector();
      await one.api("POST", "/sandbox/inspect/endpoints", {});
      one.receiver.statusOf = () => 500;
      for (const type of ["payment.created", "payment.failed", "customer.created"])
        await one.api("POST", "/sandbox/events", { type });
      await one.api("PUT", "/sandbox/clock", { advance: "PT0S" });
      one.receiver.statusOf = () => 204;
      const { page, faults } = await openPage(emptyPage, one);
      await page.getByRole("button", { name: "Resend all failing…" }).click();
      await page.getByText("3 deliveries").waitFor();
      const before = one.arrived.length;
      await page.getByRole("button", { name: "Resend 3" }).click();
      await page.getByText("3 sent again.").waitFor();
      await expect.poll(() => one.arrived.length).toBe(before + 3);

      await page.getByRole("row", { name: "payment.created" }).first().getByRole("link").click();
      await page.getByRole("button", { name: "Edit and send a copy" }).click();
      const field = page.getByRole("textbox", { name: "Data, JSON" });
      expect(await field.inputValue()).toContain('"value": 25.00');
      await field.fill((await field.inputValue()).replace("25.00", "20.70"));
      const silence = Promise.withResolvers<number>();
      onTestFinished(() => silence.resolve(204));
      one.receiver.statusOf = () => silence.promise;
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect.poll(() => one.arrived.at(-1)).toContain('"value":20.70');

      await page.getByRole("button", { name: "3 business days" }).click();
      await page.getByText("Moving…").waitFor();
      silence.resolve(204);
      await page.getByText("The clock has moved.").waitFor();
      expect(faults).toEqual([]);
    },
  );

  it(
    "reconnects, says that the sandbox has stopped, and opens a new key in the same tab with the profile's views",
    { tags: "ci" },
    async () => {
      const one = await openInspector();
      const { page, faults } = await emptyPage(one.url);
      const broken = { contentType: "text/event-stream", body: "" };
      await page.route("**/sandbox/stream*", (route) => route.fulfill(broken));
      await page.goto(one.address);
      await page.getByText("15 of 15 events").waitFor();
      await page.getByText("Reconnecting").waitFor();
      await one.api("POST", "/sandbox/events", { type: "payment.canceled" });
      await page.unrouteAll();
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("row", { name: "payment.canceled" }).waitFor();

      // Another run of the sandbox has the same address, and does not know the session.
      await one.sandbox.close({ graceMs: 0 });
      const { catalogue: all = [] } = reference;
      const catalogue = all.filter(({ category }) => category === "CUSTOMER");
      const provider = { ...reference, catalogue };
      const profile = { ...profiles.standard, name: "customers-only", provider };
      await openInspector({ port: one.port, profile });
      await page.getByText("The sandbox has stopped.").waitFor();
      expect(await page.getByRole("button", { name: "3 business days" }).isDisabled()).toBe(true);
      await page.evaluate((key) => (location.hash = `#key=${key}`), KEY);
      await page.getByText("Live", { exact: true }).waitFor();
      const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
      await expect.poll(() => links.allInnerTexts()).toEqual(["Events", "Endpoints", "Checks"]);
      expect(faults).toEqual([]);
    },
  );

  it(
    "shows each finding of the checks with its evidence while messages arrive faster than answers",
    { tags: "ci" },
    async () => {
      // This receiver answers 204 to everything, so it accepts a forged attempt. Once that is found it
      // answers no more, and the run lasts until it is stopped.
      const silence = Promise.withResolvers<number>();
      onTestFinished(() => silence.resolve(204));
      const one = await openInspector({
        checksOf: (target) => {
          // The checks before that of forged attempts take as much longer as the profile has types.
          const provider = { ...reference, catalogue: reference.catalogue?.slice(0, 1) ?? [] };
          const profile = { ...profiles.standard, provider };
          const runner = receiverCheckRunner({ ...target, profile, profileName: "standard" });
          const run: typeof runner.run = (watch) => {
            const load = { check: "receiver/load", title: "many at once", place: 2, total: 2 };
            const loading = setInterval(() => watch.onCheck(load), 20);
            watch.signal.addEventListener("abort", () => clearInterval(loading));
            const onEntry: typeof watch.onEntry = (entry) => {
              watch.onEntry(entry);
              if ("requirement" in entry && entry.requirement === "R-VERIFY-UNSIGNED")
                one.receiver.statusOf = () => silence.promise;
            };
            return runner.run({ ...watch, onEntry });
          };
          return { ...runner, run };
        },
      });
      const { page, faults } = await openPage(emptyPage, one);
      await page.getByRole("link", { name: "Checks" }).click();
      await page.getByText("Not run yet.").waitFor();
      await page.route("**/sandbox/inspect/checks", async (route) => {
        if (route.request().method() === "GET") await delay(500);
        await route.continue();
      });
      await page.getByRole("button", { name: "Run the checks" }).click();
      const row = page.getByRole("listitem").filter({ hasText: "R-VERIFY-UNSIGNED" });
      await row.getByText("Fail").waitFor();
      await page.getByText("2 of 2: many at once").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("the run was interrupted").first().waitFor();
      const card = row.locator(".card", { hasText: "receiver/forged" });
      await card.getByText("Sent").first().waitFor();
      expect(await card.locator("pre").first().innerText()).toMatch(/^POST \/webhooks HTTP\/1\.1/);
      expect(await card.innerText()).toContain("countersign verify receiver --url");
      expect(faults).toEqual([]);
    },
  );
});
