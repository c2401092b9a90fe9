import type { Browser } from "playwright-core";

/** Steps of 255 by which a channel may differ before a pixel counts. */
const STEPS = 48;

/** Returns the share of pixels that differ between two PNG pictures; 1 if their sizes do. */
export async function differingShare(
  browser: Browser,
  one: Buffer,
  other: Buffer,
): Promise<number> {
  // On one machine the same page mostly gives the same bytes, and decoding two pictures takes a second.
  if (one.equals(other)) return 0;
  const page = await browser.newPage();
  const sources = [one, other].map((png) => `data:image/png;base64,${png.toString("base64")}`);
  const share = await page.evaluate(
    async ({ urls, steps }) => {
      const pixelsOf = async (url: string): Promise<ImageData | undefined> => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context?.drawImage(image, 0, 0);
        return context?.getImageData(0, 0, image.width, image.height);
      };
      const [first, second] = await Promise.all(urls.map(pixelsOf));
      if (first?.width !== second?.width || first?.height !== second?.height) return 1;
      const [before, after] = [first?.data ?? [], second?.data ?? []];
      const differs = (at: number): boolean =>
        Math.abs((before[at] ?? 0) - (after[at] ?? 0)) > steps;
      let count = 0;
      for (let at = 0; at < before.length; at += 4)
        if (differs(at) || differs(at + 1) || differs(at + 2)) count += 1;
      return count / (before.length / 4);
    },
    { urls: sources, steps: STEPS },
  );
  await page.close();
  return share;
}
