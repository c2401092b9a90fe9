import { InvalidArgumentError, type Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import {
  administer,
  environmentHelp,
  printList,
  report,
  withAsker,
  withDatabase,
  written,
  type AdminOptions,
  type ChangeOptions,
} from "./administer.ts";

const createHelp = `${environmentHelp}
Prints the merchant's id. Creates the SQLite file if it does not exist; the other commands need it.

Examples:
  countersign serve admin merchants create --name "Example Ltd"`;

const listHelp = `${environmentHelp}
Examples:
  countersign serve admin merchants list --json`;

const renameHelp = `${environmentHelp}
Examples:
  countersign serve admin merchants rename mer_01J9ZG0006 --name "Example plc"`;

interface NameOptions extends ChangeOptions {
  readonly name: string;
}

/** `countersign serve admin merchants …`. */
export function addMerchantCommands(admin: Command, surroundings: Surroundings): void {
  const merchants = admin.command("merchants").description("Create, list and rename merchants");
  withAsker(merchants.command("create").description("Create a merchant"))
    .requiredOption("--name <name>", "1 to 100 characters", merchantName)
    .addHelpText("after", createHelp)
    .action(async (options: NameOptions) => {
      const place = { ...options, createsDatabase: true };
      const { id } = await administer(place, surroundings, ({ useCases }) =>
        useCases.addMerchant({ name: options.name, askedBy: options.by }),
      );
      report({ ok: true, merchantId: id }, options, surroundings, () => [id]);
    });
  withDatabase(merchants.command("list").description("List merchants"))
    .addHelpText("after", listHelp)
    .action(async (options: AdminOptions) => {
      const rows = await administer(options, surroundings, ({ service, driver }) =>
        service.listMerchants(driver),
      );
      const shown = rows.map(({ id, name, createdAt }) => ({
        id,
        name,
        createdAt: written(createdAt),
      }));
      printList(shown, options, surroundings);
    });
  withAsker(merchants.command("rename").description("Rename a merchant"))
    .argument("<id>", "the merchant's id")
    .requiredOption("--name <name>", "1 to 100 characters", merchantName)
    .addHelpText("after", renameHelp)
    .action(async (id: string, options: NameOptions) => {
      const outcome = await administer(options, surroundings, ({ useCases }) =>
        useCases.renameMerchant({ id, name: options.name, askedBy: options.by }),
      );
      report(outcome, options, surroundings, () => [`${id} is renamed`]);
    });
}

function merchantName(text: string): string {
  if (/^[^\p{Cc}]{1,100}$/u.test(text) && text.trim() !== "") return text;
  throw new InvalidArgumentError("expected 1 to 100 characters without control characters.");
}
