import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { committedFiles } from "../../scripts/generate.ts";
import { root } from "../../scripts/schemas/load.ts";

it("the committed files that are derived from sources are up to date", async () => {
  const files = await committedFiles();
  const stale = Object.keys(files).filter(
    (path) => readFileSync(root + path, "utf8") !== files[path],
  );
  expect(stale, "run npm run bootstrap -- generate").toEqual([]);
});
