import { globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseAst } from "vitest/node";
import { root } from "../published.ts";
import { readRequirements } from "./contract-pages.ts";
import { markdownPage } from "./markdown.ts";

/** `PREFIX1` to `PREFIXn`, padded to two digits if the prefix ends in a hyphen. */
const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    const number = String(index + 1);
    return prefix + (prefix.endsWith("-") ? number.padStart(2, "0") : number);
  });

/** Ids that only the titles of tests have. A new threat or trap gets the next number here. */
const parts = [
  { title: "Threats to the receiver", ids: numbered("A", 30) },
  { title: "Threats to the service", ids: numbered("B", 22) },
  { title: "Threats to the inspector", ids: numbered("C", 9) },
  { title: "Traps of the interface", ids: numbered("T-", 34) },
];

/**
 * Builds the page of the tests by the requirement, threat or trap that they name.
 *
 * @returns The page, and the ids that no test names and no check tests.
 */
export function testsPage(): { readonly page: string; readonly missing: readonly string[] } {
  const byId = Map.groupBy(namedTests(), ({ id }) => id);
  const requirements = readRequirements();
  const checksOf = new Map(requirements.map(({ id, checks }) => [id, checks]));
  const all = [{ title: "Requirements", ids: [...checksOf.keys()] }, ...parts];
  const missing = all
    .flatMap(({ ids }) => ids)
    .filter((id) => !byId.has(id) && (checksOf.get(id) ?? []).length === 0);
  const rowsOf = (id: string): readonly string[] => {
    const tests = byId.get(id) ?? [];
    if (tests.length > 0) return tests.map(rowOf).toSorted();
    const checks = (checksOf.get(id) ?? []).map((check) => `\`${check}\``).join(", ");
    return [`| ${id} | quick | the kit's check ${checks} finds the fault that breaks it |`];
  };
  const page = markdownPage(
    { title: "Tests by requirement, threat and trap", from: "the titles of the tests" },
    `\`npm test\` runs the quick lane, \`npm run test:long\` the long one. A title follows those of its suites; \`%s\`, \`$name\`
and \`…\` are placeholders for values of the test.`,
    ...all.flatMap(({ title, ids }) => {
      const rows = ids.filter((id) => !missing.includes(id)).flatMap(rowsOf);
      return [`## ${title}`, ["| id | lane | test |", "| --- | --- | --- |", ...rows].join("\n")];
    }),
  );
  return { page, missing };
}

const rowOf = ({ id, lane, title }: NamedTest): string =>
  `| ${id} | ${lane} | ${title.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;")} |`;

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

/** Reads the tests of the repository that name an id, with the titles of their suites, without running them. */
export function namedTests(): readonly NamedTest[] {
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
