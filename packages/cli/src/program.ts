import { isIP } from "node:net";
import { Command, InvalidArgumentError, Option } from "commander";
import { declareDiff } from "./declare/diff.ts";
import { declareSend } from "./declare/send.ts";
import { declareVerify } from "./declare/verify.ts";
import type { Surroundings } from "./terminal.ts";

const DEFAULT_PORT = 4010;

const sandboxHelp = `
Prints one line on stdout when it takes calls: ready http://127.0.0.1:${DEFAULT_PORT}
All else goes to stderr: the token, the database, calls to try.

Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_TOKEN    the bearer token; without it one is made and kept beside the database
  COUNTERSIGN_SECRET   signs the deliveries of --deliver-to; without it one is made

Examples:
  countersign sandbox
  countersign sandbox --port 5000 --database ./tmp/sandbox.db --seed 7
  countersign sandbox --deliver-to http://localhost:3000/webhooks --open
  countersign sandbox --listen 0.0.0.0 --allow-host sandbox.test:${DEFAULT_PORT}`;

const serveHelp = `
Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_CLIENT_ID, COUNTERSIGN_CLIENT_SECRET   a merchant's OAuth client, made at the first start
  COUNTERSIGN_ENCRYPTION_KEYS                        seal subscriptions' secrets: ID:KEY, one a line
  COUNTERSIGN_DATABASE_URL                           postgres://… instead of the SQLite file

  COUNTERSIGN_METRICS_TOKEN                          the bearer token of GET /metrics; without it this machine alone reads them

Examples:
  countersign serve --database /var/lib/countersign/service.db
  countersign serve --port 8080 --listen 0.0.0.0 --profile x-signature`;

/** The command `countersign`. Each command loads what it needs when it runs, and no other one's. */
export function createProgram(surroundings: Surroundings): Command {
  const { terminal, version } = surroundings;
  const program = new Command("countersign")
    .description(
      "A payment provider's refunds, customers and webhooks, for development and for real",
    )
    .version(version)
    // An option behind a command is that command's own, also where it is one of the command before.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });

  program
    .command("sandbox")
    .description("the service with controls for clock, payments, customers and faults")
    .addOption(portOption())
    .option("--database <file>", "SQLite file (default: .countersign/sandbox.db)")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--seed <number>", "of the ids of what is there at first", wholeNumber, 1)
    .option("--deliver-to <url>", "subscribe this address to every event")
    .option(
      "--listen <address>",
      "address to listen on; beyond loopback with --allow-host",
      "127.0.0.1",
    )
    .option("--allow-host <host...>", "names that the controls may be called by")
    .option("--open", "open the inspector in the browser", false)
    .addHelpText("after", sandboxHelp)
    .action(async (options: SandboxOptions) => {
      const { runSandbox } = await import("./commands/sandbox.ts");
      const { database, deliverTo, listen, open, profile, seed } = options;
      const allowHosts = options.allowHost ?? [];
      const port = portChoice(options.port);
      await runSandbox(
        { port, database, profile, seed, deliverTo, listen, allowHosts, open },
        surroundings,
      );
    });

  const serve = program
    .command("serve")
    .description("the service for real, without any controls")
    .addOption(portOption())
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--listen <address>", "address to listen on", "127.0.0.1")
    .option(
      "--trust-proxy <network...>",
      "proxies whose X-Forwarded-For is believed: addresses, networks, loopback",
      networks,
    )
    .option("--token-issuer <file>", "JSON description of an issuer whose JWTs are taken too")
    .option(
      "--drain <seconds>",
      "how long calls are still taken while /readyz is 503",
      wholeNumber,
      0,
    )
    .addHelpText("after", serveHelp)
    .action(async (options: RealServeOptions) => {
      const { runServe } = await import("./commands/serve.ts");
      const { database, listen, profile, tokenIssuer, trustProxy = [], drain } = options;
      // A service that others look for never moves to another port.
      const port = { ...portChoice(options.port), isAskedFor: true };
      await runServe(
        { port, database, profile, listen, tokenIssuer, trustProxy, drainSeconds: drain },
        surroundings,
      );
    });
  addKeyCommands(serve, surroundings);
  declareSend(program, surroundings);
  declareDiff(program, surroundings);
  declareVerify(program, surroundings);
  return program;
}

/** What is done about the keys of secrets at rest, while services run or before. */
function addKeyCommands(serve: Command, surroundings: Surroundings): void {
  serve.enablePositionalOptions();
  serve
    .command("new-key")
    .description("print a new encryption key")
    .action(async () => {
      const { newEncryptionKey } = await import("./encryption-keys.ts");
      surroundings.terminal.out(newEncryptionKey());
    });
  serve
    .command("rotate-secrets")
    .description("seal every secret under the first encryption key")
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .action(async (options: Pick<ServeOptions, "database">) => {
      const { runRotateSecrets } = await import("./commands/rotate-secrets.ts");
      await runRotateSecrets(options, surroundings);
    });
}

interface ServeOptions {
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly profile: string;
  readonly listen: string;
}

interface RealServeOptions extends ServeOptions {
  readonly trustProxy: readonly string[] | undefined;
  readonly tokenIssuer: string | undefined;
  readonly drain: number;
}

interface SandboxOptions extends ServeOptions {
  readonly seed: number;
  readonly deliverTo: string | undefined;
  readonly allowHost: readonly string[] | undefined;
  readonly open: boolean;
}

function portOption(): Option {
  return new Option("--port <number>", `port to listen on (default: ${DEFAULT_PORT})`).argParser(
    (text) => {
      const port = wholeNumber(text);
      if (port > 65_535) throw new InvalidArgumentError("a port is at most 65535.");
      return port;
    },
  );
}

function portChoice(port: number | undefined): { port: number; isAskedFor: boolean } {
  return { port: port ?? DEFAULT_PORT, isAskedFor: port !== undefined };
}

/** Gathers what a repeated option names. */
function networks(text: string, before: readonly string[] = []): readonly string[] {
  const [address = "", bits = "0", ...more] = text.split("/");
  const isNamed = ["loopback", "linklocal", "uniquelocal"].includes(text);
  const isNetwork = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && more.length === 0;
  const isTooLong = Number(bits) > (isIP(address) === 4 ? 32 : 128);
  if (!isNamed && (!isNetwork || isTooLong)) {
    throw new InvalidArgumentError(
      "must be an address, a network such as 10.0.0.0/8, or loopback.",
    );
  }
  return [...before, text];
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("must be a whole number.");
  return Number(text);
}
