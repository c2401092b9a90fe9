import type { Schema } from "./load.ts";
import { markdownPage, markdownTable } from "./markdown.ts";
import { profileNotes } from "./profile-notes.ts";

type Document = Readonly<Record<string, unknown>>;

interface Parts {
  readonly title?: string;
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/**
 * Returns the page of a profile's choices.
 *
 * @param schema The schema of profiles.
 * @param builtIn The built-in profiles by name.
 */
export function profilePage(schema: Schema, builtIn: Readonly<Record<string, object>>): string {
  const profiles: Readonly<Record<string, Document>> = Object.fromEntries(
    Object.entries(builtIn).map(([name, profile]) => [name, { ...profile }]),
  );
  const names = Object.keys(profiles);
  const { properties = {} } = schema as Parts;
  const choices = Object.entries(properties).filter(
    ([name]) => !["$schema", "name", "evidence"].includes(name),
  );
  return markdownPage(
    { title: "Profiles", from: "schemas/profiles/" },
    `A profile is one JSON document with every choice that the interface leaves open. \`countersign serve --profile FILE\` and
\`startService({ profile })\` take a document, or a built-in one by its name: ${names.map((name) => `\`${name}\``).join(", ")}. Its schema is
\`@countersign/schemas/profiles/profile.schema.json\`. The service does not start with an invalid document, or with one that it does not
support, and lists the JSON Pointer of each error.`,
    `The evidence of a choice is \`specified\` by the interface, \`public practice\` of published standards and services, or \`assumed\`: other
providers may choose differently.`,
    ...choices.flatMap(([name, part]) => section(name, part, profiles)),
    "## Others",
    `\`name\` appears in messages and reports. \`evidence\` has the evidence of each choice above, by its JSON Pointer; it has no effect.
\`$schema\` may name the schema.`,
  );
}

function section(
  name: string,
  part: Schema,
  profiles: Readonly<Record<string, Document>>,
): readonly string[] {
  const names = Object.keys(profiles);
  const { description = "" } = part as Parts;
  const rows = members(name, part).map(({ path, schema, isOptional }) => [
    `\`${path === name ? path : path.slice(name.length).replace(/^\./, "")}\`${isOptional ? " (optional)" : ""}`,
    [(schema as Parts).description ?? [], valueOf(schema)].flat().join("<br>"),
    joinValues(names.map((profile) => [profile, shown(profiles[profile], path)] as const)),
  ]);
  return [
    `## \`${name}\``,
    description,
    markdownTable(["member", "meaning and values", "built-in profiles"], rows),
    ...evidenceOf(name, profiles),
  ];
}

/** Returns the value of all profiles, or one line for each if they differ. */
function joinValues(values: readonly (readonly [string, string])[]): string {
  const [[, first] = ["", ""]] = values;
  if (values.every(([, value]) => value === first)) return first;
  return values
    .filter(([, value]) => value !== "")
    .map(([profile, value]) => `${profile}: ${value}`)
    .join("<br>");
}

interface Member {
  readonly path: string;
  readonly schema: Schema;
  readonly isOptional: boolean;
}

/** Returns the members of a part that have a value: `a.b`, and `a[].b` in a list. */
function members(path: string, schema: Schema, isOptional = false): readonly Member[] {
  const { properties, required = [], items, oneOf } = schema as Parts;
  if (oneOf !== undefined) {
    const found = oneOf.flatMap((kind) => members(path, kind));
    // Each kind has a different value for the tag.
    const merged = new Map<string, Member>();
    for (const member of found) {
      const before = merged.get(member.path);
      merged.set(member.path, before === undefined ? member : joined(before, member));
    }
    const inAll = (one: Member): boolean =>
      oneOf.every((kind) => members(path, kind).some((other) => other.path === one.path));
    return [...merged.values()].map((one) => ({
      ...one,
      isOptional: one.isOptional || !inAll(one),
    }));
  }
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([name, child]) =>
      members(`${path}.${name}`, child, isOptional || !required.includes(name)),
    );
  }
  const isList = (items as Parts | undefined)?.properties !== undefined;
  if (items !== undefined && isList) {
    return [{ path, schema, isOptional }, ...members(`${path}[]`, items, isOptional)];
  }
  return [{ path, schema, isOptional }];
}

function joined(one: Member, other: Member): Member {
  const [a, b] = [one.schema as Parts, other.schema as Parts];
  if (a.const === undefined && a.enum === undefined) return one;
  const { const: _, ...rest } = a;
  const values = [...(a.enum ?? [a.const]), ...(b.enum ?? [b.const])];
  return { ...one, schema: { ...rest, enum: [...new Set(values)] } };
}

function entriesOf(items: Schema): string {
  return (items as Parts).properties === undefined ? valueOf(items) : "entries";
}

function valueOf(schema: Schema): string {
  const { type, const: only, enum: values, items, ...bounds } = schema as Parts;
  if (only !== undefined) return code(only);
  if (values !== undefined) return values.map(code).join(", ");
  switch (type) {
    case "integer":
    case "number":
      return `${String(bounds.minimum)} to ${String(bounds.maximum)}`;
    case "boolean":
      return "`true`, `false`";
    case "array":
      return `${String(bounds.minItems ?? 0)} to ${String(bounds.maxItems)}: ${entriesOf(items ?? {})}`;
    case undefined:
    default:
      return bounds.minLength === bounds.maxLength
        ? `text of ${String(bounds.maxLength)} characters`
        : `text of ${String(bounds.minLength ?? 0)} to ${String(bounds.maxLength)} characters`;
  }
}

/** Prints a profile's value of a member; nothing if it is missing, or a member of a list's entries. */
function shown(profile: Document | undefined, path: string): string {
  if (path.includes("[]")) return "";
  const value = path
    .split(".")
    .reduce<unknown>((at, name) => (at as Document | undefined)?.[name], profile);
  if (value === undefined) return "";
  const isLong = Array.isArray(value) && JSON.stringify(value).length > 200;
  return isLong ? `${value.length} entries` : code(value);
}

const code = (value: unknown): string =>
  `\`${typeof value === "string" && value.trim() !== "" ? value : JSON.stringify(value)}\``;

/** The evidence of a choice, or of each of its members, with the reason. */
function evidenceOf(name: string, profiles: Readonly<Record<string, Document>>): readonly string[] {
  const [first = {}, ...others] = Object.values(profiles).map(
    ({ evidence }) => evidence as Readonly<Record<string, string>>,
  );
  const pointers = Object.keys(first).filter(
    (pointer) => pointer === `/${name}` || pointer.startsWith(`/${name}/`),
  );
  const names = Object.keys(profiles);
  return pointers.map((pointer) => {
    const differing = others.flatMap((evidence, index) =>
      evidence[pointer] === first[pointer]
        ? []
        : [`${evidence[pointer] ?? ""} in \`${names[index + 1] ?? ""}\``],
    );
    const note = profileNotes[pointer];
    if (note === undefined) throw new Error(`the choice ${pointer} has no reason`);
    const member = pointer.slice(name.length + 2);
    const about = member === "" ? "" : `\`${member}\`: `;
    const evidence = [first[pointer] ?? "", ...differing].join("; ");
    return `Evidence, ${about}**${evidence}**. ${note}`;
  });
}
