import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

interface Requirements {
  readonly role: "provider" | "receiver";
  readonly requirements: readonly { readonly id: string; readonly level: "MUST" | "SHOULD" }[];
}

const files = globSync("contracts/requirements/*.json", { cwd: root }).filter(
  (path) => !path.endsWith(".schema.json"),
);
const validate = new Ajv2020({ allErrors: true }).compile<Requirements>(
  JSON.parse(read("contracts/requirements/requirement.schema.json")) as object,
);
const ids = files.flatMap((path) =>
  (JSON.parse(read(path)) as Requirements).requirements.map(({ id }) => id),
);
const cited = new Set(
  globSync("{packages/*,schemas}/test/**/*.{spec,slow}.ts", { cwd: root })
    .concat(globSync("test/**/*.{spec,slow}.ts", { cwd: root }))
    .flatMap((path) => [...read(path).matchAll(/\[([PR](?:-[A-Z0-9]+)+)\]/g)])
    .map(([, id]) => id ?? ""),
);

describe("the requirements", () => {
  it.each(files)("%s fits its schema", (path) => {
    const { $schema: _, ...document } = JSON.parse(read(path)) as Record<string, unknown>;
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    expect(path).toContain(String(document["role"]));
  });

  it("have ids that are unique and start with their role's letter", () => {
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("are each cited by a test's title", () => {
    expect(ids.filter((id) => !cited.has(id))).toEqual([]);
  });

  it("are all that tests cite", () => {
    expect([...cited].filter((id) => !ids.includes(id))).toEqual([]);
  });
});
