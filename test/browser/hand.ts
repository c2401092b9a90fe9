import type { Locator, Page } from "playwright-core";

export interface Hand {
  readonly press: (place: Locator) => Promise<void>;
}

export const mouse: Hand = {
  press: (place) => place.click(),
};

/** More stops of the Tab key than any view has. */
const MAX_STOPS = 400;

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
      // A checkbox obeys the space bar only.
      const isCheckbox = await place.evaluate((element) => element.matches("[type=checkbox]"));
      await page.keyboard.press(isCheckbox ? "Space" : "Enter");
    },
  };
}
