import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("each vendor's SDK gives the recorded verdict about every vector, and accepts what this project signs", () => {
  const mint = fileURLToPath(new URL("../mint/mint.mjs", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [mint, "--check"], {
    encoding: "utf8",
  });
  console.log(stdout);
  expect({ status, stderr }).toMatchObject({ status: 0 });
});
