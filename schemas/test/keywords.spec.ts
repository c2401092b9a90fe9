import { expect, it } from "vitest";
import { BASE, type Schema } from "../../scripts/schemas/load.ts";
import { files } from "./schema-files.ts";

/**
 * The closed subset of JSON Schema 2020-12 that the schemas are written in, with our annotations: an enum that is open
 * for readers (`x-open`), and examples of refused values (`x-invalid`). Everything that is derived from them knows each
 * of these; a keyword outside would be ignored by some, silently.
 */
const KEYWORDS =
  "$schema $id $ref title description examples deprecated type const enum oneOf discriminator properties required additionalProperties items minItems maxItems minLength maxLength pattern format minimum maximum multipleOf x-open x-invalid".split(
    " ",
  );
const FORMATS = ["date-time", "uri"];

const ATOM = String.raw`(?:[^\\()[\]*+?{}|.^$]|\\[-\\/.[\](){}*+?|^$dws]|\\u[0-9A-Fa-f]{4}|\[(?:\\.|[^\]\\])+\])`;
const QUANTIFIER = String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})`;
// A character or a class, or a repeated group that begins with a separator and has no other one in it.
const PIECE = new RegExp(
  String.raw`(?<separated>\((?<separator>[ /,.:-])(?<inner>\[(?:\\.|[^\]\\])+\])[*+]\)[*+])|(?<atom>${ATOM})(?<quantifier>${QUANTIFIER})?`,
  "uy",
);

/**
 * True if a pattern cannot backtrack for long: it is anchored, consists of characters and classes,
 * repeats groups only as in `(/[a-z]+)*`, and no two adjacent unbounded repeats share a character.
 * Everything else is rejected: alternatives, lookarounds, back references.
 */
function isLinear(pattern: string): boolean {
  if (!pattern.startsWith("^") || !pattern.endsWith("$")) return false;
  // A group that is not repeated is checked as if it had no brackets.
  const body = pattern.slice(1, -1).replaceAll(/\((?!\?)([^()]*)\)(?:\?|(?![*+{]))/g, "$1");
  let before: RegExp | undefined;
  for (PIECE.lastIndex = 0; PIECE.lastIndex < body.length;) {
    const groups = PIECE.exec(body)?.groups;
    if (groups === undefined) return false;
    const { separated, separator = "", inner = "", atom = "", quantifier = "" } = groups;
    if (separated !== undefined && new RegExp(inner, "u").test(separator)) return false;
    const isUnbounded = separated === undefined && /^[*+]|,\}$/.test(quantifier);
    const set = new RegExp(`^${atom}$`, "u");
    if (isUnbounded && before !== undefined && overlap(before, set)) return false;
    before = isUnbounded ? set : undefined;
  }
  return true;
}

/** True if two sets share one of the first 256 characters. */
function overlap(one: RegExp, other: RegExp): boolean {
  return Array.from({ length: 256 }, (_, code) => String.fromCodePoint(code)).some(
    (character) => one.test(character) && other.test(character),
  );
}

function faultsOf(schema: Schema, at: string): string[] {
  const faults: string[] = [];
  for (const keyword of Object.keys(schema))
    // A profile's provider is a name or a document, whose own schema describes it.
    if (!KEYWORDS.includes(keyword) && `${at}/${keyword}` !== "/properties/provider/anyOf")
      faults.push(`${at}: keyword ${JSON.stringify(keyword)} is outside the subset`);
  const {
    $ref: ref,
    type,
    format,
    pattern,
    additionalProperties,
  } = schema as {
    $ref?: string;
    type?: string;
    format?: string;
    pattern?: string;
    additionalProperties?: unknown;
  };
  if (ref !== undefined) {
    const target = new URL(ref, BASE + "resources/").href;
    if (!target.startsWith(BASE)) faults.push(`${at}: $ref leaves the folder: ${ref}`);
  }
  if (format !== undefined && !FORMATS.includes(format))
    faults.push(`${at}: format ${format} has no meaning here`);
  if (pattern !== undefined) {
    if (schema["maxLength"] === undefined) faults.push(`${at}: a pattern needs a maxLength`);
    if (!isLinear(pattern)) faults.push(`${at}: the pattern is not one of the linear ones`);
  }
  if (type === "object" && schema["properties"] !== undefined && additionalProperties !== false)
    faults.push(`${at}: an object with properties is closed`);
  // A schema here would be one more place to walk; nothing here needs one.
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean")
    faults.push(`${at}: additionalProperties is true or false`);
  if (type === "array" && schema["maxItems"] === undefined)
    faults.push(`${at}: an array needs a maxItems`);
  // The checks do not test for own members: `{}` inherits these from its prototype.
  for (const name of Object.keys((schema["properties"] as object | undefined) ?? {}))
    if (name in Object.prototype) faults.push(`${at}: every object has a member ${name}`);
  for (const [name, child] of subschemas(schema)) faults.push(...faultsOf(child, `${at}/${name}`));
  return faults;
}

/** A schema's direct subschemas, by their place. */
function subschemas(schema: Schema): readonly (readonly [string, Schema])[] {
  const { properties = {}, items, oneOf = [] } = schema;
  return [
    ...Object.entries(properties).map(([name, child]) => [`properties/${name}`, child] as const),
    ...(items === undefined ? [] : [["items", items] as const]),
    ...oneOf.map((child, index) => [`oneOf/${String(index)}`, child] as const),
  ];
}

it("the schemas use only the keywords, formats and patterns that all their readers know", () => {
  const faults = files.flatMap(({ path, source, schema }) =>
    [...faultsOf(source, ""), ...faultsOf(schema, "")].map((fault) => path + fault),
  );
  expect(files.length).toBeGreaterThan(30);
  expect(faults).toEqual([]);
});
