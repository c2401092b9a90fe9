import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { profiles } from "@countersign/schemas/profiles";
import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";
import { openInspector } from "./open-inspector.ts";
import { watchPage } from "./watch-page.ts";

/** The checks of a receiver, from the page. */
export function checks(browser: () => Promise<Browser>): void {
  it("runs the checks against the receiver of the command line, and tells what they find", async () => {
    const one = await openInspector({
      receiverUrl: await openCredulous(),
      checksOf: (target) =>
        receiverCheckRunner({ ...target, profile: profiles.standard, profileName: "standard" }),
    });
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.getByRole("link", { name: "Checks" }).click();
    await page.getByRole("heading", { name: /^\d+ MUSTs that a receiver owes$/ }).waitFor();
    await page.getByText("not run yet").waitFor();

    await page.getByRole("button", { name: "run the checks" }).click();
    const row = page.locator("a.row", { hasText: "R-VERIFY-UNSIGNED" });
    await row.locator(".badge", { hasText: "fail" }).waitFor();
    await page.getByRole("button", { name: "stop" }).click();
    await page.getByText("the run was interrupted").first().waitFor();

    // The report's own words: sentence, why, message, what to change, bytes, and how to see it again.
    await row.click();
    await page
      .getByRole("heading", {
        name: "An attempt without a signature is refused, and no handler runs.",
      })
      .waitFor();
    const card = page.locator(".card", { hasText: "receiver/unsigned" });
    await card.locator(".said").waitFor();
    await card.getByText("sent, as bytes").first().waitFor();
    expect(await card.locator("pre").first().innerText()).toMatch(/^POST \/webhooks HTTP\/1\.1/);
    expect(await card.innerText()).toContain("countersign verify receiver --url");
    expect(await page.locator("article .facts").innerText()).toContain(
      "docs/requirements.md#r-verify-unsigned",
    );
    expect(faults).toEqual([]);
  });

  it("says what the checks need where the sandbox has no address", async () => {
    const one = await openInspector({ noTarget: true });
    const { page } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await page.getByRole("link", { name: "Checks" }).click();
    await page
      .getByText("countersign sandbox --deliver-to http://localhost:3000/webhooks")
      .waitFor();
    expect(await page.getByRole("button", { name: /run/ }).count()).toBe(0);
  });
}

/** A receiver that believes whatever it is sent. */
async function openCredulous(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
}
