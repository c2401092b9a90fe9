import { userInfo } from "node:os";
import { InvalidArgumentError, Option, type Command } from "commander";
import { printable, printableJson } from "../../printable.ts";
import type { Surroundings } from "../../terminal.ts";
import {
  administer,
  report,
  type AdminOptions,
  type Administration,
  type RefusalCode,
} from "./administer.ts";

/** Options of the commands that change something. */
export interface ChangeOptions extends AdminOptions {
  readonly by: string;
}

/** The words of a command below a group such as `merchants`. */
interface Words {
  readonly name: string;
  readonly summary: string;
  /** A paragraph of help before the examples. */
  readonly notes?: string;
  /** Without `countersign serve admin`. */
  readonly examples: readonly string[];
  /** Adds the command's own arguments and options. */
  readonly declare?: (command: Command) => Command;
}

interface OwnCommand<Options> extends Words {
  /** @param argument The command's argument. */
  readonly run: (options: Options, argument: string | undefined) => Promise<void>;
}

interface ListCommand<Options> extends Words {
  readonly rows: (administration: Administration, options: Options) => Promise<readonly Row[]>;
}

/** A row of a list, by its columns. */
type Row = Readonly<Record<string, string | number | boolean | null>>;

type Outcome = { readonly ok: true } | { readonly ok: false; readonly code: RefusalCode };

interface ChangeCommand<Options, Changed extends Outcome> extends Words {
  /** True if a missing SQLite file is created. Default: false, so that a misspelt file is an error. */
  readonly createsDatabase?: boolean;
  /** @param argument The command's argument; empty without one. */
  readonly run: (
    administration: Administration,
    options: Options,
    argument: string,
  ) => Promise<Changed>;
  /** Returns the text for people. */
  readonly lines: (changed: Extract<Changed, { ok: true }>, argument: string) => readonly string[];
}

const environmentHelp = `
Works on the database of countersign serve, which may be running.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… instead of the SQLite file
`;

function addCommand<Options>(
  group: Command,
  { name, summary, notes, examples, declare = (command) => command, run }: OwnCommand<Options>,
): void {
  const command = group
    .command(name)
    .description(summary)
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .option("--json", "print JSON instead of text");
  const lines = examples.map((example) => `  countersign serve admin ${example}`);
  const paragraphs = [...(notes === undefined ? [] : [notes, ""]), "Examples:", ...lines];
  declare(command)
    .addHelpText("after", [environmentHelp, ...paragraphs].join("\n"))
    .action(() => run(command.opts<Options & object>(), command.args[0]));
}

/** Adds a command that prints a list. */
export function addList<Options extends AdminOptions>(
  group: Command,
  surroundings: Surroundings,
  { rows, ...words }: ListCommand<Options>,
): void {
  addCommand<Options>(group, {
    ...words,
    run: async (options) => {
      const found = await administer(options, surroundings, (parts) => rows(parts, options));
      printList(found, options, surroundings);
    },
  });
}

/** Adds a command that changes something and prints what it has changed. */
export function addChange<Options extends ChangeOptions, Changed extends Outcome>(
  group: Command,
  surroundings: Surroundings,
  { run, lines, createsDatabase = false, ...words }: ChangeCommand<Options, Changed>,
): void {
  addAsked<Options>(group, {
    ...words,
    run: async (options, argument = "") => {
      const outcome = await administer({ ...options, createsDatabase }, surroundings, (parts) =>
        run(parts, options, argument),
      );
      report(outcome, options, surroundings, (changed) => lines(changed, argument));
    },
  });
}

/** Adds a command with `--by`, whose function opens the database and prints the result itself. */
export function addAsked<Options extends ChangeOptions>(
  group: Command,
  { declare = (command) => command, ...own }: OwnCommand<Options>,
): void {
  const by = new Option("--by <name>", "your name, for the audit log")
    .argParser(askerName)
    .default(osUser(), "the OS user");
  addCommand<Options>(group, { ...own, declare: (command) => declare(command.addOption(by)) });
}

/** `--profile`, for commands that depend on scopes, events or amounts. */
export function withProfile(command: Command): Command {
  return command.option("--profile <name|file>", "the profile of the service", "standard");
}

/** Prints a list: aligned columns with a header, or one JSON array. */
function printList(rows: readonly Row[], { json }: AdminOptions, { terminal }: Surroundings): void {
  if (json === true) return terminal.out(printableJson(rows));
  const [first] = rows;
  if (first === undefined) return terminal.err("none");
  const head = Object.keys(first);
  const cells = rows.map((row) => head.map((name) => printable(String(row[name] ?? "-"))));
  const widths = head.map((name, at) =>
    Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  for (const row of [head, ...cells]) {
    const padded = row.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    terminal.out(padded.join("  ").trimEnd());
  }
}

/** A time for people and programs; `null` stays. */
export const written = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();

/** The value of an option that is a time in UTC, in milliseconds. */
export function instant(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError("expected a time in UTC such as 2026-11-20T00:00:00Z.");
}

const NAME = /^[\x20-\x7E]{1,64}$/;

function askerName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError("expected 1 to 64 printable ASCII characters.");
}

/** `operator` if the system has no user of this id, as in some containers, or one with an unusual name. */
function osUser(): string {
  try {
    const { username } = userInfo();
    return NAME.test(username) ? username : "operator";
  } catch {
    return "operator";
  }
}
