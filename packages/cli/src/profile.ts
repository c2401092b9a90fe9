import { globSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { example, schemaSet, type Schema } from "@countersign/contract-kit/derive";
import { validateProfile } from "@countersign/schemas/profile-validator";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { didYouMean } from "./options.ts";
import { Failure } from "./failure.ts";
import { checkedIssuer, type TokenIssuer } from "@countersign/service/internal";

/**
 * Returns a built-in profile by its name, or a profile document by its path. What the document leaves out,
 * but for its name, signature, envelope and catalogue, is as in the standard profile. A folder has the document as `profile.json`, JSON Schemas of events' data as
 * `events/TYPE.schema.json`, and whole sample events as `samples/*.json`.
 *
 * @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: no such name and no such file, or the document is not a
 *   profile; the message has every error with its JSON Pointer.
 */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  const builtIn = new Map<string, Profile>(Object.entries(profiles)).get(nameOrFile);
  if (builtIn !== undefined) return builtIn;
  const isFolder = statSync(nameOrFile, { throwIfNoEntry: false })?.isDirectory() === true;
  const document = await readDocument(isFolder ? join(nameOrFile, "profile.json") : nameOrFile);
  const { name: _, signature: __, envelope: ___, catalogue: ____, ...rest } = profiles.standard;
  const whole = isObject(document) ? { ...rest, ...document } : document;
  const validation = validateProfile(isFolder ? withFolder(whole, nameOrFile) : whole);
  if (validation.ok) {
    for (const { type, schema } of validation.value.catalogue)
      if (schema !== undefined) requireSchema(type, schema);
    return validation.value;
  }
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
      throw unusable(`${join(folder, path)} is not JSON`, { cause });
    }
  };
  const envelope = isObject(document["envelope"]) ? document["envelope"] : {};
  const samples = globSync("samples/*.json", { cwd: folder }).toSorted().map(json);
  const schemas = new Map(
    globSync("events/*.schema.json", { cwd: folder }).map((path) => [
      basename(path, ".schema.json"),
      json(path),
    ]),
  );
  // The validator judges what a row is.
  const rows = document["catalogue"] as readonly { readonly type?: string }[];
  const types = new Set(rows.map(({ type }) => type));
  const strange = [...schemas.keys()].find((type) => !types.has(type));
  if (strange !== undefined)
    throw unusable(`${folder}/events/${strange}.schema.json: the catalogue has no such event`);
  const catalogue = rows.map((row) => {
    const schema = schemas.get(row.type ?? "");
    const sample = samples.find((one) => valueAt(one, envelope["type"]) === row.type);
    return {
      ...row,
      ...(schema !== undefined && { schema }),
      ...(sample !== undefined && { sample: valueAt(sample, envelope["data"]) }),
    };
  });
  return { ...document, catalogue };
}

function valueAt(event: unknown, pointer: unknown): unknown {
  if (typeof pointer !== "string") return undefined;
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), event);
}

/** @throws {Failure} A keyword is unsupported, or a reference leads nowhere. */
function requireSchema(type: string, schema: Schema): void {
  const path = `events/${type}.schema.json`;
  try {
    example(schemaSet({ [path]: schema }).document(path), { optional: "present" });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unusable(`unusable schema of an event's data: ${cause.message}`, { cause });
  }
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_PROFILE_UNUSABLE", message, options);
}

/**
 * The description of an outside token issuer, from its file.
 *
 * @throws {Failure} `CS_CLI_ISSUER_UNUSABLE`: the file cannot be read, is not JSON, or describes none.
 */
export async function loadIssuer(file: string): Promise<TokenIssuer> {
  try {
    // `checkedIssuer` judges each member.
    const issuer = JSON.parse(await readFile(file, "utf8")) as TokenIssuer;
    checkedIssuer(issuer);
    return issuer;
  } catch (cause) {
    const why = cause instanceof TypeError ? `: ${cause.message}` : "";
    throw new Failure("CS_CLI_ISSUER_UNUSABLE", `${file} describes no token issuer${why}`, {
      cause,
    });
  }
}
