/** A top-level declaration of a script. */
export interface Declaration {
  readonly name: string;
  readonly text: string;
}

// Ajv's way of writing down a fault, and of calling the check of another schema.
const FAULT =
  /const (?<local>err\d+) = \{instancePath(?::(?<path>.*?))?,schemaPath:"[^"]*",keyword:"(?<keyword>\w+)",params:(?<params>\{.*?\})\};if\(vErrors === null\)\{vErrors = \[\k<local>\];\}else \{vErrors\.push\(\k<local>\);\}errors\+\+;/g;
const HEAD = '(data, {instancePath="", parentData, parentDataProperty, rootData=data}={})';
const CALL =
  /\{instancePath(?::(?<path>[^,]*))?,parentData:[^,]*,parentDataProperty:[^,]*,rootData\}/g;
const CONSTANT = /\b(?<schema>schema\d+)(?<steps>(?:\.[A-Za-z_$][\w$]*|\["[^"]*"\]|\[\d+\])+)/g;
const STEP = /\.(?<member>[\w$]+)|\["(?<quoted>[^"]*)"\]|\[(?<index>\d+)\]/g;

/**
 * The declarations of the code that Ajv generates, at a third of its length: a fault is written down
 * by one function, a check takes a path instead of an object that says where in a value it stands, and
 * of the schemas, which Ajv's code holds whole, only the lists stay that it looks at.
 *
 * @throws {Error} the code is none of the forms that are known here.
 */
export function compactChecks(code: string): readonly Declaration[] {
  const short = code
    .replace('"use strict";', "")
    .replaceAll(/export const/g, "const")
    .replaceAll(/\/\*# sourceURL=.*?\*\/;?/g, "")
    .replaceAll(FAULT, (...match) => {
      const { path = "instancePath", keyword = "", params = "" } = groupsOf(match);
      return `vErrors = fault(vErrors, ${path}, "${keyword}", ${params});errors++;`;
    })
    .replaceAll(HEAD, '(data, instancePath = "")')
    .replaceAll(CALL, (...match) => groupsOf(match)["path"] ?? "instancePath")
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', "lengthOf");
  if (/parentData|schemaPath|require\((?!"[^"]*formats\.ts")/.test(short))
    throw new Error("Ajv's code has a form that is not known here");
  return withoutSchemas(declarationsOf(short));
}

const groupsOf = (match: readonly unknown[]): Readonly<Record<string, string | undefined>> =>
  // The last argument of a replacer, where the expression names its groups.
  match.at(-1) as Readonly<Record<string, string | undefined>>;

/** Replaces what is looked at in a schema by a list of its own, one for each text. */
function withoutSchemas(declarations: readonly Declaration[]): readonly Declaration[] {
  const schemas = new Map<string, unknown>();
  const lists = new Map<string, string>();
  const others: Declaration[] = [];
  for (const { name, text } of declarations)
    if (/^schema\d+$/.test(name))
      schemas.set(name, JSON.parse(text.slice(text.indexOf("=") + 1, -1)));
    else others.push({ name, text });
  const inlined = others.map(({ name, text }) => ({
    name,
    text: text.replaceAll(CONSTANT, (...match) => {
      const { schema = "", steps = "" } = groupsOf(match);
      const [value, rest] = walk(schemas.get(schema), steps);
      if (typeof value !== "object" || value === null) return JSON.stringify(value) + rest;
      // Of members, which are schemas again, the code asks for their names alone.
      const looked = Array.isArray(value) ? value : namesOnly(value);
      const json = JSON.stringify(looked);
      const list = lists.get(json) ?? `list${String(lists.size)}`;
      lists.set(json, list);
      return list + rest;
    }),
  }));
  return [
    ...[...lists].map(([json, name]) => ({ name, text: `const ${name} = ${json};` })),
    ...inlined,
  ];
}

const namesOnly = (members: object): object =>
  Object.fromEntries(Object.keys(members).map((name) => [name, 1]));

/** The value at the end of `steps` as far as a schema goes, and the steps that are a method's. */
function walk(schema: unknown, steps: string): [value: unknown, rest: string] {
  let value = schema;
  for (const match of steps.matchAll(STEP)) {
    const { member, quoted, index } = match.groups ?? {};
    const name = member ?? quoted ?? index ?? "";
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return [value, steps.slice(match.index)];
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return [value, ""];
}

/** Splits a script of constants and functions. Ajv writes patterns as texts, never between slashes. */
function declarationsOf(code: string): readonly Declaration[] {
  const declarations: Declaration[] = [];
  let [depth, begin] = [0, 0];
  for (const { 0: token, index } of code.matchAll(/"(?:\\.|[^"\\])*"|[{}()[\];]/g)) {
    if ("{([".includes(token)) depth += 1;
    if ("})]".includes(token)) depth -= 1;
    if (depth > 0 || (token !== ";" && token !== "}")) continue;
    const text = code.slice(begin, index + 1).trim();
    const kind = /^(?:(?<constant>const)|function) (?<name>\w+)/.exec(text)?.groups;
    // The brace of an object within a constant does not end it.
    if (kind?.["constant"] !== undefined && token !== ";") continue;
    begin = index + 1;
    if (text === ";") continue;
    if (kind?.["name"] === undefined) throw new Error(`no declaration: ${text.slice(0, 80)}`);
    declarations.push({ name: kind["name"], text });
  }
  return declarations;
}

/** Names of what some declarations lead to, themselves among them. */
export function reachableFrom(
  names: readonly string[],
  declarations: readonly Declaration[],
): ReadonlySet<string> {
  const texts = new Map(declarations.map(({ name, text }) => [name, text]));
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const [word] of (texts.get(name) ?? "").matchAll(/\b[A-Za-z]+\d+\b/g))
      if (texts.has(word)) visit(word);
  };
  for (const name of names) visit(name);
  return reached;
}
