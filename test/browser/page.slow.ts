import { describeInBrowser, pageOfFile } from "./browser.ts";
import { hostileTextsInPage, hostileTexts } from "./hostile.ts";
import { accessible, everyLook } from "./looks.ts";
import { sceneOfFile } from "./scene.ts";
import { tasks } from "./tasks.ts";

describeInBrowser("the inspector's page, in its long forms", () => {
  const emptyPage = pageOfFile();
  const scene = sceneOfFile();
  // Before the tasks, which change the scene.
  accessible(emptyPage, scene, everyLook);
  tasks(emptyPage, scene);
  hostileTextsInPage(emptyPage, hostileTexts);
});
