import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { packages, type Package } from "../published.ts";
import { plainDoc } from "./markdown.ts";

/** An exported name as a user of its package sees it. */
export interface Declared {
  readonly name: string;
  /** Functions come first, then constants, classes and types. */
  readonly rank: number;
  /** The text of its doc comment, in Markdown; `""` if it has none. */
  readonly doc: string;
  /** Its declaration, all overloads, without bodies. */
  readonly code: string;
  readonly file: string;
}

/** The exported names of a module, by name. */
export type Declarations = ReadonlyMap<string, Declared>;

/**
 * Returns a function that reads the exported names of a module and of all that it exports again, from its
 * source. Types are written in the sources (`isolatedDeclarations`), so each file is read on its own.
 */
export function declarationReader(): (file: string) => Declarations {
  const read = new Map<string, Declarations>();

  function resolve(specifier: string, from: string): string | undefined {
    if (specifier.startsWith(".")) return join(dirname(from), specifier);
    const [name, one] =
      [...packages].find(([known]) => `${specifier}/`.startsWith(`${known}/`)) ?? [];
    return name && one && sourceOf(one, `.${specifier.slice(name.length)}`);
  }

  function declarationsIn(file: string): Declarations {
    const known = read.get(file);
    if (known !== undefined) return known;
    const found = new Map<string, Declared>();
    read.set(file, found);
    const source = declarationFile(file);
    const imported = new Map<string, readonly [string, string]>();
    const add = (name: string, declared: Declared | undefined): void => {
      if (declared !== undefined) found.set(name, { ...declared, name });
    };
    for (const node of source.statements) {
      if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
        const names = node.importClause?.namedBindings;
        if (names === undefined || !ts.isNamedImports(names)) continue;
        for (const { name, propertyName } of names.elements)
          imported.set(name.text, [node.moduleSpecifier.text, (propertyName ?? name).text]);
      } else if (ts.isExportDeclaration(node)) {
        const { exportClause, moduleSpecifier } = node;
        const from = moduleSpecifier && ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text;
        const exported = (specifier: string): Declarations =>
          declarationsIn(resolve(specifier, file) ?? "");
        if (exportClause === undefined) {
          for (const [name, one] of exported(from || "")) add(name, one);
        } else if (ts.isNamedExports(exportClause)) {
          for (const { name, propertyName } of exportClause.elements) {
            const local = (propertyName ?? name).text;
            const [specifier, original] = from
              ? [from, local]
              : (imported.get(local) ?? ["", local]);
            add(name.text, specifier === "" ? found.get(local) : exported(specifier).get(original));
          }
        }
      } else {
        for (const name of namesOf(node)) {
          const before = found.get(name);
          const code = codeOf(node, source);
          found.set(name, {
            name,
            rank: ranks.findIndex((isOf) => isOf(node)),
            doc: before?.doc || docOf(node, source),
            code: before === undefined ? code : `${before.code}\n${code}`,
            file,
          });
        }
      }
    }
    return found;
  }
  return declarationsIn;
}

/** Returns the source file of a package's entry such as `.` or `./express`; `undefined` if it has none. */
export function sourceOf({ folder, manifest }: Package, entry: string): string | undefined {
  const target = manifest.exports?.[entry];
  const path = typeof target === "object" ? target["@countersign/source"] : target;
  return path?.endsWith(".ts") === true ? join(folder, path) : undefined;
}

function declarationFile(file: string): ts.SourceFile {
  if (file === "") throw new Error("an exported module was not found");
  const { outputText } = ts.transpileDeclaration(readFileSync(file, "utf8"), {
    fileName: file,
    compilerOptions: { isolatedDeclarations: true, target: ts.ScriptTarget.ESNext },
  });
  return ts.createSourceFile(file, outputText, ts.ScriptTarget.ESNext, true);
}

function namesOf(node: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.map(({ name }) => name.getText());
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node);
  return isNamed && node.name !== undefined ? [node.name.text] : [];
}

const ranks = [
  ts.isFunctionDeclaration,
  ts.isVariableStatement,
  ts.isClassDeclaration,
  ts.isStatement,
] as const;

/** The declaration without its own doc comment and keywords that only a declaration file has. */
function codeOf(node: ts.Statement, source: ts.SourceFile): string {
  return node
    .getText(source)
    .replace(/^(?:export )?(?:declare )?/, "")
    .replaceAll(/^( {4})+/gm, (spaces) => spaces.slice(spaces.length / 2));
}

function docOf(node: ts.Statement, source: ts.SourceFile): string {
  const comments = ts.getLeadingCommentRanges(source.text, node.pos) ?? [];
  const last = comments.map(({ pos, end }) => source.text.slice(pos, end)).at(-1) ?? "";
  return last.startsWith("/**") ? plainDoc(last) : "";
}
