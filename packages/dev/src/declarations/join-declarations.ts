import { dirname, join, normalize } from "node:path";
import {
  type DeclarationFile,
  type Foreign,
  readDeclarations,
  withoutComments,
} from "./read-declarations.ts";

/** A declaration: where it stands, and its name. */
interface Place {
  readonly file: string;
  readonly name: string;
}
interface Declaration extends Place {
  readonly texts: readonly string[];
}

const SHARED = "shared.d.ts";

/**
 * Joins a package's declarations: one file an entry, and `shared.d.ts` for what entries share. What no
 * entry leads to is left out, and so is the documentation of what nobody can name.
 *
 * @param entries Paths of the entries' declarations.
 * @param read The text of a file of declarations, by its path.
 * @throws {Error} two declarations of one file would have one name.
 */
export function joinDeclarations(
  entries: readonly string[],
  read: (path: string) => string,
): Readonly<Record<string, string>> {
  const files = new Map<string, DeclarationFile>();
  const fileAt = (path: string): DeclarationFile => {
    const file = files.get(path) ?? readDeclarations(read(path));
    files.set(path, file);
    return file;
  };

  const found = new Map<string, Declaration>();
  const reachedBy = new Map<string, Set<string>>();
  const visit = (place: Place, entry: string): void => {
    const key = keyOf(place);
    const reached = reachedBy.get(key) ?? new Set();
    reachedBy.set(key, reached);
    if (reached.has(entry)) return;
    reached.add(entry);
    const texts = fileAt(place.file).declared.get(place.name) ?? [];
    found.set(key, { ...place, texts });
    for (const used of usedBy(texts, place.file)) if (!isForeign(used)) visit(used, entry);
  };

  /** What a name that a file exports is: a declaration of the package, or another package's. */
  const resolve = (path: string, name: string): Place | Foreign => {
    const file = fileAt(path);
    const target = file.exported.get(name);
    if (typeof target === "string") return local(path, target);
    if (target !== undefined) return follow(path, target);
    for (const whole of file.exportedWhole) {
      const there = pathOf(path, whole);
      if (namesOf(there).includes(name)) return resolve(there, name);
    }
    throw new Error(`${path} exports no ${name}`);
  };
  const follow = (path: string, foreign: Foreign): Place | Foreign =>
    foreign.from.startsWith(".") ? resolve(pathOf(path, foreign.from), foreign.name) : foreign;
  const local = (path: string, name: string): Place | Foreign => {
    const imported = fileAt(path).imported.get(name);
    return imported === undefined ? { file: path, name } : follow(path, imported);
  };
  const namesOf = (path: string): string[] => {
    const { exported, exportedWhole } = fileAt(path);
    return [...exported.keys(), ...exportedWhole.flatMap((from) => namesOf(pathOf(path, from)))];
  };
  /** What some texts name, of their own file's declarations and imports. */
  const usedBy = (texts: readonly string[], path: string): (Place | Foreign)[] => {
    const { declared, imported } = fileAt(path);
    const words = new Set(withoutComments(texts.join("\n")).match(/[\w$]+/g));
    return [...words]
      .filter((word) => declared.has(word) || imported.has(word))
      .map((word) => {
        const place = local(path, word);
        if (place.name === word) return place;
        if (isForeign(place)) return { ...place, name: `${place.name} as ${word}` };
        throw new Error(`${path}: ${word} is another name of ${place.name}`);
      });
  };

  const exportsOf = new Map<string, Map<string, Place | Foreign>>();
  for (const entry of entries) {
    const names = new Map(namesOf(entry).map((name) => [name, resolve(entry, name)]));
    exportsOf.set(entry, names);
    for (const place of names.values()) if (!isForeign(place)) visit(place, entry);
  }

  const nameable = new Set(
    [...exportsOf.values()].flatMap((names) =>
      [...names.values()].flatMap((place) => (isForeign(place) ? [] : [keyOf(place)])),
    ),
  );
  const homeOf = (place: Place): string => {
    const [entry = SHARED, ...others] = reachedBy.get(keyOf(place)) ?? [];
    return others.length === 0 ? entry : SHARED;
  };

  const print = (home: string): string => {
    const own = [...found.values()].filter((place) => homeOf(place) === home);
    const names = own.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new Error(`${home}: two declarations are called ${twice}`);
    const exported = exportsOf.get(home) ?? new Map<string, Place | Foreign>();
    const imports = new Map<string, Set<string>>();
    const excuses = new Map<string, string>();
    const add = (from: string, name: string): void => {
      imports.set(from, (imports.get(from) ?? new Set()).add(name));
    };
    for (const { texts, file } of own)
      for (const used of usedBy(texts, file))
        if (isForeign(used)) {
          add(used.from, used.name);
          if (used.excuse !== undefined) excuses.set(used.from, `${used.excuse}\n`);
        } else if (homeOf(used) !== home) add(relative(home, homeOf(used)), used.name);
    const bodies = own.flatMap((place) =>
      place.texts.map((text) => {
        const shown = nameable.has(keyOf(place)) ? text : text.replace(/^\/\*[\s\S]*?\*\/\s*/, "");
        return home === SHARED ? shown.replace(/^((?:\/\*[\s\S]*?\*\/\s*)?)/, "$1export ") : shown;
      }),
    );
    const kept: string[] = [];
    const passed = new Map<string, string[]>();
    for (const [as, place] of exported) {
      const name = place.name === as ? as : `${place.name} as ${as}`;
      const from = isForeign(place) ? place.from : homeOf(place);
      if (from === home) kept.push(name);
      else {
        const path = isForeign(place) ? from : relative(home, from);
        passed.set(path, [...(passed.get(path) ?? []), name]);
      }
    }
    return `${[
      ...[...imports].map(
        ([from, used]) =>
          `${excuses.get(from) ?? ""}import type { ${[...used].join(", ")} } from "${from}";`,
      ),
      ...bodies,
      ...(home === SHARED ? [] : [`export { ${kept.join(", ")} };`]),
      ...[...passed].map(([from, list]) => `export { ${list.join(", ")} } from "${from}";`),
    ].join("\n")}\n`;
  };
  const homes = [...entries, SHARED].map((home) => [home, print(home)] as const);
  return Object.fromEntries(homes.filter(([, text]) => text.trim() !== ""));
}

const keyOf = ({ file, name }: Place): string => `${file}#${name}`;
const isForeign = (place: Place | Foreign): place is Foreign => "from" in place;

/** The path of the declarations that a relative import in `path` means. */
const pathOf = (path: string, from: string): string =>
  normalize(join(dirname(path), from))
    .replaceAll("\\", "/")
    .replace(/\.(?:ts|js)$/, ".d.ts");

/** How a file in `home` calls another file. */
function relative(home: string, other: string): string {
  const up = "../".repeat(home.split("/").length - 1);
  return `${up === "" ? "./" : up}${other.replace(/\.d\.ts$/, ".js")}`;
}
