import { referencePage } from "@countersign/schemas";
import { Command, CommanderError } from "commander";
import { Failure } from "./failure.ts";
import { didYouMean } from "./options.ts";
import { printable } from "./printable.ts";
import type { Surroundings } from "./terminal.ts";

/** Adds a command's options, help and action to the command itself. */
type Declare = (command: Command, surroundings: Surroundings) => void;

interface Entry {
  readonly summary: string;
  /** Imports the command's file. Only the command that runs is imported, so that each starts fast. */
  readonly declare: () => Promise<Declare>;
}

const commands: Readonly<Record<string, Entry>> = {
  sandbox: {
    summary: "Start a payment sandbox with an inspector for your webhooks",
    declare: async () => (await import("./commands/sandbox.ts")).declareSandbox,
  },
  serve: {
    summary: "Run the reference service, without sandbox controls",
    declare: async () => (await import("./commands/serve.ts")).declareServe,
  },
  send: {
    summary: "Send one signed event to a receiver",
    declare: async () => (await import("./commands/send.ts")).declareSend,
  },
  explain: {
    summary: "Explain why a receiver refuses a recorded webhook",
    declare: async () => (await import("./commands/explain.ts")).declareExplain,
  },
  verify: {
    summary: "Test a service or a receiver against the requirements",
    declare: async () => (await import("./commands/verify.ts")).declareVerify,
  },
  requirements: {
    summary: "List the requirements for providers and receivers",
    declare: async () => (await import("./commands/requirements.ts")).declareRequirements,
  },
  providers: {
    summary: "List the providers that the receiver knows, and how each signs",
    declare: async () => (await import("./commands/providers.ts")).declareProviders,
  },
  types: {
    summary: "Generate the event types in a programming language",
    declare: async () => (await import("./commands/types.ts")).declareTypes,
  },
  diff: {
    summary: "Compare two OpenAPI documents and list breaking changes",
    declare: async () => (await import("./commands/diff.ts")).declareDiff,
  },
  inbox: {
    summary: "Create, inspect and repair a receiver's inbox",
    declare: async () => (await import("./commands/inbox.ts")).declareInbox,
  },
};

const help = `
Examples:
  countersign sandbox
  countersign send refund.authorized --url http://localhost:3000/webhooks
  countersign verify receiver --url http://localhost:3000/webhooks
  countersign help send`;

/** The parts of the process that a run uses. */
export type RunSurroundings = Omit<Surroundings, "unmet">;

/**
 * Runs the command `countersign`.
 *
 * @param args Arguments after the command's name.
 * @returns The exit status: 0, 1 if the command found a problem, or 2 if it could not run and has
 *   printed the reason.
 */
export async function run(
  args: readonly string[],
  surroundings: RunSurroundings,
): Promise<0 | 1 | 2> {
  let status: 0 | 1 = 0;
  const unmet = (): void => {
    status = 1;
  };
  try {
    const program = await createProgram(args, { ...surroundings, unmet });
    await program.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    // Commander has written its message already. Help without `--help` is a usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!isReported(error)) throw error;
    // A message may hold words of an argument, a file or a server.
    const message = error.message.split("\n").map(printable).join("\n");
    surroundings.terminal.err(`countersign: ${error.code}: ${message}`, "bad");
    surroundings.terminal.err(`  ${referencePage("codes", error.code)}`);
    return 2;
  }
}

/** Errors with a code for the person at the terminal. The kit's module of documents is loaded only by commands that read one. */
const isReported = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Failure || (error instanceof Error && error.name === "DocumentError");

/**
 * Creates the command `countersign`.
 *
 * @param args Arguments of the run: only their command is loaded, and every one for shell completion.
 */
export async function createProgram(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<Command> {
  const { terminal, version } = surroundings;
  const program = new Command("countersign")
    .description("Test webhooks: a payment sandbox, a reference service and contract checks")
    .version(version)
    .addHelpText("after", help)
    // An option after a command's name belongs to that command.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(wrapHelp(text.trimEnd(), terminal.columns ?? 120)),
      // Error messages repeat arguments, which may contain control characters.
      writeErr: (text) =>
        terminal.err(
          text
            .trimEnd()
            // Commander ends its sentence before the reason.
            .replace(" is invalid. ", " is invalid: ")
            .split("\n")
            .map(printable)
            .join("\n"),
        ),
      ...(terminal.columns !== undefined && {
        getOutHelpWidth: () => terminal.columns ?? 80,
        getErrHelpWidth: () => terminal.columns ?? 80,
      }),
    });
  const [word = "", next = ""] = args;
  const wanted = word === "help" ? next : word;
  for (const [name, { summary, declare }] of Object.entries(commands)) {
    const command = program.command(name).description(summary);
    // oxlint-disable-next-line no-await-in-loop -- help lists the commands in this order
    if ([name, "complete"].includes(wanted)) (await declare())(command, surroundings);
  }
  if (wanted === "complete") {
    const { default: addCompletion } = await import("@bomb.sh/tab/commander");
    addCompletion(program);
  } else program.command("complete").description("Print a completion script for your shell");
  program
    .helpCommand(false)
    .command("help")
    .argument("[command...]")
    .description("Print the help of a command")
    .action((names: readonly string[]) => commandOf(program, names).help());
  return program;
}

function commandOf(program: Command, names: readonly string[]): Command {
  let command = program;
  for (const name of names) {
    const known = command.commands.map((one) => one.name());
    const next = command.commands.find((one) => one.name() === name);
    if (next === undefined)
      return command.error(`error: unknown command '${name}'${didYouMean(name, known)}`);
    command = next;
  }
  return command;
}

/**
 * Wraps help at words for a terminal's width. Text without indentation is a paragraph; an indented line keeps its
 * column, and an example continues with a backslash.
 */
function wrapHelp(text: string, width: number): string {
  const paragraphs = text.replaceAll(/(?<=^\S.*)\n(?=\S)(?!Usage:|Examples:|Environment)/gm, " ");
  const lines = paragraphs.split("\n");
  const examplesFrom = lines.lastIndexOf("Examples:");
  return lines
    .map((line, at) => wrapLine(line, { width, isExample: examplesFrom >= 0 && at > examplesFrom }))
    .join("\n");
}

interface Wrapping {
  readonly width: number;
  /** True: a shell command. */
  readonly isExample: boolean;
}

function wrapLine(line: string, { width, isExample }: Wrapping): string {
  if (line.length <= width) return line;
  const column = /^\s*\S+(?:[ ,]\S+)*\s{2,}/.exec(line)?.[0].length ?? 0;
  const isColumn = column > 0 && column <= width - 20;
  const indent = isExample ? 4 : isColumn ? column : (/^\s*/.exec(line)?.[0].length ?? 0);
  const rows: string[] = [];
  let row = "";
  // A quoted argument stays on one line: it would include the next one's indentation.
  const words = isExample ? /\s*(?:"[^"]*"?|[^\s"])+/g : /\s*\S+/g;
  for (const part of line.match(words) ?? []) {
    const room = width - (isExample ? 2 : 0);
    if (row.trim() !== "" && row.length + part.length > room) {
      rows.push(row);
      row = " ".repeat(indent) + part.trimStart();
    } else row += part;
  }
  return [...rows, row].join(isExample ? " \\\n" : "\n");
}
