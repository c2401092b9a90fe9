/**
 * Bytes of the wire as text that a terminal, a page and a file can show: UTF-8 unchanged, all else
 * escaped. `\r\n` is a line break; any other line break is also escaped, since it
 * may be the fault. A backslash is doubled, so that the text is read in one way.
 *
 * @param options.cap Bytes that are shown, 1 or more; what follows is counted. Default 2048.
 */
export function shownBytes(
  bytes: Uint8Array | string,
  { cap = 2048 }: { readonly cap?: number } = {},
): string {
  const all = Buffer.from(bytes);
  const text = escaped(all.subarray(0, cap));
  return all.length <= cap ? text : `${text}\n… ${String(all.length - cap)} more bytes`;
}

function escaped(bytes: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = sequenceAt(bytes, at);
    const character = size === 0 ? "" : bytes.toString("utf8", at, at + size);
    if (character === "\r" && bytes[at + 1] === 0x0a) {
      pieces.push("\n");
      at += 2;
    } else {
      pieces.push(size === 0 ? hex(bytes[at] ?? 0) : shown(character));
      at += Math.max(1, size);
    }
  }
  return pieces.join("");
}

function shown(character: string): string {
  if (character === "\n") return "\\n\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  if (character === "\\") return "\\\\";
  // Controls, what turns the writing direction, separators, and what has no form.
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/u.test(character)
    ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
    : character;
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

/** Number of bytes of the character at a place; 0 if they are not UTF-8. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const sequence = bytes.subarray(at, at + size);
  // Printed again, what is no UTF-8 has other bytes.
  return sequence.length === size && Buffer.from(sequence.toString()).equals(sequence) ? size : 0;
}
