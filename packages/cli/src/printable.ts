/**
 * A stranger's text for a terminal: control characters and what turns the writing direction are
 * escaped, so that an answer cannot draw, hide or run anything there.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
