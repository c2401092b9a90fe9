/** How bytes are written in a header or a secret. */
export type Encoding = "base64" | "hex";

/**
 * The bytes that `text` writes from the character `start` on, or `undefined` unless that is their
 * one canonical spelling: padded base64 of the standard alphabet (RFC 4648 section 4) whose unused
 * bits are zero, or lower-case hexadecimal.
 *
 * By hand, because `Buffer.from` skips what it does not understand, and the way back that would
 * show it costs more than everything else in reading an attempt.
 */
export function decodeCanonical(
  text: string,
  encoding: Encoding,
  start = 0,
): Uint8Array | undefined {
  return encoding === "base64" ? decodeBase64(text, start) : decodeHex(text, start);
}

const BASE64 = valuesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const HEX = valuesOf("0123456789abcdef");

function decodeBase64(text: string, start: number): Uint8Array | undefined {
  const characters = text.length - start;
  if (characters % 4 !== 0) return undefined;
  // What stands before `start` is no padding of the nothing after it.
  const padding = characters === 0 || !text.endsWith("=") ? 0 : text.endsWith("==") ? 2 : 1;
  const bytes = new Uint8Array((characters / 4) * 3 - padding);
  let at = start;
  let written = 0;
  // Of what is no character the value is negative, and stays so through every shift and union.
  let seen = 0;
  while (written + 3 <= bytes.length) {
    const bits =
      (valueAt(BASE64, text, at) << 18) |
      (valueAt(BASE64, text, at + 1) << 12) |
      (valueAt(BASE64, text, at + 2) << 6) |
      valueAt(BASE64, text, at + 3);
    seen |= bits;
    at += 4;
    bytes[written++] = bits >> 16;
    bytes[written++] = bits >> 8;
    bytes[written++] = bits;
  }
  if (padding > 0) {
    const first = valueAt(BASE64, text, at);
    const second = valueAt(BASE64, text, at + 1);
    const third = padding === 1 ? valueAt(BASE64, text, at + 2) : 0;
    seen |= first | second | third;
    bytes[written++] = (first << 2) | (second >> 4);
    if (padding === 1) bytes[written] = (second << 4) | (third >> 2);
    const unused = padding === 1 ? third & 0b11 : second & 0b1111;
    if (unused !== 0) return undefined;
  }
  return seen < 0 ? undefined : bytes;
}

function decodeHex(text: string, start: number): Uint8Array | undefined {
  const characters = text.length - start;
  if (characters % 2 !== 0) return undefined;
  const bytes = new Uint8Array(characters / 2);
  let seen = 0;
  for (let index = 0; index < bytes.length; index++) {
    const at = start + 2 * index;
    const bits = (valueAt(HEX, text, at) << 4) | valueAt(HEX, text, at + 1);
    seen |= bits;
    bytes[index] = bits;
  }
  return seen < 0 ? undefined : bytes;
}

/** The value of a character, or -1 where the alphabet has none. */
function valueAt(values: Int8Array, text: string, at: number): number {
  return values[text.charCodeAt(at)] ?? -1;
}

function valuesOf(alphabet: string): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (let index = 0; index < alphabet.length; index++) {
    values[alphabet.charCodeAt(index)] = index;
  }
  return values;
}
