import { existsSync, globSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { pointerOf, valueAt } from "@countersign/schemas";
import { isRecord, messageOf } from "../values.ts";
import { DocumentError, type DocumentErrorCode } from "./document-error.ts";

type Files = ReadonlyMap<string, unknown>;

/** A value in a file, and its place. */
export class SourceNode {
  /** Path in the folder of the first file. */
  readonly file: string;
  /** JSON Pointer. */
  readonly pointer: string;
  readonly value: unknown;
  readonly #files: Files;

  constructor(files: Files, file: string, pointer: string, value: unknown) {
    this.#files = files;
    this.file = file;
    this.pointer = pointer;
    this.value = value;
  }

  /** File and JSON Pointer. */
  get place(): string {
    return `${this.file}#${this.pointer}`;
  }

  /** Another value at this place. */
  with(value: unknown): SourceNode {
    return new SourceNode(this.#files, this.file, this.pointer, value);
  }

  inside(value: unknown, ...steps: readonly (string | number)[]): SourceNode {
    return new SourceNode(this.#files, this.file, this.pointer + pointerOf(steps), value);
  }

  /** @param what Names it in the error. @throws {DocumentError} `CS_DOCUMENT_REFERENCE_…`: it leads elsewhere than to a place in the files. */
  follow(reference: string, what = "$ref"): SourceNode {
    const refused = (code: DocumentErrorCode, why: string): DocumentError =>
      new DocumentError(code, `${this.place}: ${what} ${JSON.stringify(reference)} ${why}`);
    if (REMOTE.test(reference))
      throw refused(
        "CS_DOCUMENT_REFERENCE_REMOTE",
        "is remote: download the file, and refer to it by a relative path",
      );
    const [path = "", fragment = ""] = reference.split("#");
    const file = path === "" ? this.file : besideOf(this.file, path);
    const root = this.#files.get(file);
    if (root instanceof DocumentError)
      throw refused(root.code, `cannot be followed: ${root.message}`);
    const pointer = decoded(fragment);
    const isPointer = fragment === "" || fragment.startsWith("/");
    const value = isPointer ? valueAt(root, pointer) : anchored(root, fragment);
    if (value === undefined) throw refused("CS_DOCUMENT_REFERENCE_DANGLING", "leads nowhere");
    return new SourceNode(this.#files, file, pointer, value);
  }
}

/** The parsed files of a document. */
export interface SourceFiles {
  readonly isFolder: boolean;
  /** The first file, or all files of a folder. */
  readonly roots: readonly SourceNode[];
  /** Returns the files that other files refer to. */
  readonly referred: () => ReadonlySet<string>;
}

const MIB = 1024 * 1024;
/** All files of a document together: as JSON, they take about 20 times as much memory. */
const MAX_BYTES = 32 * MIB;
/** A file of YAML, which takes about 80 times as much, and a second for each MiB. */
const MAX_YAML = 10 * MIB;

/** Reads a file and those that its references name; or the `*.schema.json` below a folder, else its `*.json`. */
export async function readSourceFiles(path: string): Promise<SourceFiles> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new DocumentError("CS_DOCUMENT_UNREADABLE", `${path} not found`);
  const isFolder = found.isDirectory();
  const folder = isFolder ? path : dirname(path);
  const entries = isFolder ? schemaFiles(folder) : [basename(path)];
  const files = new Map<string, unknown>();
  const queue = [...entries];
  let bytes = 0;
  for (const file of queue) {
    if (files.has(file)) continue;
    try {
      // One after the other, so that the sum is known before the next one is read.
      // oxlint-disable-next-line no-await-in-loop
      const text = await readText(folder, file, MAX_BYTES - bytes);
      bytes += Buffer.byteLength(text);
      // oxlint-disable-next-line no-await-in-loop
      const value = await parse(text, join(folder, file));
      files.set(file, value);
      queue.push(...filesNamedIn(value, file));
    } catch (cause) {
      // Descriptions and examples have references too. A schema that needs the file throws the error.
      if (!(cause instanceof DocumentError) || entries.includes(file)) throw cause;
      files.set(file, cause);
    }
  }
  return filesOf(files, entries, isFolder);
}

/** Documents that are read already, by their paths. */
export const filesInMemory = (documents: Readonly<Record<string, unknown>>): SourceFiles =>
  filesOf(new Map(Object.entries(documents)), Object.keys(documents).toSorted(), false);

const filesOf = (files: Files, entries: readonly string[], isFolder: boolean): SourceFiles => ({
  isFolder,
  roots: entries.map((file) => new SourceNode(files, file, "", files.get(file))),
  referred: () =>
    new Set(
      [...files].flatMap(([file, value]) =>
        [...filesNamedIn(value, file)].filter((named) => named !== file),
      ),
    ),
});

/** An absolute URL, and the network path of a host. */
const REMOTE = /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/\/)/;

const besideOf = (file: string, path: string): string =>
  posix.normalize(posix.join(posix.dirname(file), decoded(path)));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The part of a document with an `$anchor`. */
function anchored(value: unknown, anchor: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if ("$anchor" in value && value.$anchor === anchor) return value;
  for (const part of Object.values(value)) {
    const found: unknown = anchored(part, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

function schemaFiles(folder: string): readonly string[] {
  const named = globSync("**/*.schema.json", { cwd: folder });
  const paths = named.length > 0 ? named : globSync("**/*.json", { cwd: folder });
  if (paths.length === 0)
    throw new DocumentError("CS_DOCUMENT_UNREADABLE", `no schema (*.json) found in ${folder}`);
  return paths.map((path) => path.replaceAll("\\", "/")).toSorted();
}

async function readText(folder: string, file: string, limit: number): Promise<string> {
  const path = join(folder, file);
  try {
    const own = await realpath(folder);
    const root = repositoryOf(own) ?? own;
    const isOutside = (to: string): boolean => relative(root, to).split(sep)[0] === "..";
    if (isOutside(resolve(own, file)) || isOutside(await realpath(path))) {
      const message = `${path} is out of the document's folder and its git repository: move the file into the folder`;
      throw new DocumentError("CS_DOCUMENT_REFERENCE_OUTSIDE", message);
    }
    const { size } = await stat(path);
    if (size > (isYaml(path) ? Math.min(limit, MAX_YAML) : limit)) {
      const most = `a document and its files may have ${MAX_BYTES / MIB} MiB, and a file of YAML ${MAX_YAML / MIB} MiB`;
      throw new DocumentError("CS_DOCUMENT_TOO_LARGE", `${path} is too large: ${most}`);
    }
    return await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof DocumentError) throw cause;
    throw new DocumentError("CS_DOCUMENT_UNREADABLE", `${path} cannot be read`, { cause });
  }
}

/** The folder of the git repository that a folder is in. */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, ".git"))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryOf(above);
}

const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path);

async function parse(text: string, path: string): Promise<unknown> {
  const isJson = /\.json$/i.test(path) || (!isYaml(path) && /^\s*\{/.test(text));
  try {
    if (isJson) return JSON.parse(text.replace(/^\uFEFF/, ""));
    const { parse: parseYaml } = await import("yaml");
    return parseYaml(text, { merge: true, logLevel: "error" });
  } catch (cause) {
    const reason = messageOf(cause).replace(/:?\n.*/s, "");
    const message = `${path} is not ${isJson ? "JSON" : "YAML"}: ${reason}`;
    throw new DocumentError("CS_DOCUMENT_UNREADABLE", message, { cause });
  }
}

/** True for a mapping of a discriminator that is a reference, not the name of a schema. */
export const isReference = (mapping: unknown): boolean =>
  typeof mapping === "string" && (!/^[\w.-]+$/.test(mapping) || /\.(?:json|ya?ml)$/.test(mapping));

/** The files that references name, also those in data. What they lead to is judged when a schema is reached. */
function filesNamedIn(root: unknown, file: string): ReadonlySet<string> {
  const files = new Set<string>();
  // Aliases of YAML share their parts.
  const parts = new Set([root]);
  for (const part of parts) {
    if (Array.isArray(part)) for (const item of part) parts.add(item);
    if (!isRecord(part)) continue;
    const { discriminator } = part;
    const { mapping } = isRecord(discriminator) ? discriminator : {};
    const mapped = Object.values(isRecord(mapping) ? mapping : {}).filter(isReference);
    for (const reference of [part["$ref"], ...mapped])
      if (typeof reference === "string" && !REMOTE.test(reference)) {
        const path = reference.split("#")[0] ?? "";
        if (path !== "") files.add(besideOf(file, path));
      }
    for (const value of Object.values(part)) parts.add(value);
  }
  return files;
}

/** The name of a file without its extension. */
export const nameOfFile = (file: string): string =>
  posix.basename(file).replace(/(?:\.schema)?\.\w+$/, "");
