import { checks } from "./checks.ts";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { controls } from "./controls.ts";
import { firstUse } from "./first-use.ts";
import { hostileTextsInPage } from "./hostile.ts";
import { someHostileTexts } from "./hostile-texts.ts";
import { pictures } from "./pictures.ts";
import { mouse } from "./hand.ts";
import { streaming } from "./streaming.ts";

// One file, one browser: starting one takes as long as most of these tests.
describeInBrowser("the inspector's page", () => {
  const browser = browserOfFile();
  firstUse(browser, "a mouse", () => mouse);
  controls(browser);
  streaming(browser);
  checks(browser);
  hostileTextsInPage(browser, someHostileTexts);
  pictures(browser, [{ width: "narrow", theme: "light" }]);
});
