import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Schema, SchemaSet } from "./schema.ts";

const load = createRequire(import.meta.url);

/** A set of documents that are in memory already, by their paths. */
export function schemaSet(documents: Readonly<Record<string, Schema>>): SchemaSet {
  const byPath = new Map(Object.entries(documents));
  const set: SchemaSet = {
    paths: [...byPath.keys()].toSorted(),
    document: (path) => {
      const schema = byPath.get(path);
      if (schema === undefined) throw new TypeError(`there is no schema ${path}`);
      return { schema, set, path, at: "" };
    },
  };
  return set;
}

/**
 * The documents `*.schema.json` below a folder.
 *
 * @throws {SyntaxError} One of them is not JSON.
 */
export function readSchemaSet(folder: string): SchemaSet {
  const paths = globSync("**/*.schema.json", { cwd: folder });
  return schemaSet(
    Object.fromEntries(
      paths.map((path) => [
        path.replaceAll("\\", "/"),
        // What is outside the subset is refused where it is met, with its place.
        JSON.parse(readFileSync(join(folder, path), "utf8"), withHints) as Schema,
      ]),
    ),
  );
}

/** The documents of `@countersign/schemas`. */
export function standardSchemas(): SchemaSet {
  const manifest = load.resolve("@countersign/schemas/package.json");
  return readSchemaSet(join(dirname(manifest), "documents"));
}

// As the generator of `@countersign/schemas` writes it.
const HINT = "countersign ";

/** Gives a shipped schema the keywords back that other validators refuse, from its `$comment`. */
function withHints(_name: string, part: unknown): unknown {
  if (typeof part !== "object" || part === null || !("$comment" in part)) return part;
  const { $comment: comment, ...rest } = part;
  if (typeof comment !== "string" || !comment.startsWith(HINT)) return part;
  return { ...rest, ...(JSON.parse(comment.slice(HINT.length)) as object) };
}
