/** A string, or a number or a word: what is between them is punctuation. Strict JSON was read from the text before. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * Returns the source texts of a list's items, so that each is stored with its own bytes. The text is strict JSON and has
 * a list at `members`.
 */
export function itemTexts(text: string, members: readonly string[]): readonly string[] {
  const texts: string[] = [];
  /** The open containers: the current member's name, or the current index. */
  const path: (string | number)[] = [];
  const isObject: boolean[] = [];
  let isName = false;
  let start = 0;

  const isItem = (): boolean =>
    path.length === members.length + 1 &&
    isObject.at(-1) === false &&
    members.every((member, depth) => String(path[depth]) === member);
  const end = (at: number): void => {
    if (isItem() && at > start) texts.push(text.slice(start, at));
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const last = path.length - 1;
    switch (token) {
      case "{":
      case "[":
        if (isItem()) start = index;
        path.push(token === "{" ? "" : 0);
        isObject.push(token === "{");
        isName = token === "{";
        break;
      case "}":
      case "]":
        path.pop();
        isObject.pop();
        end(index + 1);
        break;
      case ",":
        isName = isObject.at(-1) === true;
        if (!isName) path[last] = Number(path[last]) + 1;
        break;
      case ":":
        isName = false;
        break;
      default:
        if (isName) path[last] = JSON.parse(token) as string;
        else if (isItem()) texts.push(token);
    }
  }
  return texts;
}
