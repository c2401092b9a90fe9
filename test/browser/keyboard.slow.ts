import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { openInspector } from "./open-inspector.ts";
import { keyboard, tellStory } from "./story.ts";
import { watchPage } from "./watch-page.ts";

describeInBrowser("the inspector's page without a mouse", () => {
  const browser = browserOfFile();

  it("leads from an empty sandbox to a failed, repaired and replayed delivery", async () => {
    const one = await openInspector();
    await one.api("POST", "/sandbox/reset", {});
    const { page, faults } = await watchPage(await browser(), one.url);
    await page.goto(one.address);
    await tellStory(page, { one, hand: keyboard(page) });
    expect(faults).toEqual([]);
  });
});
