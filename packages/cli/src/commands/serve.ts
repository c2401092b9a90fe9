import { isIP } from "node:net";
import { type Command, InvalidArgumentError } from "commander";
import { secretFrom } from "../environment.ts";
import { newEncryptionKey, serviceVault } from "../secrets.ts";
import { listenOn, portChoice, portOption } from "../port.ts";
import { loadProfile } from "../profile.ts";
import { integer, profileOption } from "../options.ts";
import { printableJson } from "../printable.ts";
import { asFailure, serviceDatabase } from "../database.ts";
import { sendingFrom, startWorkingService } from "../start-service.ts";
import type { Surroundings } from "../terminal.ts";
import { addDeliveries } from "./deliveries.ts";
import { addImport } from "./import.ts";

const help = `
Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_ENCRYPTION_KEYS  seal subscriptions' secrets: ID:KEY, one a line
  COUNTERSIGN_DATABASE_URL     postgres://… instead of the SQLite file
  COUNTERSIGN_METRICS_TOKEN    bearer token of GET /metrics; default: only this machine may read it
  COUNTERSIGN_SIGNING_KEYS     provider's whsk_… keys, one per line; sign in addition to each secret
  COUNTERSIGN_EGRESS_PROXY     HTTP proxy for deliveries; it must block private addresses

Examples:
  countersign serve --database /var/lib/countersign/service.db
  countersign serve --port 8080 --listen 0.0.0.0 --profile x-signature`;

const newKeyHelp = `
Examples:
  export COUNTERSIGN_ENCRYPTION_KEYS=$(countersign serve new-key)`;

interface ServeOptions {
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly requireDatabase: boolean | undefined;
  readonly profile: string;
  readonly listen: string;
  readonly trustProxy: readonly string[] | undefined;
  readonly subscriptionPort: readonly number[] | undefined;
  readonly drain: number;
  readonly retention: number;
  readonly json: boolean | undefined;
}

/** `countersign serve`, and below it `new-key`, `import` and `deliveries`. */
export function declareServe(serve: Command, surroundings: Surroundings): void {
  serve
    .addOption(portOption())
    .option("--database <file>", "SQLite file (default: .countersign/service.db)")
    .option("--require-database", "fail if the database or its tables are missing")
    .addOption(profileOption())
    .option("--listen <address>", "address to listen on", "127.0.0.1")
    .option("--trust-proxy <network...>", "proxies whose X-Forwarded-For is trusted", networks)
    .option(
      "--subscription-port <port...>",
      "ports of subscription URLs (default: 443, 8443)",
      ports,
    )
    .option("--drain <seconds>", "time to accept calls after a stop signal", seconds, 0)
    .option("--retention <days>", "delete finished events after this; 0: never", seconds, 90)
    .option("--json", 'print one JSON object instead of the "ready" line')
    .addHelpText("after", help)
    .action((options: ServeOptions) => serveUntilAsked(options, surroundings));
  serve.enablePositionalOptions();
  serve
    .command("new-key")
    .description("Print a new encryption key")
    .addHelpText("after", newKeyHelp)
    .action(() => surroundings.terminal.out(newEncryptionKey()));
  addImport(serve, surroundings);
  addDeliveries(serve, surroundings);
}

const seconds = integer(0, 999_999_999);

/** Collects the ports of a repeated option. */
function ports(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, integer(1, 65_535)(text)];
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

/** Runs the service without any controls until the process is asked to end. */
async function serveUntilAsked(command: ServeOptions, surroundings: Surroundings): Promise<void> {
  const { terminal, env } = surroundings;
  const database = await serviceDatabase(command.database, env, {
    mustExist: command.requireDatabase === true,
  });
  const profile = await loadProfile(command.profile);
  const metricsToken = await secretFrom(env, "COUNTERSIGN_METRICS_TOKEN");
  const sending = await sendingFrom(env, profile);
  const options = {
    profile,
    host: command.listen,
    requiresDatabase: command.requireDatabase === true,
    ...(command.retention > 0 && { retentionMs: command.retention * 86_400_000 }),
    trustedProxies: command.trustProxy ?? [],
    endpoints: { allowLoopback: false, ports: command.subscriptionPort ?? [443, 8443] },
    ...(metricsToken !== undefined && { metricsToken }),
    vault: await serviceVault(env),
  };
  // Clients expect the service on its port: it never moves to another one.
  const port = { ...portChoice(command.port), isAskedFor: true };
  const service = await listenOn(port, async (number) =>
    startWorkingService(
      { ...options, driver: await database.open(), port: number },
      sending,
      surroundings,
    ),
  ).catch((error: unknown) => {
    throw asFailure(error, database.name);
  });
  try {
    terminal.err(`database  ${database.name}`);
    const ready = { ready: service.url, profile: profile.name, database: database.name };
    terminal.out(command.json === true ? printableJson(ready) : `ready ${service.url}`);
    await surroundings.asked();
    await service.close({ drainMs: command.drain * 1000 });
  } finally {
    await service.close();
  }
}
