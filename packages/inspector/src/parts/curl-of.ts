/** A call as a line for a POSIX shell. The token stays out of it, and so out of the shell's history. */
export function curlOf(
  origin: string,
  { method, path, body }: { method: string; path: string; body?: string | undefined },
): string {
  const words = ["curl"];
  if (method !== "GET" && (method !== "POST" || body === undefined)) words.push("-X", method);
  words.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== undefined) words.push('-H "Content-Type: application/json"', "-d", quoted(body));
  words.push(quoted(`${origin}${path}`));
  return words.join(" ");
}

/**
 * A text as one word of a POSIX shell, whatever is in it. What a terminal obeys (C0, DEL, C1) or shows in
 * another order (bidi) is never pasted as it stands: `printf` makes it where the line runs. Such a text loses
 * line ends at its end.
 */
export function quoted(text: string): string {
  if (!OBEYED.test(text)) return inQuotes(text);
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll(new RegExp(OBEYED, "gu"), (character) =>
      [...new TextEncoder().encode(character)]
        .map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`)
        .join(""),
    );
  return `"$(printf %b ${inQuotes(escaped)})"`;
}

/** Controls of a terminal and of the direction of text; a line end within quotes is none. */
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
