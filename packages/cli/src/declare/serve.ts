import { isIP } from "node:net";
import { type Command, InvalidArgumentError } from "commander";
import { addAdminCommands } from "../commands/admin/admin.ts";
import type { Surroundings } from "../terminal.ts";
import { portChoice, portOption } from "./port.ts";
import { wholeNumber } from "./whole-number.ts";

const help = `
Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_ENCRYPTION_KEYS seal subscriptions' secrets: ID:KEY, one a line
  COUNTERSIGN_DATABASE_URL    postgres://… instead of the SQLite file
  COUNTERSIGN_METRICS_TOKEN   bearer token of GET /metrics; default: only this machine may read it
  COUNTERSIGN_SIGNING_KEYS    provider's keys, whsk_…, one a line, that sign beside each secret
  COUNTERSIGN_EGRESS_PROXY    http://HOST:PORT that deliveries go through; it keeps them public then

Examples:
  countersign serve --database /var/lib/countersign/service.db
  countersign serve --port 8080 --listen 0.0.0.0 --profile x-signature`;

const newKeyHelp = `
Examples:
  export COUNTERSIGN_ENCRYPTION_KEYS=$(countersign serve new-key)`;

const rotateHelp = `
The first key of COUNTERSIGN_ENCRYPTION_KEYS seals, all open; services may run meanwhile.

Examples:
  countersign serve rotate-secrets --database /var/lib/countersign/service.db`;

interface ServeOptions {
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly requireDatabase: boolean | undefined;
  readonly profile: string;
  readonly listen: string;
  readonly trustProxy: readonly string[] | undefined;
  readonly subscriptionPort: readonly number[] | undefined;
  readonly tokenIssuer: string | undefined;
  readonly drain: number;
  readonly retention: number;
  readonly json: boolean | undefined;
}

export function declareServe(program: Command, surroundings: Surroundings): void {
  const serve = program
    .command("serve")
    .description("the service for real, without any controls")
    .addOption(portOption())
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .option("--require-database", "fail if the database or its tables are missing")
    .option("--profile <name|file>", "built-in profile or profile document", "standard")
    .option("--listen <address>", "address to listen on", "127.0.0.1")
    .option(
      "--trust-proxy <network...>",
      "proxies whose X-Forwarded-For is believed: addresses, networks, loopback",
      networks,
    )
    .option(
      "--subscription-port <port...>",
      "ports that subscription URLs may name (default: 443, 8443)",
      ports,
    )
    .option("--token-issuer <file>", "JSON description of an issuer whose JWTs are taken too")
    .option(
      "--drain <seconds>",
      "how long calls are still taken while /readyz is 503",
      wholeNumber,
      0,
    )
    .option(
      "--retention <days>",
      "age at which finished events are deleted; 0: never",
      wholeNumber,
      90,
    )
    .option("--json", "one JSON object in the place of the line ready")
    .addHelpText("after", help)
    .action(async (options: ServeOptions) => {
      const { runServe } = await import("../commands/serve.ts");
      const {
        database,
        requireDatabase: requiresDatabase = false,
        listen,
        profile,
        tokenIssuer,
        trustProxy = [],
        subscriptionPort: subscriptionPorts = [443, 8443],
        drain,
        retention: retentionDays,
        json = false,
      } = options;
      // A service that others look for never moves to another port.
      const port = { ...portChoice(options.port), isAskedFor: true };
      await runServe(
        {
          port,
          database,
          requiresDatabase,
          retentionDays,
          profile,
          listen,
          tokenIssuer,
          trustProxy,
          subscriptionPorts,
          drainSeconds: drain,
          json,
        },
        surroundings,
      );
    });
  serve.enablePositionalOptions();
  addKeyCommands(serve, surroundings);
  addAdminCommands(serve, surroundings);
}

/** What is done about the keys of secrets at rest, while services run or before. */
function addKeyCommands(serve: Command, surroundings: Surroundings): void {
  serve
    .command("new-key")
    .description("print a new encryption key")
    .addHelpText("after", newKeyHelp)
    .action(async () => {
      const { newEncryptionKey } = await import("../encryption-keys.ts");
      surroundings.terminal.out(newEncryptionKey());
    });
  serve
    .command("rotate-secrets")
    .description("seal every secret under the first encryption key")
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .addHelpText("after", rotateHelp)
    .action(async (options: Pick<ServeOptions, "database">) => {
      const { runRotateSecrets } = await import("../commands/rotate-secrets.ts");
      await runRotateSecrets(options, surroundings);
    });
}

/** Collects the ports of a repeated option. */
function ports(text: string, before: readonly number[] = []): readonly number[] {
  const port = wholeNumber(text);
  if (port < 1 || port > 65_535) throw new InvalidArgumentError("expected a port from 1 to 65535.");
  return [...before, port];
}

/** Collects the networks of a repeated option. */
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
