import { randomBytes } from "node:crypto";

/** Where ids, tokens and secrets come from. */
export interface Random {
  /** `length` bytes that nobody can predict. A test's source repeats them by seed. */
  bytes(length: number): Uint8Array;
}

/** The operating system's generator. */
export const systemRandom: Random = { bytes: (length) => randomBytes(length) };
