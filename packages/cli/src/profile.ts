import { globSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { example, schemaSet } from "@countersign/contract-kit/derive";
import { valueAt } from "@countersign/schemas";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { senderOf } from "@countersign/schemas/provider-of";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { didYouMean } from "./options.ts";
import { badArgument, Failure } from "./failure.ts";
import { checkedProvider, loadProvider } from "./provider.ts";

type EventRow = NonNullable<ProviderDocument["catalogue"]>[number];

/** Members that have no default. */
const OWN = new Set(["name", "provider", "payments"]);

/**
 * Returns a built-in profile by its name, or a profile document by its path. What the document leaves out, except
 * its name, provider and payments, is as in the standard profile. Its provider is the name of a built-in one, the
 * path of a document next to it, or the document itself. A folder has the profile as `profile.json`, JSON Schemas of
 * events' data as `events/TYPE.schema.json`, and whole sample events as `samples/*.json`. A sample that is missing is
 * made from the schema.
 *
 * @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: no such name and no such file, or the document is not a
 *   profile; the message has every error with its JSON Pointer. `CS_CLI_PROVIDER_UNUSABLE`: its provider is invalid.
 */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  const builtIn = new Map<string, Profile>(Object.entries(profiles)).get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const isFolder = statSync(nameOrFile, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(nameOrFile, "profile.json") : nameOrFile;
  const document = await readDocument(file);
  const defaults = Object.entries(profiles.standard).filter(([member]) => !OWN.has(member));
  const whole = isObject(document) ? { ...Object.fromEntries(defaults), ...document } : document;
  const validation = validateProfile(whole);
  if (!validation.ok) {
    const errors = validation.errors.map(
      ({ pointer, message }) => `  ${pointer || "/"} ${message}`,
    );
    throw unusable([`${nameOrFile} is not a profile:`, ...errors].join("\n"));
  }
  const profile = validation.value;
  // What the document leaves out is as in the standard profile, also how events are sent.
  const provider = {
    sending: senderOf(profiles.standard).sending,
    ...(await providerAt(profile.provider, file)),
  };
  return sent({
    ...profile,
    provider: withSamples(isFolder ? withFolder(provider, nameOrFile) : provider),
  });
}

/**
 * Returns the profile of `--provider`, or of `--profile` without one.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: both are given. `CS_CLI_PROVIDER_UNUSABLE`, `CS_CLI_PROFILE_UNUSABLE`.
 */
export async function loadChosen(options: {
  readonly profile: string;
  readonly provider?: string | undefined;
}): Promise<Profile> {
  const provider = await chosenProvider(options);
  return provider === undefined
    ? loadProfile(options.profile)
    : sent({ ...profiles.standard, name: provider.name, provider: withSamples(provider) });
}

/** Returns the provider of `--provider`, if it is given. @throws {Failure} See `loadChosen`. */
export async function chosenProvider({
  profile,
  provider,
}: {
  readonly profile: string;
  readonly provider?: string | undefined;
}): Promise<ProviderDocument | undefined> {
  if (provider === undefined) return undefined;
  if (profile !== "standard") throw badArgument("--provider cannot be combined with --profile");
  return loadProvider(provider);
}

/** @throws {Failure} The profile's provider does not say how its events are written and sent. */
function sent(profile: Profile): Profile {
  try {
    senderOf(profile);
    return profile;
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Failure("CS_CLI_PROVIDER_UNUSABLE", cause.message, { cause });
  }
}

/** @param provider A name, a path next to the profile's file, or a document. */
async function providerAt(provider: Profile["provider"], file: string): Promise<ProviderDocument> {
  if (typeof provider !== "string") return checkedProvider(provider, `${file}#/provider`);
  return loadProvider(providersByName.has(provider) ? provider : join(dirname(file), provider));
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
function withFolder(provider: ProviderDocument, folder: string): ProviderDocument {
  const json = (path: string): unknown => {
    try {
      return JSON.parse(readFileSync(join(folder, path), "utf8"));
    } catch (cause) {
      throw unusable(`${join(folder, path)} cannot be read as JSON`, { cause });
    }
  };
  const { type: typeAt, data: dataAt = "body:" } = provider.event;
  const budget = { parts: MAX_PARTS };
  const samples = globSync("samples/*.json", { cwd: folder }).toSorted().map(json);
  const schemas = new Map(
    globSync("events/*.schema.json", { cwd: folder }).map((path) => [
      basename(path, ".schema.json"),
      withoutReferences({ file: path, pointer: "" }, json, budget),
    ]),
  );
  const { catalogue: rows = [] } = provider;
  const types = new Set(rows.map(({ type }) => type));
  const strange = [...schemas.keys()].find((type) => !types.has(type));
  if (strange !== undefined)
    throw unusable(`${folder}/events/${strange}.schema.json: the catalogue has no such event`);
  const catalogue = rows.map((row) => {
    const schema = schemas.get(row.type);
    const sample = samples.find((one) => inBody(one, typeAt) === row.type);
    const data = sample === undefined ? undefined : inBody(sample, dataAt);
    return {
      ...row,
      ...(isObject(schema) && { schema }),
      ...(isObject(data) && { sample: data }),
    };
  });
  return { ...provider, catalogue };
}

/** The value at a place of a body. */
const inBody = (event: unknown, place: unknown): unknown =>
  typeof place === "string" && place.startsWith("body:")
    ? valueAt(event, place.slice("body:".length))
    : undefined;

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

const withSamples = ({ catalogue, ...provider }: ProviderDocument): ProviderDocument => ({
  ...provider,
  ...(catalogue && { catalogue: catalogue.map(withSample) }),
});

/** @throws {Failure} A keyword or a pattern of the schema is unsupported, or a reference leads nowhere. */
function withSample(row: EventRow): EventRow {
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
