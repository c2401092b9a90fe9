import { createHash } from "node:crypto";

/**
 * SHA-256 of a text's UTF-8, hexadecimal. For secrets of 128 random bits and more, which no dictionary
 * holds: a slow hash would add nothing.
 */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
