import { globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseAst } from "vitest/node";

/** A test whose title names a requirement, a threat or a trap. */
export interface NamedTest {
  readonly id: string;
  readonly title: string;
  readonly lane: "quick" | "long";
}

const FILES = "{{packages/*,schemas,contracts}/test,test}/**/*.ts";
const SUITES = ["describe", "describeInBrowser"];
const TESTS = ["it", "test"];
/** Requirement ids are in brackets. A threat's letter and number are an id in parentheses or at a title's start only. */
const CITED = /(?<=\[)[PR](?:-[A-Z0-9]+)+(?=\])|\bT-\d\d\b|(?<=\()[ABC]\d+(?=\))/g;
const THREATS = /^(?:(?:[ABC]\d+|T-\d\d|\[[PR]-[A-Z0-9-]+\]):? )*/;
const THREAT = /\b[ABC]\d+\b/g;
/** Files without one of these need no parser. */
const MAY_NAME = /\[[PR]-|\bT-\d\d|["`\] (][ABC]\d/;

/** Reads the tests below `root` that name an id, with the titles of their suites, without running them. */
export function namedTests(root: string): readonly NamedTest[] {
  const files = globSync(FILES, { cwd: root }).map((path) => resolve(root, path));
  const sources = new Map(files.map((path) => [path, readFileSync(path, "utf8")]));
  // Suites that several files run are in their own files.
  const quick = imported(sources, ".spec.ts");
  const long = imported(sources, ".slow.ts");
  const found = new Map<string, NamedTest>();
  for (const path of [...quick, ...long]) {
    const source = sources.get(path) ?? "";
    if (!MAY_NAME.test(source)) continue;
    const lane = quick.has(path) ? "quick" : "long";
    for (const titles of titlesIn(parseAst(source, { lang: "ts" }), [])) {
      const title = titles.join(" › ");
      for (const id of idsIn(titles)) found.set(`${id} ${title}`, { id, title, lane });
    }
  }
  return [...found.values()];
}

/** Returns the files of a lane and the test files that they import. */
function imported(sources: ReadonlyMap<string, string>, ending: string): ReadonlySet<string> {
  const reached = new Set([...sources.keys()].filter((path) => path.endsWith(ending)).toSorted());
  // Iterating a set also visits entries added during the iteration.
  for (const path of reached)
    for (const [, specifier = ""] of (sources.get(path) ?? "").matchAll(
      /(?:from|import\() ?"(\.[^"]+)"/g,
    )) {
      const target = resolve(dirname(path), specifier);
      if (sources.has(target)) reached.add(target);
    }
  return reached;
}

const idsIn = (titles: readonly string[]): ReadonlySet<string> =>
  new Set(
    titles.flatMap((title) => [
      ...(title.match(CITED) ?? []),
      ...(THREATS.exec(title)?.[0].match(THREAT) ?? []),
    ]),
  );

type Titles = readonly string[];

/** Lists the titles of the tests, and the rows of their tables that name an id, below a syntax node. */
function titlesIn(node: unknown, suites: Titles): readonly Titles[] {
  if (Array.isArray(node)) return node.flatMap((one) => titlesIn(one, suites));
  if (!isNode(node)) return [];
  const text = textOf(node);
  if (text !== undefined) return idsIn([text]).size > 0 ? [[...suites, text]] : [];
  const args: readonly unknown[] = Array.isArray(node["arguments"]) ? node["arguments"] : [];
  const title = textOf(args[0]);
  if (title === undefined || !isCallOf([...SUITES, ...TESTS], node))
    return Object.values(node).flatMap((value) => titlesIn(value, suites));
  const path = [...suites, title];
  // Text inside a test's function is not a title.
  const inner = titlesIn(
    isCallOf(TESTS, node) ? node["callee"] : [node["callee"], ...args.slice(1)],
    path,
  );
  return inner.length > 0 ? inner : [path];
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";

/** True for `it(…)`, `it.each(…)(…)`, `it.skipIf(…)(…)` and their like. */
function isCallOf(names: readonly string[], { type, callee, object, tag, name }: Node): boolean {
  if (type === "Identifier") return names.includes(String(name));
  const inner = callee ?? object ?? tag;
  return isNode(inner) && isCallOf(names, inner);
}

/** The text of a string or a template, its values left out. */
function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return undefined;
  return node["quasis"].map((part: { value: { cooked: string } }) => part.value.cooked).join("…");
}
