import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { browserOfFile, describeInBrowser } from "./chromium.ts";
import { visit } from "./looks.ts";
import { smallPicture } from "./small-png.ts";

const isTaking = process.env["UPDATE_PICTURES"] === "1";
const place = isTaking ? "../../docs/public/pictures/" : "../output/pictures/";
const folder = fileURLToPath(new URL(place, import.meta.url));
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
