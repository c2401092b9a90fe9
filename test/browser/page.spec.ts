import { checks } from "./checks.ts";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { firstUse } from "./first-use.ts";
import { hostileTextsInPage } from "./hostile.ts";
import { someHostileTexts } from "./hostile-texts.ts";
import { pictures } from "./pictures.ts";
import { streaming } from "./streaming.ts";

// One file, one browser: to start one takes as long as most of these.
describeInBrowser("the inspector's page", () => {
  const browser = browserOfFile();
  firstUse(browser);
  streaming(browser);
  checks(browser);
  hostileTextsInPage(browser, someHostileTexts);
  pictures(browser);
});
