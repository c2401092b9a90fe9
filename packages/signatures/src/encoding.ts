/** How bytes are written in a header or a secret. */
export type Encoding = "base64" | "hex";

/**
 * The bytes of `text`, or `undefined` unless it is their one canonical spelling: padded base64 of
 * the standard alphabet (RFC 4648 section 4) whose unused bits are zero, or lower-case hexadecimal.
 * `Buffer.from` skips what it does not understand, hence the way back.
 */
export function decodeCanonical(text: string, encoding: Encoding): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
