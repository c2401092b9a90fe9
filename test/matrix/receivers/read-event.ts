import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

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

// The readers' documents through another validator than ours: a fault of ours would excuse itself.

const documents = new URL("../../../schemas/reader/", import.meta.url);
type Validators = ReadonlyMap<string, ValidateFunction>;
let made: Validators | undefined;
const open = (): Validators => (made ??= validators());

/** True if an event of a known type has the data that its schema demands, or its type is unknown. */
export const fitsSchema = (event: Happening): boolean => open().get(event.type)?.(event) ?? true;

/** True if there is a schema for events of this type. */
export const isKnownType = (type: string): boolean => open().has(type);

function validators(): Validators {
  const ajv = new Ajv2020();
  const ids = new Map<string, string>();
  for (const folder of ["events", "resources"])
    for (const name of readdirSync(new URL(folder, documents))) {
      const text = readFileSync(new URL(`${folder}/${name}`, documents), "utf8");
      const schema = JSON.parse(text) as Record<string, unknown>;
      ajv.addSchema(schema);
      const type = /^(\w+\.\w+)\.schema\.json$/.exec(name)?.[1];
      if (folder === "events" && type !== undefined) ids.set(type, String(schema["$id"]));
    }
  return new Map(
    [...ids].map(([type, id]): [string, ValidateFunction] => {
      const validate = ajv.getSchema(id);
      if (validate === undefined) throw new Error(`unknown schema ${id}`);
      return [type, validate];
    }),
  );
}
