import ts from "typescript";
import { packages, published, type Package } from "../published.ts";
import { declarationReader, sourceOf, type Declared } from "./declarations.ts";
import { markdownPage, plainDoc } from "./markdown.ts";

const from = "the sources' doc comments";

/** The packages that users import from. */
const libraries = published.filter(({ manifest }) => manifest.bin === undefined);

/** `receiver` of `@countersign/receiver`. */
const shortName = ({ manifest }: Package): string => manifest.name.replace("@countersign/", "");

/** Returns, by path, a page of the public names of each package, and the page of the receiver's options. */
export function apiPages(): Readonly<Record<string, string>> {
  const read = declarationReader();
  const declaredIn = (source: string): Declared[] => [...read(source).values()];
  const pages = libraries.map((one): [string, string] => {
    const { name, description, exports = {} } = one.manifest;
    const sections = Object.entries(exports).flatMap(([entry, target]) => {
      // An entry that is a plain path is a document, or is left out of the packed manifest.
      const source = typeof target === "string" ? undefined : sourceOf(one, entry);
      if (source === undefined) return [];
      return [`## ${name}${entry.slice(1)}`, ...entrySection(declaredIn(source), homeOf(source))];
    });
    const title = shortName(one);
    const text = markdownPage({ title, from }, `${description ?? ""}.`, ...sections);
    return [`docs/reference/api/${title}.md`, text];
  });
  const options = [".", "./sqlite", "./postgres", "./redis"].flatMap((entry) => {
    const receiver = packages.get("@countersign/receiver");
    return declaredIn((receiver && sourceOf(receiver, entry)) ?? "");
  });
  return { ...Object.fromEntries(pages), "docs/reference/options.md": optionsPage(options) };
}

/** The library whose sources include a file; `undefined` if an internal package has it. */
const homeOf = (file: string): Package | undefined =>
  libraries.find(({ folder }) => file.startsWith(`${folder}/`));

function entrySection(declared: readonly Declared[], home: Package | undefined): readonly string[] {
  const isOwn = ({ file }: Declared): boolean => [undefined, home].includes(homeOf(file));
  const own = declared.filter(isOwn);
  const others = Map.groupBy(
    declared.filter((one) => !isOwn(one)),
    ({ file }) => homeOf(file),
  );
  const sorted = own.toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1));
  const isBrief = ({ doc, code }: Declared): boolean => doc === "" && !code.includes("\n");
  const brief = sorted.filter(isBrief).map(({ code }) => code);
  return [
    ...sorted
      .filter((one) => !isBrief(one))
      .flatMap(({ name, doc, code }) => [
        `### ${name}`,
        ...(doc === "" ? [] : [doc]),
        `\`\`\`ts\n${code}\n\`\`\``,
      ]),
    ...(brief.length === 0 ? [] : [`\`\`\`ts\n${brief.join("\n")}\n\`\`\``]),
    ...[...others].map(([origin, names]) => {
      const words = names.map(({ name }) => name).toSorted();
      const list = words.map((name) => `\`${name}\``);
      const link = origin && `[\`${origin.manifest.name}\`](${shortName(origin)}.md)`;
      return `Also exports from ${link ?? ""}: ${list.join(", ")}.`;
    }),
  ];
}

/** The interfaces of the receiver's options, by the heading of their section and the option that takes them. */
const optionSections = [
  ["createReceiver", "ReceiverOptions", ""],
  ["limits", "ReceiverLimits", "limits."],
  ["workers", "WorkerOptions", "workers."],
  ["exponentialBackoff", "ExponentialBackoffOptions", ""],
  ["memoryInbox", "MemoryInboxOptions", ""],
  ["sqliteInbox", "SqliteInboxOptions", ""],
  ["postgresInbox", "PostgresInboxOptions", ""],
  ["redisInbox", "RedisInboxOptions", ""],
] as const;

function optionsPage(declared: readonly Declared[]): string {
  const sections = optionSections.flatMap(([heading, name, prefix]) => {
    const members = membersOf(name, declared).flatMap(({ member, type, doc }) => [
      `### ${prefix}${member}`,
      `\`${member}${type}\``,
      ...(doc === "" ? [] : [doc]),
    ]);
    return [`## ${heading}`, ...members];
  });
  const intro =
    "The options of `createReceiver` and of its inboxes. An invalid option is a `TypeError` at start-up, whose message " +
    "never contains a secret.";
  return markdownPage({ title: "Options", from }, intro, ...sections);
}

interface Member {
  readonly member: string;
  readonly type: string;
  readonly doc: string;
}

function membersOf(name: string, declared: readonly Declared[]): readonly Member[] {
  const found = declared.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the receiver exports no ${name}`);
  const source = ts.createSourceFile("options.ts", found.code, ts.ScriptTarget.ESNext, true);
  const [node] = source.statements;
  if (node === undefined || !ts.isInterfaceDeclaration(node)) return [];
  const inherited = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap(({ expression }) => membersOf(expression.getText(), declared)),
  );
  const own = node.members.filter(ts.isPropertySignature).map((one) => {
    const comments = ts.getLeadingCommentRanges(found.code, one.pos) ?? [];
    const comment = comments.map(({ pos, end }) => found.code.slice(pos, end)).at(-1) ?? "";
    const type = `${one.questionToken === undefined ? "" : "?"}: ${one.type?.getText() ?? ""}`;
    return {
      member: one.name.getText(),
      type: type.replaceAll(/\s+/g, " "),
      doc: plainDoc(comment),
    };
  });
  return [...inherited, ...own];
}
