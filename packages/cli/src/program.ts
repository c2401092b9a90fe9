import { terminalLine } from "@countersign/rules";
import { referencePage } from "@countersign/schemas";
import { Command, CommanderError } from "commander";
import { type Declare, define, wrapText } from "./command.ts";
import { didYouMean, Failure } from "./failure.ts";
import { escaping, type Streams, type Surroundings } from "./terminal.ts";

/** Summaries, and modules of which each exports its `definition`. Only the command that runs is imported: each starts fast. */
const commands: Readonly<
  Record<string, readonly [string, () => Promise<{ readonly definition: Declare }>]>
> = {
  sandbox: [
    "Start a payment sandbox with an inspector for your webhooks",
    () => import("./commands/sandbox.ts"),
  ],
  serve: [
    "Run the reference service, without sandbox controls",
    () => import("./commands/serve.ts"),
  ],
  send: ["Send signed events of any provider to your app", () => import("./commands/send.ts")],
  listen: [
    "Relay a provider's webhooks to your app, and see why one fails",
    () => import("./commands/listen.ts"),
  ],
  explain: [
    "Explain why a receiver refuses a recorded webhook",
    () => import("./commands/explain.ts"),
  ],
  verify: [
    "Test a service or a receiver against the requirements",
    () => import("./commands/verify.ts"),
  ],
  requirements: [
    "List the requirements for providers and receivers",
    () => import("./commands/requirements.ts"),
  ],
  providers: [
    "List the providers that the receiver knows, and how each signs",
    () => import("./commands/providers.ts"),
  ],
  types: [
    "Generate the event types in a programming language",
    () => import("./commands/types.ts"),
  ],
  diff: [
    "Compare two OpenAPI documents and list breaking changes",
    () => import("./commands/diff.ts"),
  ],
  inbox: ["Inspect and repair a receiver's inbox", () => import("./commands/inbox.ts")],
};

const help = `
Examples:
  countersign listen --provider stripe --forward-to localhost:3000/webhooks
  countersign send invoice.paid --provider stripe --url localhost:3000/webhooks
  countersign sandbox
  countersign verify receiver --url http://localhost:3000/webhooks
  countersign help send`;

/** The parts of the process that a run uses. */
export type RunSurroundings = Omit<Surroundings, "terminal" | "unmet"> & {
  readonly terminal: Streams;
};

/** Runs the command. @returns The exit status: 0, 1 if it found a problem, 2 if it could not run and has printed why. */
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
    const message = printableLines(error.message);
    surroundings.terminal.err(`countersign: ${error.code}: ${message}`, "bad");
    surroundings.terminal.err(`  ${referencePage("codes", error.code)}`);
    return 2;
  }
}

const printableLines = (text: string): string => text.split("\n").map(terminalLine).join("\n");

/** Errors with a code for the person at the terminal. The kit's module of documents is loaded only by commands that read one. */
const isReported = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Failure || (error instanceof Error && error.name === "DocumentError");

/** Creates the command. @param args Arguments of the run, whose command is loaded; `undefined` loads every one. */
export async function createProgram(
  args: readonly string[] | undefined,
  given: RunSurroundings & Pick<Surroundings, "unmet">,
): Promise<Command> {
  const { terminal, version } = given;
  const surroundings = { ...given, terminal: escaping(terminal) };
  const program = new Command("countersign")
    .description("Receive, send, explain and check the webhooks of any provider")
    .version(version)
    // An option after a command's name belongs to that command.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for examples)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, "")),
      // Error messages repeat arguments, which may contain control characters.
      writeErr: (text) =>
        terminal.err(
          // Commander ends its sentence before the reason.
          printableLines(text.trimEnd().replace(" is invalid. ", " is invalid: ")),
        ),
      getOutHelpWidth: () => terminal.columns ?? 80,
      getErrHelpWidth: () => terminal.columns ?? 80,
    })
    .configureHelp({
      boxWrap: wrapText,
      formatItem: (term, termWidth, about, { helpWidth = 80 }) =>
        wrapText(`  ${term.padEnd(termWidth)}  ${about}`, helpWidth),
    });
  define({ help })(program, surroundings);
  const [word = "", next = ""] = args ?? [];
  const wanted = word === "help" ? next : word;
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = program.command(name).description(summary);
    // oxlint-disable-next-line no-await-in-loop -- help lists the commands in this order
    if (args === undefined || name === wanted) (await load()).definition(command, surroundings);
  }
  // Commander suggests the word with the fewest other letters, such as `send` for the beginning of `sandbox`.
  const begun = Object.keys(commands).find((name) => word.length > 2 && name.startsWith(word));
  if (begun !== undefined && begun !== word)
    program.error(`error: unknown command '${word}'\n(Did you mean ${begun}?)`);
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
