import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { comparePictures } from "./compare-pictures.ts";

// `UPDATE_PICTURES=1 npm run test:long -- browser/pictures` takes them anew.
describeInBrowser("the inspector's pictures, all of them", () => {
  const browser = browserOfFile();

  it("are as they are kept at both widths in both themes, and no view has a serious violation", async () => {
    const wrong = await comparePictures(await browser(), [
      { width: "narrow", theme: "light" },
      { width: "narrow", theme: "dark" },
      { width: "wide", theme: "light" },
      { width: "wide", theme: "dark" },
    ]);
    expect(wrong).toEqual([]);
  });
});
