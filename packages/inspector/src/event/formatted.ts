/** JSON with line ends and every number digit for digit: only space between tokens is added. */
export function formatted(text: string): string {
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  return text.replaceAll(
    /"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{[]|[}\]]|,|:|[^\s"{}[\],:]+|\s+/g,
    (token) => {
      if (/^\s+$/.test(token)) return "";
      if (/^[{[]\s*[}\]]$/.test(token)) return token;
      if (token === "{" || token === "[") {
        depth += 1;
        return token + line();
      }
      if (token === "}" || token === "]") {
        depth -= 1;
        return line() + token;
      }
      if (token === ",") return token + line();
      return token === ":" ? ": " : token;
    },
  );
}
