import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { comparePictures } from "./compare-pictures.ts";

describeInBrowser("the inspector's pictures", () => {
  const browser = browserOfFile();

  it("are as they are kept in its docs, and no view has a serious violation", async () => {
    const wrong = await comparePictures(await browser(), [
      { width: "narrow", theme: "light" },
      { width: "wide", theme: "dark" },
    ]);
    expect(wrong).toEqual([]);
  });
});
