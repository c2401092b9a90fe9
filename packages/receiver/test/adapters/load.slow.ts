import { describe, expect, it } from "vitest";
import { mounts } from "./mounts.ts";
import { holdByMount, MEGABYTE, readByNode, readByWeb } from "./single-bytes.ts";

describe("A20: a million chunks of a byte", () => {
  const CHUNKS = 1_000_000;
  it.each([
    ["Node's", readByNode],
    ["the Web's", readByWeb],
  ])("are held by %s reader in twice their bytes at most, while they arrive", async (_, read) => {
    const { most, result } = await read(CHUNKS);
    expect("error" in result ? result : result.length).toBe(CHUNKS);
    expect(most).toBeLessThan(2 * CHUNKS + MEGABYTE);
  });
});

describe("A20: a hundred thousand chunks of a byte", () => {
  it.each(mounts.filter(({ streams }) => streams))(
    "are held by $name in twice their bytes at most",
    async (mount) => {
      const { held, status } = await holdByMount(mount, 100_000);
      expect(held).toBeLessThan(4 * MEGABYTE);
      expect(status).toBe(401);
    },
  );
});
