/** The members that every type of event has. */
export interface Happening {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The steps of reading an authentic body, each of which a fault may replace. */
export type Reading = Readonly<typeof honestReading>;

export const honestReading = {
  /** @throws {Error} The bytes are not UTF-8. */
  decode: (body: Buffer): string =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body),
  depth: 16,
  areMembersOnce: true,
};

/**
 * Reads an event strictly.
 *
 * @throws {Error} The bytes are not JSON, or JSON that two readers may read differently.
 */
export function readEvent(body: Buffer, { decode, depth, areMembersOnce }: Reading): Happening {
  const text = decode(body);
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
    if (open.length > depth) throw new Error("too deep");
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
