import type { Locator, Page } from "playwright-core";

/** A person's way to work the page. */
export interface Hand {
  readonly press: (place: Locator) => Promise<void>;
  readonly fill: (place: Locator, text: string) => Promise<void>;
}

export const mouse: Hand = {
  press: (place) => place.click(),
  fill: (place, text) => place.fill(text),
};

/** More stops of the Tab key than any view has. */
const MAX_STOPS = 200;

/** Reaches each place by the Tab key, however far it is. */
export function keyboard(page: Page): Hand {
  const reach = async (place: Locator): Promise<void> => {
    await place.waitFor();
    for (let stops = 0; stops < MAX_STOPS; stops += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one key after the other
      if (await place.evaluate((element) => element === document.activeElement)) return;
      // oxlint-disable-next-line no-await-in-loop
      await page.keyboard.press("Tab");
    }
    throw new Error(`no Tab leads to ${String(place)}`);
  };
  return {
    press: async (place) => {
      await reach(place);
      await page.keyboard.press("Enter");
    },
    fill: async (place, text) => {
      await reach(place);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
    },
  };
}
