// Without streaming a decoder keeps nothing between calls.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * The text of UTF-8 bytes, a byte order mark included.
 * @throws {TypeError} The bytes are not well formed.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The UTF-8 bytes of a well-formed text. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * The offset of the first byte that starts no well-formed UTF-8 sequence (RFC 3629 section 4), or the
 * length where all are well formed. Overlong forms, surrogates and values above U+10FFFF are not.
 */
export function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

function sequenceLength(bytes: Uint8Array, at: number): 0 | 1 | 2 | 3 | 4 {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let index = 1; index < length; index += 1) {
    const [low, high] = index === 1 ? secondByteRange(lead) : CONTINUATION;
    const byte = bytes[at + index] ?? 0;
    if (byte < low || byte > high) return 0;
  }
  return length;
}

const CONTINUATION = [0x80, 0xbf] as const;

function secondByteRange(lead: number): readonly [low: number, high: number] {
  switch (lead) {
    case 0xe0:
      return [0xa0, 0xbf];
    case 0xed:
      return [0x80, 0x9f];
    case 0xf0:
      return [0x90, 0xbf];
    case 0xf4:
      return [0x80, 0x8f];
    default:
      return CONTINUATION;
  }
}
