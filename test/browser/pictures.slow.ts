import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./browser.ts";
import { visit } from "./looks.ts";

const isTaking = process.env["UPDATE_PICTURES"] === "1";
const target = isTaking ? "../../docs/public/pictures/" : "../output/pictures/";
const folder = fileURLToPath(new URL(target, import.meta.url));
const taken = [
  "events",
  "event",
  "signature",
  "payments",
  "refund",
  "endpoints",
  "checks",
  "faults",
];

// `UPDATE_PICTURES=1 npm run test:long -- browser/pictures` takes the pictures of the README and the docs again.
describeInBrowser("the pictures of the inspector", () => {
  const browser = browserOfFile();
  it("show each view in both themes", async () => {
    mkdirSync(folder, { recursive: true });
    const looks = [
      { width: 1440, theme: "light" },
      { width: 1440, theme: "dark" },
    ] as const;
    const found = await visit(
      await browser(),
      looks,
      async (page, { name }, { theme }) => {
        // The port differs in each run.
        await page.evaluate(() => {
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
            const said = text.nodeValue ?? "";
            const even = said.replaceAll(/127\.0\.0\.1:\d+/g, "localhost:3000");
            if (even !== said) text.nodeValue = even;
          }
        });
        writeFileSync(`${folder}${name}-${theme}.png`, await smallPicture(page));
      },
      ({ name }) => taken.includes(name),
    );
    expect(found).toEqual([]);
  });
});

/** Takes a picture of a page as a PNG of at most 256 colours: a fifth of the bytes of a full one. */
export async function smallPicture(page: Page): Promise<Buffer> {
  const png = (await page.screenshot()).toString("base64");
  const blank = await page.context().newPage();
  const { width, height, base64 } = await blank.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context?.drawImage(image, 0, 0);
    const { data } = context?.getImageData(0, 0, image.width, image.height) ?? {};
    const blob = new Blob([data ?? ""]);
    const url = await new Promise<string>((resolve) => {
      const reader = new FileReader();
      reader.addEventListener("load", () =>
        resolve(typeof reader.result === "string" ? reader.result : ""),
      );
      reader.readAsDataURL(blob);
    });
    return { width: image.width, height: image.height, base64: url.slice(url.indexOf(",") + 1) };
  }, png);
  await blank.close();
  return encode(Buffer.from(base64, "base64"), width, height);
}

/** Encodes pixels of four bytes with the 256 most frequent colours; others become the nearest of these. */
function encode(pixels: Buffer, width: number, height: number): Buffer {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, 256)
    .map(([colour]) => colour);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const placeOf = (colour: number): number => {
    const known = places.get(colour);
    if (known !== undefined) return known;
    const distances = palette.map((one) => distance(one, colour));
    const nearest = distances.indexOf(Math.min(...distances));
    places.set(colour, nearest);
    return nearest;
  };
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + 1 + x] = placeOf(pixels.readUIntBE((y * width + x) * 4, 3));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, each the place of a colour in the palette.
  head.set([8, 3], 8);
  const colours = Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const chunks = [
    chunk("IHDR", head),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([signature, ...chunks]);
}

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, by) => sum + (((one >> by) & 255) - ((other >> by) & 255)) ** 2, 0);

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
