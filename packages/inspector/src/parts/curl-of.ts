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

/** A text as one word of a POSIX shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
