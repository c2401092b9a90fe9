import { profiles } from "@countersign/schemas/profiles";
import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";
import { openInspector } from "./open-inspector.ts";
import { openPage } from "./watch-page.ts";

const NAME = "An attempt without a signature is refused, and no handler runs.";

/** Tests of the receiver checks that the page runs. */
export function checks(browser: () => Promise<Browser>): void {
  it("runs the checks against the command line's receiver and shows each finding's evidence", async () => {
    // This receiver answers 204 to everything: it believes whatever it gets.
    const one = await openInspector({
      checksOf: (target) =>
        receiverCheckRunner({ ...target, profile: profiles.standard, profileName: "standard" }),
    });
    const { page, faults } = await openPage(await browser(), one);
    await page.getByRole("link", { name: "Checks" }).click();
    await page.getByRole("heading", { name: /^\d+ MUSTs that a receiver owes$/ }).waitFor();
    await page.getByText("not run yet").waitFor();
    await page.getByRole("button", { name: "run the checks" }).click();
    const row = page.locator("a.row", { hasText: "R-VERIFY-UNSIGNED" });
    await row.locator(".badge", { hasText: "fail" }).waitFor();
    await page.getByRole("button", { name: "stop" }).click();
    await page.getByText("the run was interrupted").first().waitFor();

    await row.click();
    await page.getByRole("heading", { name: NAME }).waitFor();
    const card = page.locator(".card", { hasText: "receiver/unsigned" });
    await card.locator(".said").waitFor();
    await card.getByText("sent, as bytes").first().waitFor();
    expect(await card.locator("pre").first().innerText()).toMatch(/^POST \/webhooks HTTP\/1\.1/);
    expect(await card.innerText()).toContain("countersign verify receiver --url");
    const facts = await page.locator("article .facts").innerText();
    expect(facts).toContain("docs/requirements.md#r-verify-unsigned");
    expect(faults).toEqual([]);
  });

  it("shows the option that the checks need if the sandbox has no receiver", async () => {
    const { page } = await openPage(await browser(), await openInspector({ noTarget: true }));
    await page.getByRole("link", { name: "Checks" }).click();
    const command = "countersign sandbox --deliver-to http://localhost:3000/webhooks";
    await page.getByText(command).waitFor();
    expect(await page.getByRole("button", { name: /run/ }).count()).toBe(0);
  });
}
