import { browserOfFile, describeInBrowser, keyboard, mouse } from "./browser.ts";
import { hostileTextsInPage, hostileTexts } from "./hostile.ts";
import { accessible, everyLook } from "./looks.ts";
import { tasks } from "./tasks.ts";

describeInBrowser("the inspector's page, in its long forms", () => {
  const browser = browserOfFile();
  tasks(browser, "a mouse", () => mouse);
  tasks(browser, "the keyboard only", keyboard);
  hostileTextsInPage(browser, hostileTexts);
  accessible(browser, everyLook);
});
