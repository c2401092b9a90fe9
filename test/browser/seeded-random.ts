import { createHash } from "node:crypto";

/** Bytes that repeat themselves by a seed. */
export function seededRandom(seed: number): { bytes: (length: number) => Uint8Array } {
  let block = 0;
  return {
    bytes: (length) => {
      const blocks: Buffer[] = [];
      for (let made = 0; made < length; made += 32) {
        block += 1;
        blocks.push(
          createHash("sha256")
            .update(`${String(seed)} ${String(block)}`)
            .digest(),
        );
      }
      return Buffer.concat(blocks).subarray(0, length);
    },
  };
}
