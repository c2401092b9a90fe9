import type { Browser } from "playwright-core";

/** Steps of 255 by which a channel may differ before a pixel counts. */
const STEPS = 48;

/** The share of pixels that differ between two PNG pictures; 1 where their sizes do. */
export async function differingShare(
  browser: Browser,
  one: Buffer,
  other: Buffer,
): Promise<number> {
  // On one machine the same page is mostly the same bytes, and to unpack two pictures takes a second.
  if (one.equals(other)) return 0;
  const page = await browser.newPage();
  try {
    const urls = [one, other].map((png) => `data:image/png;base64,${png.toString("base64")}`);
    return await page.evaluate(
      async ({ sources, steps }) => {
        const pixels = await Promise.all(
          sources.map(async (source) => {
            const image = new Image();
            image.src = source;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext("2d");
            if (context === null) throw new Error("no canvas");
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height);
          }),
        );
        const [first, second] = pixels;
        if (first === undefined || second === undefined) return 1;
        if (first.width !== second.width || first.height !== second.height) return 1;
        let count = 0;
        for (let at = 0; at < first.data.length; at += 4) {
          for (let channel = at; channel < at + 3; channel += 1) {
            if (Math.abs((first.data[channel] ?? 0) - (second.data[channel] ?? 0)) <= steps)
              continue;
            count += 1;
            break;
          }
        }
        return count / (first.data.length / 4);
      },
      { sources: urls, steps: STEPS },
    );
  } finally {
    await page.close();
  }
}
