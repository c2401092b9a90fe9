import type { CustomerImport } from "@countersign/service/internal";
import type { Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import { environmentHelp, withAsker, withProfile } from "./administer.ts";
import { addImportCommand, runCreate, type Kind, type RecordOptions } from "./import-lines.ts";

const createHelp = `${environmentHelp}
Prints the customer's id. Payments need a customer with a bank account: --bank, --last-four and --account-type.

Examples:
  countersign serve admin customers create --merchant mer_01J9ZG0006 --first-name Ada --last-name Osei \\
    --email ada@example.com --bank "First Example Bank" --last-four 0042 --account-type checking --status ACTIVE`;

const importHelp = `${environmentHelp}
FILE has one JSON object a line, with the members of GET /v1/customers/{CUSTOMER_ID}; - is standard input:

  {"id":"cus_1","firstName":"Ada","lastName":"Osei","email":"ada@example.com","customerStatus":"ACTIVE",
   "accountDetails":{"financialInstitutionName":"First Example Bank","accountLastFourDigits":"0042",
   "accountType":"checking"}}                                              (on one line)

Required: id, firstName, lastName, email. A customer whose id the merchant has is skipped, so that an import can be
repeated. Lines are written in batches of 100. Prints the counts; exits with 1 if a line failed.

Examples:
  countersign serve admin customers import customers.jsonl --merchant mer_01J9ZG0006 --dry-run`;

interface CreateOptions extends RecordOptions {
  readonly id: string | undefined;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly bank: string | undefined;
  readonly lastFour: string | undefined;
  readonly accountType: string | undefined;
  readonly status: string;
}

const customers: Kind<CustomerImport> = {
  read: ({ service }, line, options) => service.readCustomerLine(line, options),
  write: ({ useCases }, merchant, order) => useCases.importCustomers(merchant, order),
};

/** `countersign serve admin customers …`. */
export function addCustomerCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("customers").description("Create and import customers");
  withProfile(withAsker(group.command("create").description("Create a merchant's customer")))
    .requiredOption("--merchant <id>", "the merchant's id")
    .requiredOption("--first-name <name>", "up to 255 characters")
    .requiredOption("--last-name <name>", "up to 255 characters")
    .requiredOption("--email <address>", "local@domain, up to 254 characters")
    .option("--id <id>", "the customer's id (default: a new one)")
    .option("--bank <name>", "name of the linked account's bank")
    .option("--last-four <digits>", "last four digits of the account")
    .option("--account-type <type>", "checking or savings")
    .option("--status <status>", "CREATED, ACTIVE or INACTIVE", "CREATED")
    .addHelpText("after", createHelp)
    .action(async (options: CreateOptions) => {
      const { newId, systemRandom } = await import("@countersign/service/internal");
      const { id = newId(systemRandom, "cus"), firstName, lastName, email, status } = options;
      const { bank, lastFour, accountType } = options;
      const isLinked = [bank, lastFour, accountType].some((one) => one !== undefined);
      const accountDetails = {
        financialInstitutionName: bank,
        accountLastFourDigits: lastFour,
        accountType,
      };
      const members = { id, firstName, lastName, email, customerStatus: status };
      const line = isLinked ? { ...members, accountDetails } : members;
      await runCreate(line, options, surroundings, customers);
    });
  addImportCommand(group, surroundings, { kind: customers, help: importHelp });
}
