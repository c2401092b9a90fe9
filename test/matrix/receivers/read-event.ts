/** The members that every type of event has. */
export interface Happening {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const DEPTH = 16;

/**
 * Reads an event strictly.
 *
 * @throws {Error} The bytes are not UTF-8 or JSON, or JSON that two readers may read differently.
 */
export function readEvent(
  body: Buffer,
  { areMembersOnce }: { readonly areMembersOnce: boolean },
): Happening {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  const value: unknown = JSON.parse(text);
  const open: Set<string>[] = [];
  // The text is JSON by now: a string before a colon names a member.
  for (const [token, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      const names = open.at(-1);
      if (areMembersOnce && names?.has(name)) throw new Error("a member is repeated");
      names?.add(name);
    }
    if (open.length > DEPTH) throw new Error("too deep");
  }
  if (!isHappening(value)) throw new Error("not an event");
  return value;
}

function isHappening(value: unknown): value is Happening {
  if (typeof value !== "object" || value === null) return false;
  const { id, type, timestamp, data } = value as Record<string, unknown>;
  const texts = [id, type, timestamp].every((one) => typeof one === "string" && one !== "");
  return texts && typeof data === "object" && data !== null;
}
