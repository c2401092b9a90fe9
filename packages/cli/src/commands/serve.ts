import { isIP } from "node:net";
import { InvalidArgumentError } from "commander";
import { define } from "../command.ts";
import { asFailure, serviceDatabase } from "../database.ts";
import { secretFrom } from "../environment.ts";
import * as option from "../options.ts";
import { DEFAULT_PORT, listenOn } from "../port.ts";
import { loadProfile } from "../provider.ts";
import { newEncryptionKey, serviceVault } from "../secrets.ts";
import { sendingFrom, startWorkingService } from "../start-service.ts";
import { deliveries } from "./deliveries.ts";
import { importFile } from "./import.ts";

const help = `
Environment (each also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_ENCRYPTION_KEYS  seal subscriptions' secrets: ID:KEY, one a line
  COUNTERSIGN_DATABASE_URL     postgres://… instead of the SQLite file
  COUNTERSIGN_METRICS_TOKEN    bearer token of GET /metrics; default: nobody may read it
  COUNTERSIGN_SIGNING_KEYS     provider's whsk_… keys, one per line; sign in addition to each secret
  COUNTERSIGN_EGRESS_PROXY     HTTP proxy for deliveries; it must block private addresses

Examples:
  countersign serve --database /var/lib/countersign/service.db
  countersign serve --port 8080 --listen 0.0.0.0 --profile x-signature`;

const newKeyHelp = `
Examples:
  export COUNTERSIGN_ENCRYPTION_KEYS=$(countersign serve new-key)`;

const newKey = define({
  help: newKeyHelp,
  run: (_options, { terminal }) => terminal.out(newEncryptionKey()),
});

/** `countersign serve`: the service without any controls, until the process is asked to end. */
export const definition = define({
  options: {
    port: option.port(DEFAULT_PORT),
    database: option.serviceDatabase,
    profile: option.profile,
    listen: option.text("<address>", "address to listen on", "127.0.0.1"),
    trustProxy: option.list("<network...>", "proxies whose X-Forwarded-For is trusted", network),
    subscriptionPort: option.list(
      "<port...>",
      "ports of subscription URLs (default: 443, 8443)",
      option.integers(1, 65_535),
    ),
    json: option.flag('print one JSON object instead of the "ready" line'),
  },
  help,
  below: {
    "new-key": ["Print a new encryption key", newKey],
    import: ["Import merchants, clients, customers and payments", importFile],
    deliveries: ["List, replay, pause and resume deliveries", deliveries],
  },
  run: async ({ port = DEFAULT_PORT, ...command }, surroundings) => {
    const { terminal, env } = surroundings;
    const database = await serviceDatabase(command.database, env);
    const profile = await loadProfile(command.profile);
    const metricsToken = await secretFrom(env, "COUNTERSIGN_METRICS_TOKEN");
    const sending = await sendingFrom(env, profile);
    const options = {
      profile,
      host: command.listen,
      trustedProxies: command.trustProxy ?? [],
      endpoints: { allowLoopback: false, ports: command.subscriptionPort ?? [443, 8443] },
      ...(metricsToken !== undefined && { metricsToken }),
      vault: await serviceVault(env),
    };
    // Clients expect the service on its port: it never moves to another one.
    const service = await listenOn({ port, isAskedFor: true }, async (number) =>
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
      if (command.json === true) terminal.json(ready);
      else terminal.out(`ready ${service.url}`);
      await surroundings.asked();
    } finally {
      await service.close();
    }
  },
});

/** One of `--trust-proxy`. */
function network(text: string): string {
  const [address = "", bits = "0", ...more] = text.split("/");
  const isNamed = ["loopback", "linklocal", "uniquelocal"].includes(text);
  const isNetwork = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && more.length === 0;
  const isTooLong = Number(bits) > (isIP(address) === 4 ? 32 : 128);
  if (isNamed || (isNetwork && !isTooLong)) return text;
  throw new InvalidArgumentError("must be an address, a network such as 10.0.0.0/8, or loopback.");
}
