import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { firstUse } from "./first-use.ts";
import { keyboard } from "./hand.ts";
import { hostileTextsInPage } from "./hostile.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { pictures } from "./pictures.ts";

// `UPDATE_PICTURES=1 npm run test:long -- browser/page` takes the pictures anew.
describeInBrowser("the inspector's page, in its long forms", () => {
  const browser = browserOfFile();
  firstUse(browser, "the keyboard only", keyboard);
  hostileTextsInPage(browser, hostileTexts);
  pictures(browser, [
    { width: "narrow", theme: "light" },
    { width: "narrow", theme: "dark" },
    { width: "wide", theme: "light" },
    { width: "wide", theme: "dark" },
  ]);
});
