import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("the lockfile contains no registry address, so that any registry serves", () => {
  const text = readFileSync(new URL("../../pnpm-lock.yaml", import.meta.url), "utf8");
  expect(text).not.toMatch(/https?:|tarball|registry\./);
});
