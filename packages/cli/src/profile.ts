import { globSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { example, schemaSet } from "@countersign/contract-kit/derive";
import { valueAt } from "@countersign/schemas";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { didYouMean } from "./options.ts";
import { Failure } from "./failure.ts";

/** Members that have no default. */
const OWN = new Set(["name", "signature", "envelope", "catalogue", "payments"]);

/**
 * Returns a built-in profile by its name, or a profile document by its path. What the document leaves out,
 * but for its name, signature, envelope, catalogue and payments, is as in the standard profile. A folder has the document as `profile.json`, JSON Schemas of events' data as
 * `events/TYPE.schema.json`, and whole sample events as `samples/*.json`. A sample that is missing is made from the
 * schema.
 *
 * @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: no such name and no such file, or the document is not a
 *   profile; the message has every error with its JSON Pointer.
 */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  const builtIn = new Map<string, Profile>(Object.entries(profiles)).get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const isFolder = statSync(nameOrFile, { throwIfNoEntry: false })?.isDirectory() === true;
  const document = await readDocument(isFolder ? join(nameOrFile, "profile.json") : nameOrFile);
  const defaults = Object.entries(profiles.standard).filter(([member]) => !OWN.has(member));
  const whole = isObject(document) ? { ...Object.fromEntries(defaults), ...document } : document;
  const validation = validateProfile(isFolder ? withFolder(whole, nameOrFile) : whole);
  if (validation.ok)
    return { ...validation.value, catalogue: validation.value.catalogue.map(withSample) };
  const errors = validation.errors.map(({ pointer, message }) => `  ${pointer || "/"} ${message}`);
  throw unusable([`${nameOrFile} is not a profile:`, ...errors].join("\n"));
}

async function readDocument(file: string): Promise<unknown> {
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const names = Object.keys(profiles);
    const known = `profiles: ${names.join(", ")}${didYouMean(file, names)}`;
    throw unusable(`unknown profile or unreadable file ${file}; ${known}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(`${file} is not JSON`, { cause });
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A document with the schemas and the samples of its folder in the catalogue's rows. */
function withFolder(document: unknown, folder: string): unknown {
  if (!isObject(document) || !Array.isArray(document["catalogue"])) return document;
  const json = (path: string): unknown => {
    try {
      return JSON.parse(readFileSync(join(folder, path), "utf8"));
    } catch (cause) {
      throw unusable(`${join(folder, path)} cannot be read as JSON`, { cause });
    }
  };
  const envelope = isObject(document["envelope"]) ? document["envelope"] : {};
  const budget = { parts: MAX_PARTS };
  const samples = globSync("samples/*.json", { cwd: folder }).toSorted().map(json);
  const schemas = new Map(
    globSync("events/*.schema.json", { cwd: folder }).map((path) => [
      basename(path, ".schema.json"),
      withoutReferences({ file: path, pointer: "" }, json, budget),
    ]),
  );
  // The validator checks the rows.
  const rows = document["catalogue"] as readonly { readonly type?: string }[];
  const types = new Set(rows.map(({ type }) => type));
  const strange = [...schemas.keys()].find((type) => !types.has(type));
  if (strange !== undefined)
    throw unusable(`${folder}/events/${strange}.schema.json: the catalogue has no such event`);
  const catalogue = rows.map((row) => {
    const schema = schemas.get(row.type ?? "");
    const sample = samples.find((one) => at(one, envelope["type"]) === row.type);
    return {
      ...row,
      ...(schema !== undefined && { schema }),
      ...(sample !== undefined && { sample: at(sample, envelope["data"]) }),
    };
  });
  return { ...document, catalogue };
}

type Row = Profile["catalogue"][number];

interface Place {
  /** Path in the profile's folder. */
  readonly file: string;
  readonly pointer: string;
}

/** The parts of all schemas of a folder: references that double what they name grow without end. */
const MAX_PARTS = 20_000;
/** Keywords whose values are data, in which `$ref` is a member like others. */
const DATA = new Set(["const", "enum", "examples", "x-invalid"]);
const ANNOTATIONS = new Set(["title", "description", "examples", "deprecated", "$comment"]);

/**
 * Returns the schema at a JSON Pointer, with each `$ref` replaced by the schema that it names: a part of the document, or a
 * file of the folder.
 *
 * @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: a reference leads nowhere, out of the folder or back to itself, a
 *   validating keyword is next to it, or the schemas grow too large.
 */
function withoutReferences(
  place: Place,
  json: (path: string) => unknown,
  budget: { parts: number },
  above: readonly string[] = [],
): unknown {
  const name = `${place.file}#${place.pointer}`;
  const inline = (schema: unknown): unknown => {
    budget.parts -= 1;
    if (budget.parts < 0)
      throw unusable(`${name}: more than ${String(MAX_PARTS)} parts with references resolved`);
    if (Array.isArray(schema)) return schema.map(inline);
    if (!isObject(schema)) return schema;
    const { $ref: ref, $defs: _, ...rest } = schema;
    if (typeof ref !== "string")
      return Object.fromEntries(
        Object.entries(schema).flatMap(([key, value]) =>
          key === "$defs" ? [] : [[key, DATA.has(key) ? value : inline(value)]],
        ),
      );
    const refused = (why: string): Failure => unusable(`${name}: $ref ${ref} ${why}`);
    const beside = Object.keys(rest).find((key) => !ANNOTATIONS.has(key));
    if (beside !== undefined) throw refused(`is next to ${beside}`);
    const [path = "", pointer = ""] = ref.split("#");
    const file = path === "" ? place.file : posix.join(posix.dirname(place.file), path);
    if (file.startsWith("..") || posix.isAbsolute(path) || /^\w+:/.test(path))
      throw refused("leads out of the profile's folder");
    const target = `${file}#${pointer}`;
    if (target === name || above.includes(target)) throw refused("leads back to itself");
    const found = withoutReferences({ file, pointer }, json, budget, [...above, name]);
    if (!isObject(found)) throw refused("leads to no schema");
    return { ...found, ...rest };
  };
  return inline(valueAt(json(place.file), place.pointer));
}

const at = (event: unknown, pointer: unknown): unknown =>
  typeof pointer === "string" ? valueAt(event, pointer) : undefined;

/** @throws {Failure} A keyword or a pattern of the schema is unsupported, or a reference leads nowhere. */
function withSample(row: Row): Row {
  if (row.schema === undefined) return row;
  const path = `events/${row.type}.schema.json`;
  try {
    const document = schemaSet({ [path]: row.schema }).document(path);
    const sample = example(document, { optional: "present" });
    return isObject(sample) ? { sample, ...row } : row;
  } catch (cause) {
    // A pattern that is no regular expression is a SyntaxError.
    if (!(cause instanceof TypeError || cause instanceof SyntaxError)) throw cause;
    throw unusable(`unusable schema of an event's data: ${cause.message}`, { cause });
  }
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_PROFILE_UNUSABLE", message, options);
}
