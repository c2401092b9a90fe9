import { parseAmount } from "@countersign/rules";
import type { EventKind } from "../profile/envelope.ts";
import { newId } from "../random.ts";
import { instantOf } from "../store/tables/clocks.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import { askRefund } from "../use-cases/ask-refund.ts";
import type { Context } from "../use-cases/context.ts";
import {
  createCustomer,
  deactivateAccount,
  linkAccount,
  moveCustomer,
} from "../use-cases/customers.ts";
import {
  authorizePayment,
  coverPayment,
  createPayment,
  failPayment,
  settlePayment,
} from "../use-cases/payments.ts";
import { refuseMember } from "./routes/call.ts";

/** The merchant whose records are made, and the services that make them. */
export interface RecordStage {
  readonly context: Context;
  readonly merchant: Merchant;
}

export const paymentStatuses = [
  "processing",
  "settled",
  "held",
  "failed",
  "canceled",
  "covered",
] as const;

interface AccountOrder {
  readonly financialInstitutionName?: string;
  readonly accountLastFourDigits?: string;
  readonly accountType?: string;
}

/** The account of an order, with sample values for those that are absent. */
export function accountOf({
  financialInstitutionName: institution = "First Sample Bank",
  accountLastFourDigits: lastFour = "6789",
  accountType: type = "checking",
}: AccountOrder): { institution: string; lastFour: string; type: string } {
  return { institution, lastFour, type };
}

export interface CustomerOrder extends AccountOrder {
  readonly status?: "CREATED" | "ACTIVE" | "INACTIVE";
  /** True if an account is linked, which is the default. */
  readonly linked?: boolean;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
}

/** Creates a customer. @returns Its id. */
export async function makeCustomer(
  { context, merchant }: RecordStage,
  order: CustomerOrder,
): Promise<string> {
  const { status = "CREATED", linked = true } = order;
  const { firstName = "Ada", lastName = "Sample", email = "ada.sample@example.test" } = order;
  const person = { firstName, lastName, email };
  const { id: customerId } = await createCustomer(context, merchant, person);
  const move = async (goal: "activate" | "deactivate"): Promise<unknown> =>
    done(await moveCustomer(context, merchant, { customerId, move: goal }));
  if (linked) done(await linkAccount(context, merchant, { customerId, ...accountOf(order) }));
  if (status !== "CREATED") await move("activate");
  if (status === "INACTIVE") await move("deactivate");
  return customerId;
}

export interface PaymentOrder {
  /** `settled`: two weeks ago, or at `settledAt`. `held`: now. */
  readonly status: (typeof paymentStatuses)[number] | "created";
  /** Default: a new one. */
  readonly customerId?: string;
  /** Decimal text. Default 80.00. */
  readonly amount?: string;
  readonly requestKey?: string;
  readonly clientReferenceId?: string;
  readonly settledAt?: number;
}

const TWO_WEEKS_MS = 14 * 86_400_000;

/** Creates a debit of a customer with a linked account. */
export async function makePayment(
  stage: RecordStage,
  { status, amount = "80.00", settledAt, customerId: known, ...order }: PaymentOrder,
): Promise<{ paymentId: string; customerId: string }> {
  const { context, merchant } = stage;
  const customerId = known ?? (await makeCustomer(stage, {}));
  const now = await instantOf(context.driver, context.clock, merchant.clockId);
  const at = settledAt ?? (status === "settled" ? now - TWO_WEEKS_MS : now);
  const payment = { ...order, customerId, amountCents: cents(amount), createdAt: at };
  const made = await createPayment(context, merchant, payment);
  if (!made.ok) throw refuseMember("/params", `cannot be done: ${made.code}`);
  const paymentId = made.payment.id;
  const moves = {
    created: () => Promise.resolve({ ok: true } as const),
    processing: () => authorizePayment(context, merchant, { paymentId }),
    settled: () => settlePayment(context, merchant, { paymentId, settledAt: at }),
    held: () => settlePayment(context, merchant, { paymentId, settledAt: at }),
    failed: () => failPayment(context, merchant, { paymentId }),
    canceled: () => failPayment(context, merchant, { paymentId, status: "CANCELED" }),
    covered: () => coverPayment(context, merchant, { paymentId }),
  } as const;
  done(await moves[status]());
  return { paymentId, customerId };
}

export interface RefundOrder {
  readonly paymentId: string;
  readonly amountCents?: bigint;
  readonly requestKey?: string;
  readonly clientReferenceId?: string | undefined;
}

/** Refunds 10.50 unless the parameters say otherwise. @returns The refund's own id. */
export async function makeRefund(
  { context, merchant }: RecordStage,
  { paymentId, ...order }: RefundOrder,
): Promise<{ paymentId: string }> {
  const asked = await askRefund(context, merchant, {
    paymentId,
    amountCents: order.amountCents ?? 1050n,
    requestKey: order.requestKey ?? newId(context.random, "req"),
    clientReferenceId: order.clientReferenceId ?? null,
    softDescriptor: null,
  });
  if (!asked.ok) throw refuseMember("/params", `cannot be done: ${asked.code}`);
  return { paymentId: asked.refund.id };
}

/** A payment in a state or its refund, or a customer and what happens to its account. */
type Cause =
  | { readonly payment: PaymentOrder["status"]; readonly isRefunded?: true }
  | { readonly customer: CustomerOrder; readonly account?: "updated" | "deactivated" };

/** The call that ends with each kind of event. */
const causes: Readonly<Record<EventKind, Cause>> = {
  "payment.created": { payment: "created" },
  "payment.authorized": { payment: "processing" },
  "payment.succeeded": { payment: "held" },
  "payment.failed": { payment: "failed" },
  "payment.canceled": { payment: "canceled" },
  "refund.pending": { payment: "processing", isRefunded: true },
  "refund.authorized": { payment: "settled", isRefunded: true },
  "refund.failed": { payment: "failed", isRefunded: true },
  "customer.created": { customer: { linked: false } },
  "customer.activated": { customer: { status: "ACTIVE" } },
  "customer.deactivated": { customer: { status: "INACTIVE" } },
  "account.linked": { customer: { linked: true } },
  "account.updated": { customer: { linked: true }, account: "updated" },
  "account.deactivated": { customer: { linked: true }, account: "deactivated" },
};

/**
 * Causes an event of a kind. @param isFull True if the data's optional members are present.
 *
 * @returns The ids of what was made.
 */
export async function happen(
  stage: RecordStage,
  kind: EventKind,
  isFull: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const { context, merchant } = stage;
  const wanted = causes[kind];
  if ("payment" in wanted) {
    const more = isFull ? { clientReferenceId: "order-1042" } : {};
    const made = await makePayment(stage, { status: wanted.payment, ...more });
    if (wanted.isRefunded !== true) return made;
    const { customerId, paymentId: originalId } = made;
    const refund = await makeRefund(stage, { paymentId: originalId, ...more });
    return { ...refund, customerId, originalId };
  }
  const customerId = await makeCustomer(stage, { linked: isFull, ...wanted.customer });
  if (wanted.account === "updated") {
    const account = { institution: "Second Sample Bank", lastFour: "0042", type: "checking" };
    const order = { customerId, ...account, preferred: true };
    done(await linkAccount(context, merchant, order));
  }
  if (wanted.account === "deactivated")
    done(await deactivateAccount(context, merchant, { customerId }));
  return { customerId };
}

/** Decimal text as cents. */
export function cents(amount: string): bigint {
  const parsed = parseAmount(amount);
  if (!parsed.ok) throw refuseMember("/params/amount", "must be a decimal text such as 80.00");
  return parsed.cents;
}

/** @throws {Refused} `INVALID_REQUEST`: the record cannot be made. */
export function done(
  outcome: { readonly ok: true } | { readonly ok: false; readonly code: string },
): Readonly<Record<string, unknown>> {
  if (!outcome.ok) throw refuseMember("/params", `cannot be done: ${outcome.code}`);
  return {};
}
