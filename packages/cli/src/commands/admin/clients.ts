import { InvalidArgumentError, Option, type Command } from "commander";
import { Failure } from "../../failure.ts";
import type { Surroundings } from "../../terminal.ts";
import {
  administer,
  environmentHelp,
  printList,
  report,
  withAsker,
  withDatabase,
  withProfile,
  written,
  type AdminOptions,
  type ChangeOptions,
} from "./administer.ts";

const createHelp = `${environmentHelp}
Prints the client's id and its secret. The secret is shown only once: its hash is stored.

Examples:
  countersign serve admin clients create --merchant mer_01J9ZG0006
  countersign serve admin clients create --merchant mer_01J9ZG0006 --scope payments --json`;

const rotateHelp = `${environmentHelp}
Prints a new secret, shown only once. The present one stays valid for the overlap. At most two are valid: if the
client was rotated before, the older secret ends now. --overlap 0 ends all of them now.

Examples:
  countersign serve admin clients rotate-secret cli_01J9ZG0006 --overlap 7d`;

const revokeHelp = `${environmentHelp}
The client's secrets and access tokens are refused from now on. It cannot be undone.

Examples:
  countersign serve admin clients revoke cli_01J9ZG0006`;

const listHelp = `${environmentHelp}
Examples:
  countersign serve admin clients list`;

interface CreateOptions extends ChangeOptions {
  readonly merchant: string;
  readonly scope: readonly string[] | undefined;
  readonly profile: string;
}

/** `countersign serve admin clients …`. */
export function addClientCommands(admin: Command, surroundings: Surroundings): void {
  const { terminal } = surroundings;
  const clients = admin
    .command("clients")
    .description("Create, rotate, revoke and list OAuth clients");
  const tellSecret = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => {
    terminal.err("The secret is shown only once; copy it now.");
    return [`client_id      ${clientId}`, `client_secret  ${clientSecret}`];
  };
  withProfile(withAsker(clients.command("create").description("Create a merchant's client")))
    .requiredOption("--merchant <id>", "the merchant's id")
    .option("--scope <name...>", "scopes of its tokens (default: all of the profile)")
    .addHelpText("after", createHelp)
    .action(async (options: CreateOptions) => {
      const outcome = await administer(options, surroundings, ({ useCases, policy }) => {
        const scopes = scopesOf(options.scope, Object.values(policy.token.scopes));
        return useCases.createClient({
          merchantId: options.merchant,
          scopes,
          askedBy: options.by,
        });
      });
      report(outcome, options, surroundings, tellSecret);
    });
  withAsker(clients.command("rotate-secret").description("Give a client a new secret"))
    .argument("<id>", "the client's id")
    .addOption(
      new Option("--overlap <duration>", "how long the old secret stays valid")
        .argParser(duration)
        .default(DAY_MS, "24h"),
    )
    .addHelpText("after", rotateHelp)
    .action(async (clientId: string, options: ChangeOptions & { readonly overlap: number }) => {
      const outcome = await administer(options, surroundings, async ({ useCases }) => {
        const { overlap: overlapMs, by: askedBy } = options;
        const rotated = await useCases.rotateClientSecret({ clientId, overlapMs, askedBy });
        if (!rotated.ok) return rotated;
        return { ...rotated, previousUntil: written(rotated.previousUntil) };
      });
      report(outcome, options, surroundings, (rotated) => {
        terminal.err(`The old secret is valid until ${String(rotated.previousUntil)}.`);
        return tellSecret(rotated);
      });
    });
  withAsker(clients.command("revoke").description("Revoke a client and its tokens"))
    .argument("<id>", "the client's id")
    .addHelpText("after", revokeHelp)
    .action(async (clientId: string, options: ChangeOptions) => {
      const outcome = await administer(options, surroundings, ({ useCases }) =>
        useCases.revokeClient({ clientId, askedBy: options.by }),
      );
      report(outcome, options, surroundings, () => [`${clientId} is revoked`]);
    });
  withDatabase(clients.command("list").description("List the clients of all merchants"))
    .addHelpText("after", listHelp)
    .action(async (options: AdminOptions) => {
      const rows = await administer(options, surroundings, ({ service, driver }) =>
        service.listClients(driver),
      );
      const shown = rows.map((row) => ({
        id: row.id,
        merchantId: row.merchantId,
        scopes: row.scopes.join(" "),
        createdAt: written(row.createdAt),
        previousUntil: written(row.previousUntil),
        revokedAt: written(row.revokedAt),
      }));
      printList(shown, options, surroundings);
    });
}

function scopesOf(
  asked: readonly string[] | undefined,
  known: readonly string[],
): readonly string[] {
  const unknown = asked?.find((scope) => !known.includes(scope));
  if (unknown === undefined) return [...new Set(asked ?? known)];
  throw new Failure(
    "CS_CLI_ARGUMENT_UNUSABLE",
    `unknown scope "${unknown}"; expected some of ${known.join(", ")}`,
  );
}

const DAY_MS = 86_400_000;
const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };

/** A duration such as `24h`, in milliseconds, of at most 90 days. */
function duration(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ms = text === "0" ? 0 : Number(number || Number.NaN) * (units[unit] ?? Number.NaN);
  if (ms <= 90 * DAY_MS) return ms;
  throw new InvalidArgumentError(
    "expected a duration such as 30m, 24h or 7d, or 0, of at most 90d.",
  );
}
