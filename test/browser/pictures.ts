import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { comparePictures } from "./compare-pictures.ts";

/** The pictures of the docs, in two of the four looks; the slow lane has all. */
export function pictures(browser: () => Promise<Browser>): void {
  it("looks as in the pictures that are kept in its docs, and no view has a serious violation", async () => {
    const wrong = await comparePictures(await browser(), [
      { width: "narrow", theme: "light" },
      { width: "wide", theme: "dark" },
    ]);
    expect(wrong).toEqual([]);
  });
}
