import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { hostileTextsInPage } from "./hostile.ts";
import { hostileTexts } from "./hostile-texts.ts";

describeInBrowser(
  `the inspector's page, with ${String(hostileTexts.length)} hostile texts,`,
  () => {
    hostileTextsInPage(browserOfFile(), hostileTexts);
  },
);
