import { InvalidArgumentError, Option, type Command } from "commander";
import { badArgument } from "../../failure.ts";
import type { Surroundings } from "../../terminal.ts";
import { addChange, addList, withProfile, written, type ChangeOptions } from "./declare.ts";

/** `countersign serve admin merchants …`. */
export function addMerchantCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("merchants").description("Create, list and rename merchants");
  const withName = (command: Command): Command =>
    command.requiredOption("--name <name>", "1 to 100 characters", merchantName);
  interface NameOptions extends ChangeOptions {
    readonly name: string;
  }
  addChange(group, surroundings, {
    name: "create",
    summary: "Create a merchant",
    notes:
      "Prints the merchant's id. Creates the SQLite file if it does not exist; the other commands need it.",
    examples: ['merchants create --name "Example Ltd"'],
    declare: withName,
    createsDatabase: true,
    run: async ({ service, context }, { name, by }: NameOptions) => {
      const { id } = await service.addMerchant(context, { name, askedBy: by });
      return { ok: true, merchantId: id } as const;
    },
    lines: ({ merchantId }) => [merchantId],
  });
  addList(group, surroundings, {
    name: "list",
    summary: "List merchants",
    examples: ["merchants list --json"],
    rows: async ({ service, driver }) =>
      (await service.listMerchants(driver)).map(({ id, name, createdAt }) => ({
        id,
        name,
        createdAt: written(createdAt),
      })),
  });
  addChange(group, surroundings, {
    name: "rename",
    summary: "Rename a merchant",
    examples: ['merchants rename mer_01J9ZG0006 --name "Example plc"'],
    declare: (command) => withName(command.argument("<id>", "the merchant's id")),
    run: ({ service, context }, { name, by }: NameOptions, id) =>
      service.renameMerchant(context, { id, name, askedBy: by }),
    lines: (_, id) => [`${id} is renamed`],
  });
}

function merchantName(text: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() !== "") return text;
  throw new InvalidArgumentError("expected 1 to 100 characters without control characters.");
}

/** `countersign serve admin clients …`. */
export function addClientCommands(admin: Command, surroundings: Surroundings): void {
  const { terminal } = surroundings;
  const group = admin
    .command("clients")
    .description("Create, rotate, revoke and list OAuth clients");
  const withId = (command: Command): Command => command.argument("<id>", "the client's id");
  const secretLines = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => {
    terminal.err("The secret is shown only once; copy it now.");
    return [`client_id      ${clientId}`, `client_secret  ${clientSecret}`];
  };
  interface CreateOptions extends ChangeOptions {
    readonly merchant: string;
    readonly scope: readonly string[] | undefined;
  }
  addChange(group, surroundings, {
    name: "create",
    summary: "Create a merchant's client",
    notes:
      "Prints the client's id and its secret. The secret is shown only once: its hash is stored.",
    examples: [
      "clients create --merchant mer_01J9ZG0006",
      "clients create --merchant mer_01J9ZG0006 --scope payments --json",
    ],
    declare: (command) =>
      withProfile(command)
        .requiredOption("--merchant <id>", "the merchant's id")
        .option("--scope <name...>", "scopes of its tokens (default: all of the profile)"),
    run: ({ service, context, policy }, { merchant: merchantId, scope, by }: CreateOptions) => {
      const scopes = scopesOf(scope, Object.values(policy.token.scopes));
      return service.createClient(context, { merchantId, scopes, askedBy: by });
    },
    lines: (created) => secretLines(created),
  });
  addChange(group, surroundings, {
    name: "rotate-secret",
    summary: "Give a client a new secret",
    notes: `Prints a new secret, shown only once. The present one stays valid for the overlap. At most two are valid: if the
client was rotated before, the older secret ends now. --overlap 0 ends all of them now.`,
    examples: ["clients rotate-secret cli_01J9ZG0006 --overlap 7d"],
    declare: (command) =>
      withId(command).addOption(
        new Option("--overlap <duration>", "how long the old secret stays valid")
          .argParser(duration)
          .default(DAY_MS, "24h"),
      ),
    run: async (
      { service, context },
      { overlap: overlapMs, by }: ChangeOptions & { readonly overlap: number },
      clientId,
    ) => {
      const rotated = await service.rotateClientSecret(context, {
        clientId,
        overlapMs,
        askedBy: by,
      });
      if (!rotated.ok) return rotated;
      return { ...rotated, previousUntil: written(rotated.previousUntil) };
    },
    lines: (rotated) => {
      terminal.err(`The old secret is valid until ${String(rotated.previousUntil)}.`);
      return secretLines(rotated);
    },
  });
  addChange(group, surroundings, {
    name: "revoke",
    summary: "Revoke a client and its tokens",
    notes: "The client's secrets and access tokens are refused from now on. It cannot be undone.",
    examples: ["clients revoke cli_01J9ZG0006"],
    declare: withId,
    run: ({ service, context }, { by }: ChangeOptions, clientId) =>
      service.revokeClient(context, { clientId, askedBy: by }),
    lines: (_, clientId) => [`${clientId} is revoked`],
  });
  addList(group, surroundings, {
    name: "list",
    summary: "List the clients of all merchants",
    examples: ["clients list"],
    // Without the hashes of the secrets.
    rows: async ({ service, driver }) =>
      (await service.listClients(driver)).map((row) => ({
        id: row.id,
        merchantId: row.merchantId,
        scopes: row.scopes.join(" "),
        createdAt: written(row.createdAt),
        previousUntil: written(row.previousUntil),
        revokedAt: written(row.revokedAt),
      })),
  });
}

function scopesOf(
  asked: readonly string[] | undefined,
  known: readonly string[],
): readonly string[] {
  const unknown = asked?.find((scope) => !known.includes(scope));
  if (unknown === undefined) return [...new Set(asked ?? known)];
  throw badArgument(`unknown scope "${unknown}"; expected some of ${known.join(", ")}`);
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
