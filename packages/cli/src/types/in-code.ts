/** Replaces in lines of code, and leaves the lines of comments as they are. */
export function inCode(
  text: string,
  { comment, from, to }: { readonly comment: RegExp; readonly from: RegExp; readonly to: string },
): string {
  return text
    .split("\n")
    .map((line) => (comment.test(line) ? line : line.replaceAll(from, to)))
    .join("\n");
}
