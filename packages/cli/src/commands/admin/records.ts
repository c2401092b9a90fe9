import type * as Service from "@countersign/service/internal";
import { InvalidArgumentError, type Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import type { Administration } from "./administer.ts";
import { addAsked, addChange, instant, withProfile } from "./declare.ts";
import {
  createRecord,
  importLines,
  type ImportOptions,
  type Kind,
  type RecordOptions,
} from "./import-lines.ts";

const withMerchant = (command: Command): Command =>
  withProfile(command).requiredOption("--merchant <id>", "the merchant's id");

function addImport<T>(
  group: Command,
  surroundings: Surroundings,
  { kind, notes }: { readonly kind: Kind<T>; readonly notes: string },
): void {
  const name = group.name();
  addAsked(group, {
    name: "import",
    summary: `import ${name} from JSON lines`,
    notes,
    examples: [`${name} import ${name}.jsonl --merchant mer_01J9ZG0006 --dry-run`],
    declare: (command) =>
      withProfile(command)
        .argument("<file>", "JSON lines; - is standard input")
        .requiredOption("--merchant <id>", "the merchant's id")
        .option("--dry-run", "check every line and write nothing"),
    run: (options: ImportOptions, file = "") => importLines(file, options, surroundings, kind),
  });
}

const customers: Kind<Service.CustomerImport> = {
  read: ({ service }, line, options) => service.readCustomerLine(line, options),
  write: ({ service, context }, merchant, order) =>
    service.importCustomers(context, merchant, order),
};

interface CustomerOptions extends RecordOptions {
  readonly id: string | undefined;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly bank: string | undefined;
  readonly lastFour: string | undefined;
  readonly accountType: string | undefined;
  readonly status: string;
}

/** `countersign serve admin customers …`. */
export function addCustomerCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("customers").description("Create and import customers");
  addChange(group, surroundings, {
    name: "create",
    summary: "Create a merchant's customer",
    notes:
      "Prints the customer's id. Payments need a customer with a bank account: --bank, --last-four and --account-type.",
    examples: [
      "customers create --merchant mer_01J9ZG0006 --first-name Ada --last-name Osei --email ada@example.com " +
        '--bank "First Example Bank" --last-four 0042 --account-type checking --status ACTIVE',
    ],
    declare: (command) =>
      withMerchant(command)
        .requiredOption("--first-name <name>", "up to 255 characters")
        .requiredOption("--last-name <name>", "up to 255 characters")
        .requiredOption("--email <address>", "local@domain, up to 254 characters")
        .option("--id <id>", "the customer's id (default: a new one)")
        .option("--bank <name>", "name of the linked account's bank")
        .option("--last-four <digits>", "last four digits of the account")
        .option("--account-type <type>", "checking or savings")
        .option("--status <status>", "CREATED, ACTIVE or INACTIVE", "CREATED"),
    run: (administration, options: CustomerOptions) => {
      const { newId, systemRandom } = administration.service;
      const { firstName, lastName, email, status: customerStatus } = options;
      const { bank, lastFour, accountType, id = newId(systemRandom, "cus") } = options;
      const isLinked = [bank, lastFour, accountType].some((one) => one !== undefined);
      const accountDetails = {
        financialInstitutionName: bank,
        accountLastFourDigits: lastFour,
        accountType,
      };
      const members = { id, firstName, lastName, email, customerStatus };
      const line = isLinked ? { ...members, accountDetails } : members;
      return createRecord(administration, line, options, customers);
    },
    lines: ({ id }) => [id],
  });
  addImport(group, surroundings, {
    kind: customers,
    notes: `FILE has one JSON object a line, with the members of GET /v1/customers/{CUSTOMER_ID}; - is standard input:

  {"id":"cus_1","firstName":"Ada","lastName":"Osei","email":"ada@example.com","customerStatus":"ACTIVE",
   "accountDetails":{"financialInstitutionName":"First Example Bank","accountLastFourDigits":"0042",
   "accountType":"checking"}}                                              (on one line)

Required: id, firstName, lastName, email. A customer whose id the merchant has is skipped, so that an import can be
repeated. Lines are written in batches of 100. Prints the counts; exits with 1 if a line failed.`,
  });
}

const payments: Kind<Service.PaymentImport> = {
  read: ({ service }, line, options) => service.readPaymentLine(line, options),
  write: ({ service, context }, merchant, order) =>
    service.importPayments(context, merchant, order),
};

interface PaymentOptions extends RecordOptions {
  readonly customer: string;
  readonly amount: string;
  readonly id: string | undefined;
  readonly requestKey: string | undefined;
  readonly reference: string | undefined;
  readonly status: string;
}

/** `countersign serve admin payments …`. */
export function addPaymentCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("payments").description("Create, import, settle and fail payments");
  addChange(group, surroundings, {
    name: "create",
    summary: "Create a customer's payment",
    notes: "Prints the payment's id. Refused for a customer without a bank account.",
    examples: ["payments create --merchant mer_01J9ZG0006 --customer cus_1 --amount 25.00"],
    declare: (command) =>
      withMerchant(command)
        .requiredOption("--customer <id>", "the customer's id")
        .requiredOption("--amount <dollars>", "such as 25.00", number)
        .option("--id <id>", "the payment's id (default: a new one)")
        .option("--request-key <key>", "1 to 255 characters (default: a new one)")
        .option("--reference <text>", "the merchant's clientReferenceId")
        .option("--status <status>", "CREATED, AUTHORIZED, SUCCEEDED, …", "CREATED"),
    run: (administration, options: PaymentOptions) => {
      const { newId, systemRandom } = administration.service;
      const { id = newId(systemRandom, "pay"), customer, status, reference } = options;
      const line = {
        paymentId: id,
        customerId: customer,
        amount: { currency: "USD", value: JSON.rawJSON(options.amount) },
        requestKey: options.requestKey ?? id,
        clientReferenceId: reference,
        paymentStatus: status,
      };
      return createRecord(administration, line, options, payments);
    },
    lines: ({ id }) => [id],
  });
  addImport(group, surroundings, {
    kind: payments,
    notes: `FILE has one JSON object a line; - is standard input:

  {"paymentId":"pay_1","customerId":"cus_1","amount":{"currency":"USD","value":25.00},"requestKey":"order-1",
   "clientReferenceId":"order-1","paymentStatus":"SUCCEEDED","creationDate":"2026-11-20T16:10:00.000Z",
   "settlementDate":"2026-11-21T05:00:00.000Z"}                            (on one line)

Required: customerId, amount, requestKey. A line whose requestKey, customer, amount and reference the merchant has is
skipped, so that an import can be repeated. Lines are written in batches of 100. Prints the counts; exits with 1 if a
line failed.`,
  });
  const withId = (command: Command): Command =>
    withMerchant(command.argument("<id>", "the payment's id"));
  addChange(group, surroundings, {
    name: "settle",
    summary: "Record a payment's settlement",
    notes: "Refunds of the payment become due three business days after its settlement.",
    examples: ["payments settle pay_1 --merchant mer_01J9ZG0006 --settled-at 2026-11-21T05:00:00Z"],
    declare: (command) =>
      withId(command).option(
        "--settled-at <time>",
        "when it settled, in UTC (default: now)",
        instant,
      ),
    run: (administration, options: MoveOptions, id) =>
      movePayment(administration, { id, status: "SUCCEEDED" }, options),
    lines: ({ id, status }) => [`${id} is ${status}`],
  });
  addChange(group, surroundings, {
    name: "fail",
    summary: "Record that a payment has failed",
    notes: "Refunds of the payment that wait fail with CUSTOMER_NOT_DEBITED.",
    examples: ["payments fail pay_1 --merchant mer_01J9ZG0006"],
    declare: withId,
    run: (administration, options: MoveOptions, id) =>
      movePayment(administration, { id, status: "TERMINAL_FAILED" }, options),
    lines: ({ id, status }) => [`${id} is ${status}`],
  });
}

interface MoveOptions extends RecordOptions {
  readonly settledAt?: number;
}

async function movePayment(
  { service, driver, context }: Administration,
  { id, status }: { readonly id: string; readonly status: "SUCCEEDED" | "TERMINAL_FAILED" },
  { merchant: merchantId, settledAt, by }: MoveOptions,
) {
  const merchant = await service.findMerchant(driver, merchantId);
  if (merchant === undefined) return { ok: false, code: "MERCHANT_NOT_FOUND" } as const;
  const order = { paymentId: id, status, settledAt, askedBy: by };
  const moved = await service.movePaymentForOperator(context, merchant, order);
  if (!moved.ok) return { ok: false, code: moved.code } as const;
  return { ok: true, id, status: moved.payment.status } as const;
}

/** The text of a JSON number: amounts are read from their text. */
function number(text: string): string {
  if (/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return text;
  throw new InvalidArgumentError("expected an amount such as 25.00.");
}
