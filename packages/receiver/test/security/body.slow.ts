import { expect, it } from "vitest";
import { changeBytes } from "./change-bytes.ts";

it("A13: no byte of a genuine body can be changed to any other value", async () => {
  const flips = Array.from({ length: 255 }, (_, index) => index + 1);
  const { bytes, attempts, accepted } = await changeBytes(flips);
  expect(accepted).toEqual([]);
  expect(attempts).toBe(bytes * 255);
});
