import type { JsonSchema } from "@countersign/contract-kit/documents";
import type { TypesModel } from "./types-model.ts";

/** Prints events as types of a language. */
export interface Language {
  /** Pattern and default of `--package`; absent if the language has no packages. */
  readonly package?: { readonly form: RegExp; readonly standard: string };
  /** True if each public type needs its own file; the path is then a folder. */
  readonly isFolder: boolean;
  /** Begins a line of comment. */
  readonly comment: "//" | "#";
  /** Files by their names; where `isFolder` is false one, whose name says nothing. */
  readonly print: (model: TypesModel, packageName: string) => Promise<ReadonlyMap<string, string>>;
}

/** The file of a language that needs only one, from its parts. */
export const oneFile = (...parts: readonly string[]): ReadonlyMap<string, string> =>
  new Map([["events", parts.join("\n\n")]]);

/** A string literal for languages with C's escapes. Go has none for half of a pair. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u{7f}-\u{d7ff}\u{e000}-\u{ffff}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The names of the events' types, once each. */
export const namesOf = ({ events }: TypesModel): readonly string[] => [
  ...new Set(events.map(({ name }) => name)),
];

/**
 * Returns a description so that it is safe in a comment or a docstring of every language: on one line, without
 * what ends the comment, and without escapes, which Java reads in comments too.
 */
export const commentOf = ({ description = "" }: Pick<JsonSchema, "description">): string =>
  description
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("*/", "* /")
    .replaceAll("/*", "/ *")
    .replaceAll('"""', "'''")
    .replaceAll("\\", "/")
    .replace(/"$/, "'")
    .trim();
