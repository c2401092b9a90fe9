import type { PaymentImport } from "@countersign/service/internal";
import { InvalidArgumentError, type Command } from "commander";
import type { Surroundings } from "../../terminal.ts";
import {
  administer,
  environmentHelp,
  instant,
  report,
  withAsker,
  withProfile,
} from "./administer.ts";
import { addImportCommand, runCreate, type Kind, type RecordOptions } from "./import-lines.ts";

const createHelp = `${environmentHelp}
Prints the payment's id. Refused for a customer without a bank account.

Examples:
  countersign serve admin payments create --merchant mer_01J9ZG0006 --customer cus_1 --amount 25.00`;

const importHelp = `${environmentHelp}
FILE has one JSON object a line; - is standard input:

  {"paymentId":"pay_1","customerId":"cus_1","amount":{"currency":"USD","value":25.00},"requestKey":"order-1",
   "clientReferenceId":"order-1","paymentStatus":"SUCCEEDED","creationDate":"2026-11-20T16:10:00.000Z",
   "settlementDate":"2026-11-21T05:00:00.000Z"}                            (on one line)

Required: customerId, amount, requestKey. A line whose requestKey, customer, amount and reference the merchant has is
skipped, so that an import can be repeated. Lines are written in batches of 100. Prints the counts; exits with 1 if a
line failed.

Examples:
  countersign serve admin payments import payments.jsonl --merchant mer_01J9ZG0006 --dry-run`;

const settleHelp = `${environmentHelp}
Refunds of the payment become due three business days after its settlement.

Examples:
  countersign serve admin payments settle pay_1 --merchant mer_01J9ZG0006 --settled-at 2026-11-21T05:00:00Z`;

const failHelp = `${environmentHelp}
Refunds of the payment that wait fail with CUSTOMER_NOT_DEBITED.

Examples:
  countersign serve admin payments fail pay_1 --merchant mer_01J9ZG0006`;

interface CreateOptions extends RecordOptions {
  readonly customer: string;
  readonly amount: string;
  readonly id: string | undefined;
  readonly requestKey: string | undefined;
  readonly reference: string | undefined;
  readonly status: string;
}

const payments: Kind<PaymentImport> = {
  read: ({ service }, line, options) => service.readPaymentLine(line, options),
  write: ({ useCases }, merchant, order) => useCases.importPayments(merchant, order),
};

/** `countersign serve admin payments …`. */
export function addPaymentCommands(admin: Command, surroundings: Surroundings): void {
  const group = admin.command("payments").description("Create, import, settle and fail payments");
  withProfile(withAsker(group.command("create").description("Create a customer's payment")))
    .requiredOption("--merchant <id>", "the merchant's id")
    .requiredOption("--customer <id>", "the customer's id")
    .requiredOption("--amount <dollars>", "such as 25.00", number)
    .option("--id <id>", "the payment's id (default: a new one)")
    .option("--request-key <key>", "1 to 255 characters (default: a new one)")
    .option("--reference <text>", "the merchant's clientReferenceId")
    .option("--status <status>", "CREATED, AUTHORIZED, SUCCEEDED, …", "CREATED")
    .addHelpText("after", createHelp)
    .action(async (options: CreateOptions) => {
      const { newId, systemRandom } = await import("@countersign/service/internal");
      const { id = newId(systemRandom, "pay"), customer, status, reference } = options;
      const line = {
        paymentId: id,
        customerId: customer,
        amount: { currency: "USD", value: JSON.rawJSON(options.amount) },
        requestKey: options.requestKey ?? id,
        clientReferenceId: reference,
        paymentStatus: status,
      };
      await runCreate(line, options, surroundings, payments);
    });
  addImportCommand(group, surroundings, { kind: payments, help: importHelp });
  withProfile(withAsker(group.command("settle").description("Record a payment's settlement")))
    .argument("<id>", "the payment's id")
    .requiredOption("--merchant <id>", "the merchant's id")
    .option("--settled-at <time>", "when it settled, in UTC (default: now)", instant)
    .addHelpText("after", settleHelp)
    .action((id: string, options: MoveOptions) => runMove(id, "SUCCEEDED", options, surroundings));
  withProfile(withAsker(group.command("fail").description("Record that a payment has failed")))
    .argument("<id>", "the payment's id")
    .requiredOption("--merchant <id>", "the merchant's id")
    .addHelpText("after", failHelp)
    .action((id: string, options: MoveOptions) =>
      runMove(id, "TERMINAL_FAILED", options, surroundings),
    );
}

interface MoveOptions extends RecordOptions {
  readonly settledAt?: number;
}

async function runMove(
  paymentId: string,
  status: "SUCCEEDED" | "TERMINAL_FAILED",
  options: MoveOptions,
  surroundings: Surroundings,
): Promise<void> {
  const outcome = await administer(options, surroundings, async ({ service, driver, useCases }) => {
    const merchant = await service.findMerchant(driver, options.merchant);
    if (merchant === undefined) return { ok: false, code: "MERCHANT_NOT_FOUND" } as const;
    const { settledAt, by: askedBy } = options;
    const order = { paymentId, status, settledAt, askedBy };
    const moved = await useCases.movePaymentForOperator(merchant, order);
    if (!moved.ok) return { ok: false, code: moved.code } as const;
    return { ok: true, id: paymentId, status: moved.payment.status } as const;
  });
  report(outcome, options, surroundings, (moved) => [`${moved.id} is ${moved.status}`]);
}

/** The text of a JSON number: amounts are read from their text. */
function number(text: string): string {
  if (/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return text;
  throw new InvalidArgumentError("expected an amount such as 25.00.");
}
