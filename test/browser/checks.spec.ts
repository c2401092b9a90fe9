import { setTimeout } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import { expect, it, onTestFinished } from "vitest";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";
import { browserOfFile, describeInBrowser, goTo, openPage } from "./browser.ts";
import { openInspector } from "./open-inspector.ts";
import { drawnChecks } from "./scene.ts";

const NAME = "An attempt without a signature is refused, and no handler runs.";

describeInBrowser("the inspector's checks", () => {
  const browser = browserOfFile();

  it("runs the checks against the command line's receiver and shows each finding's evidence", async () => {
    // This receiver answers 204 to everything, so it accepts a forged attempt. Once that is found it
    // answers no more, and the run lasts until it is stopped.
    const silence = Promise.withResolvers<number>();
    onTestFinished(() => silence.resolve(204));
    const one = await openInspector({
      checksOf: (target) => {
        const { standard: profile } = profiles;
        const runner = receiverCheckRunner({ ...target, profile, profileName: "standard" });
        const run: typeof runner.run = (watch) => {
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
    const { page, faults } = await openPage(await browser(), one);
    await page.getByRole("link", { name: "Checks" }).click();
    await page.getByText("Not run yet.").waitFor();
    await page.getByRole("button", { name: "Run the checks" }).click();
    const row = page.getByRole("row", { name: "R-VERIFY-UNSIGNED" });
    await row.getByText("Fail").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("the run was interrupted").first().waitFor();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: NAME }).waitFor();
    const card = page.locator(".card", { hasText: "receiver/forged" });
    await card.getByText("Sent").first().waitFor();
    expect(await card.locator("pre").first().innerText()).toMatch(/^POST \/webhooks HTTP\/1\.1/);
    expect(await card.innerText()).toContain("countersign verify receiver --url");
    expect(faults).toEqual([]);
  });

  it("shows findings while messages arrive faster than the sandbox answers", async () => {
    const one = await openInspector({
      checksOf: (target) => {
        const checks = drawnChecks(target);
        const run: typeof checks.run = async (watch) => {
          const report = await checks.run(watch);
          for (; !watch.signal.aborted; await setTimeout(20))
            watch.onCheck({ check: "receiver/load", title: "many at once", place: 2, total: 2 });
          return report;
        };
        return { ...checks, run };
      },
    });
    const { page, faults } = await openPage(await browser(), one);
    await goTo(page, "#/checks");
    await page.getByText("Not run yet.").waitFor();
    await page.route("**/sandbox/inspect/checks?*", async (route) => {
      await setTimeout(500);
      await route.continue();
    });
    await page.getByRole("button", { name: "Run the checks" }).click();
    await page.getByRole("row", { name: "R-VERIFY-UNSIGNED" }).getByText("Fail").waitFor();
    await page.getByText("2 of 2: many at once").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("FAIL: 1 requirement does not hold").waitFor();
    expect(faults).toEqual([]);
  });
});
