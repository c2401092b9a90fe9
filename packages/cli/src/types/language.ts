import type { EventModel, EventShape } from "./event-model.ts";

interface Printing {
  /** The package of the types, if the language has packages. */
  readonly packageName: string;
  /** The first lines of each file, without the marks of a comment. */
  readonly header: readonly string[];
}

/** Prints events as types of a language. */
export interface Language {
  /** Pattern and default of `--package`; absent if the language has no packages. */
  readonly package?: { readonly form: RegExp; readonly standard: string };
  /** True if each public type needs its own file; the path is then a folder. */
  readonly isFolder: boolean;
  /** Files by their names; where `isFolder` is false one, whose name says nothing. */
  readonly print: (model: EventModel, printing: Printing) => Promise<ReadonlyMap<string, string>>;
}

/** A dotted name of words. */
export const DOTTED: RegExp = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** One file's text, its header as comments. */
export function oneFile(header: string, text: string): ReadonlyMap<string, string> {
  return new Map([["events", `${header}\n\n${text.trim()}\n`]]);
}

/** A header as lines that each begin with a mark. */
export const commented = (mark: string, lines: readonly string[]): string =>
  lines.map((line) => `${mark} ${line}`.trimEnd()).join("\n");

/** Replaces in lines of code, and leaves the lines of comments as they are. */
export function inCode(
  text: string,
  { comment, from, to }: { readonly comment: RegExp; readonly from: RegExp; readonly to: string },
): string {
  return text
    .split("\n")
    .map((line) => (comment.test(line) ? line : line.replaceAll(from, to)))
    .join("\n");
}

/** The events by type, in the catalogue's order; several if another member distinguishes them. */
export function byType({ events }: EventModel): ReadonlyMap<string, readonly EventShape[]> {
  return Map.groupBy(events, ({ type }) => type);
}

/** A string literal for languages with C's escapes; portable for printable ASCII. */
export const quoted = (text: string): string => JSON.stringify(text);

/** The names of events that are types, once each. */
export const namesOf = ({ events }: EventModel): readonly string[] =>
  events.map(({ name }) => name);
