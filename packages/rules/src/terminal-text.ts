/** Controls, and what turns the writing direction or has no form. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * One line for a terminal or a build's log, in which a stranger's text cannot draw, hide or run anything: what is unseen is
 * written out. So are texts that build servers take for commands anywhere in their log: `::` at a line's begin and `##[` of
 * GitHub, `##vso[` of Azure, `##teamcity[`.
 */
export function terminalLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/^(\s*):(?=:)/, String.raw`$1\u{3a}`)
    .replaceAll(/#(?=#\w*\[)/g, String.raw`\u{23}`);
}

/** JSON for a terminal or a build's log, on one line unless it is indented. Read again, it is the same value. */
export function terminalJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent)
    .replaceAll(UNSEEN, (character) =>
      character === "\n"
        ? character
        : character
            .split("")
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
            .join(""),
    )
    .replaceAll(/#(?=#\w*\[)/g, String.raw`\u0023`);
}
