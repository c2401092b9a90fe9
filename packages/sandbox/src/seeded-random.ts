import { createHash } from "node:crypto";
import type { Random } from "@countersign/service";

/** A source that repeats itself by its seed: for ids that a test can rely on, never for secrets. */
export function seededRandom(seed: number): Random {
  let block = 0;
  return {
    bytes: (length) => {
      const blocks: Buffer[] = [];
      for (let made = 0; made < length; made += 32) {
        block += 1;
        blocks.push(createHash("sha256").update(`countersign ${seed} ${block}`).digest());
      }
      return Buffer.concat(blocks).subarray(0, length);
    },
  };
}
