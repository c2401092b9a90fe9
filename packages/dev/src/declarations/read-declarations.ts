/** A name of another file, as a file knows it. */
export interface Foreign {
  /** As it stands in the text: a relative path or a package. */
  readonly from: string;
  readonly name: string;
  /** The comment that lets its import fail, where the package may be missing. */
  readonly excuse?: string;
}

/** A file of declarations, as the compiler writes it. */
export interface DeclarationFile {
  /** The texts of each name, without `export`: several where a function is overloaded. */
  readonly declared: ReadonlyMap<string, readonly string[]>;
  readonly imported: ReadonlyMap<string, Foreign>;
  /** By the name that it is exported as: one of the file's own, or another file's. */
  readonly exported: ReadonlyMap<string, string | Foreign>;
  /** Files of which everything is exported. */
  readonly exportedWhole: readonly string[];
}

const SPECIFIERS =
  /^(?:import|export)\s+(?:type\s+)?\{(?<list>[^}]*)\}(?:\s+from\s+"(?<from>[^"]+)")?;$/;
const DEFAULT = /^import\s+(?:type\s+)?(?<name>[\w$]+)\s+from\s+"(?<from>[^"]+)";$/;
const WHOLE = /^export\s+(?:type\s+)?\*\s+from\s+"(?<from>[^"]+)";$/;
const NAMED =
  /^(?<exported>export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|class|enum|type|function|const)\s+(?<name>[\w$]+)/;
const ENDS_BY_BRACE = /^(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:interface|class|enum)\s/;

/** Reads a file of declarations. @throws {Error} a statement is of a form that is not known here. */
export function readDeclarations(text: string): DeclarationFile {
  const declared = new Map<string, string[]>();
  const imported = new Map<string, Foreign>();
  const exported = new Map<string, string | Foreign>();
  const exportedWhole: string[] = [];
  for (const statement of statementsOf(text)) {
    const code = withoutComments(statement).trim();
    const excuse = /\/\*\* @ts-ignore .*?\*\//.exec(statement)?.[0];
    const excused = excuse === undefined ? {} : { excuse };
    const whole = WHOLE.exec(code)?.groups;
    const listed = SPECIFIERS.exec(code)?.groups;
    const named = NAMED.exec(code)?.groups;
    const whom = DEFAULT.exec(code)?.groups;
    if (whom !== undefined)
      imported.set(whom["name"] ?? "", { from: whom["from"] ?? "", name: "default", ...excused });
    else if (whole?.["from"] !== undefined) exportedWhole.push(whole["from"]);
    else if (listed !== undefined) {
      const { list = "", from } = listed;
      for (const { name, as } of specifiersOf(list))
        if (code.startsWith("import")) imported.set(as, { from: from ?? "", name, ...excused });
        else exported.set(as, from === undefined ? name : { from, name });
    } else if (named?.["name"] !== undefined) {
      const { name } = named;
      const bare = statement.trim().replace(/(?<=^|\*\/\s*)export\s+/, "");
      declared.set(name, [...(declared.get(name) ?? []), bare]);
      if (named["exported"] !== undefined) exported.set(name, name);
    } else throw new Error(`no declaration is read from: ${code.slice(0, 120)}`);
  }
  return { declared, imported, exported, exportedWhole };
}

function specifiersOf(list: string): { readonly name: string; readonly as: string }[] {
  return list
    .split(",")
    .map((one) => one.trim().replace(/^type\s+/, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [name = "", as = name] = one.split(/\s+as\s+/);
      return { name, as };
    });
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[{}()[\];]/g;

/** Top-level statements, each with the comments before it. */
function statementsOf(text: string): readonly string[] {
  const code = text.replace(/\/\/# sourceMappingURL=.*$/m, "");
  const statements: string[] = [];
  let [depth, begin] = [0, 0];
  for (const { 0: token, index } of code.matchAll(TOKEN)) {
    if ("{([".includes(token)) depth += 1;
    if ("})]".includes(token)) depth -= 1;
    if (depth > 0 || (token !== ";" && token !== "}")) continue;
    const statement = code.slice(begin, index + 1);
    if (token === "}" && !ENDS_BY_BRACE.test(withoutComments(statement).trim())) continue;
    begin = index + 1;
    statements.push(statement);
  }
  return statements;
}

/** A text without its comments; texts in quotes stay. */
export function withoutComments(text: string): string {
  return text.replaceAll(TOKEN, (token) =>
    token.startsWith("/*") || token.startsWith("//") ? "" : token,
  );
}
