import { parseAmount } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import {
  askRefund,
  authorizePayment,
  coverPayment,
  createCustomer,
  createPayment,
  deactivateAccount,
  failPayment,
  instantOf,
  linkAccount,
  listEvents,
  moveCustomer,
  newId,
  oneOf,
  optional,
  settlePayment,
  text,
  type EventKind,
} from "@countersign/service/internal";
import { sampledRow } from "../samples.ts";
import { time } from "../times.ts";
import { refuseMember } from "./call.ts";
import { writeSample } from "./deliveries.ts";
import { anotherStage, done, state, type Stage, type State } from "./stage.ts";

const paymentStatuses = ["processing", "settled", "held", "failed", "canceled", "covered"] as const;

interface CustomerOrder {
  readonly status?: "CREATED" | "ACTIVE" | "INACTIVE";
  /** True if an account is linked, which is the default. */
  readonly linked?: boolean;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly financialInstitutionName?: string;
  readonly accountLastFourDigits?: string;
  readonly accountType?: string;
}

/** Creates a customer. @returns Its id. */
async function makeCustomer(
  { context, merchant }: Stage,
  { status = "CREATED", linked = true, ...order }: CustomerOrder,
): Promise<string> {
  const { firstName = "Ada", lastName = "Sample", email = "ada.sample@example.test" } = order;
  const person = { firstName, lastName, email };
  const { id: customerId } = await createCustomer(context, merchant, person);
  const move = async (goal: "activate" | "deactivate"): Promise<unknown> =>
    done(await moveCustomer(context, merchant, { customerId, move: goal }));
  if (linked)
    done(
      await linkAccount(context, merchant, {
        customerId,
        institution: order.financialInstitutionName ?? "First Sample Bank",
        lastFour: order.accountLastFourDigits ?? "6789",
        type: order.accountType ?? "checking",
        preferred: true,
      }),
    );
  if (status !== "CREATED") await move("activate");
  if (status === "INACTIVE") await move("deactivate");
  return customerId;
}

interface PaymentOrder {
  /** `settled`: two weeks ago, or at `settledAt`. `held`: now. */
  readonly status: (typeof paymentStatuses)[number];
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
async function makePayment(
  stage: Stage,
  { status, amount = "80.00", settledAt, customerId: known, ...order }: PaymentOrder,
): Promise<{ paymentId: string; customerId: string }> {
  const { context, merchant } = stage;
  const customerId = known ?? (await makeCustomer(stage, {}));
  const now = await instantOf(context.driver, context.clock, merchant.clockId);
  const at = settledAt ?? (status === "settled" ? now - TWO_WEEKS_MS : now);
  const payment = { ...order, customerId, amountCents: cents(amount), createdAt: at };
  const made = await createPayment(context, merchant, payment);
  if (!made.ok) throw refuseMember("/params", `cannot be done: ${made.code}`);
  const named = { paymentId: made.payment.id };
  switch (status) {
    case "processing":
      done(await authorizePayment(context, merchant, named));
      break;
    case "settled":
    case "held":
      done(await settlePayment(context, merchant, { ...named, settledAt: at }));
      break;
    case "failed":
      done(await failPayment(context, merchant, named));
      break;
    case "canceled":
      done(await failPayment(context, merchant, { ...named, status: "CANCELED" }));
      break;
    case "covered":
      done(await coverPayment(context, merchant, named));
      break;
    default:
      status satisfies never;
  }
  return { ...named, customerId };
}

interface RefundOrder {
  readonly paymentId: string;
  readonly amountCents?: bigint;
  readonly requestKey?: string;
  readonly clientReferenceId?: string | undefined;
}

/** Refunds 10.50 unless the parameters say otherwise. @returns The refund's own id. */
async function makeRefund(
  { context, merchant }: Stage,
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

interface EventOrder {
  readonly type: string;
  /** Presence of the data's optional members. Default `absent`. */
  readonly optional?: "present" | "absent";
}

/**
 * Causes something whose last event is of the type. A type that this service never emits is written as
 * a sample.
 */
export async function cause(
  stage: Stage,
  { type, optional: presence = "absent" }: EventOrder,
): Promise<Readonly<Record<string, unknown>>> {
  const { context, merchant } = stage;
  const row = sampledRow(context.policy.catalogue, type)?.row;
  if (row?.kind === undefined)
    return { eventId: (await writeSample({ context, merchant }, { type })).id };
  const ids = await happen(stage, row.kind, presence === "present");
  // Other calls may cause events of the type concurrently.
  const events = await listEvents(context.driver, { merchantId: merchant.id, limit: 1000 });
  const id = String(ids["paymentId"] ?? ids["customerId"]);
  const eventId = events.find((event) => event.type === type && event.payload.includes(id))?.id;
  return { ...ids, eventId };
}

async function happen(
  stage: Stage,
  kind: EventKind,
  isFull: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const more = isFull ? { clientReferenceId: "order-1042" } : {};
  const pay = (status: PaymentOrder["status"]) => makePayment(stage, { status, ...more });
  const refund = async (status: PaymentOrder["status"]) => {
    const { customerId, paymentId: originalId } = await pay(status);
    const made = await makeRefund(stage, { paymentId: originalId, ...more });
    return { ...made, customerId, originalId };
  };
  const customer = async (order: CustomerOrder) => ({
    customerId: await makeCustomer(stage, { linked: isFull, ...order }),
  });
  const linked = async () => customer({ linked: true });
  switch (kind) {
    case "payment.created":
    case "payment.authorized":
      return pay("processing");
    case "payment.succeeded":
      return pay("held");
    case "payment.failed":
      return pay("failed");
    case "payment.canceled":
      return pay("canceled");
    case "refund.pending":
      return refund("processing");
    case "refund.authorized":
      return refund("settled");
    case "refund.failed":
      return refund("failed");
    case "customer.created":
      return customer({ linked: false });
    case "customer.activated":
      return customer({ status: "ACTIVE" });
    case "customer.deactivated":
      return customer({ status: "INACTIVE" });
    case "account.linked":
      return linked();
    case "account.updated": {
      const made = await linked();
      const account = { institution: "Second Sample Bank", lastFour: "0042", type: "checking" };
      done(
        await linkAccount(stage.context, stage.merchant, { ...made, ...account, preferred: true }),
      );
      return made;
    }
    case "account.deactivated": {
      const made = await linked();
      done(await deactivateAccount(stage.context, stage.merchant, made));
      return made;
    }
    default:
      return kind satisfies never;
  }
}

/** Decimal text as cents. */
function cents(amount: string): bigint {
  const parsed = parseAmount(amount);
  if (!parsed.ok) throw refuseMember("/params/amount", "must be a decimal text such as 80.00");
  return parsed.cents;
}

const paid = {
  customerId: optional(text(64)),
  amount: optional(text(20)),
  requestKey: optional(text(255)),
  clientReferenceId: optional(text(255)),
  settledAt: optional(time),
};

/** The states of a profile with payments. */
export function paymentStates({ account }: Profile): Readonly<Record<string, State>> {
  return {
    "a customer": state(
      {
        status: optional(oneOf("CREATED", "ACTIVE", "INACTIVE")),
        linked: optional((value) => (typeof value === "boolean" ? value : undefined)),
        firstName: optional(text(255)),
        lastName: optional(text(255)),
        email: optional(text(254)),
        financialInstitutionName: optional(text(255)),
        accountLastFourDigits: optional(text(4, { min: 4, pattern: /^\d{4}$/, words: "digits" })),
        accountType: optional(oneOf(...account.types)),
      },
      async (stage, order) => ({ customerId: await makeCustomer(stage, order) }),
    ),
    "a customer of another merchant": state({}, async (stage) => ({
      customerId: await makeCustomer(await anotherStage(stage), {}),
    })),
    "a payment": state({ status: oneOf(...paymentStatuses), ...paid }, (stage, order) =>
      makePayment(stage, order),
    ),
    "a payment of another merchant": state({}, async (stage) =>
      makePayment(await anotherStage(stage), { status: "settled" }),
    ),
    "a payment that is wholly refunded": state({}, async (stage) => {
      const made = await makePayment(stage, { status: "settled" });
      await makeRefund(stage, { ...made, amountCents: cents("80.00") });
      return made;
    }),
    "a debit with a requestKey": state({ requestKey: text(255) }, async (stage, order) => {
      await makePayment(stage, { status: "processing", ...order });
      return makePayment(stage, { status: "settled" });
    }),
    "the payment settles": state(
      { paymentId: text(64), settledAt: optional(time) },
      async ({ context, merchant }, order) => done(await settlePayment(context, merchant, order)),
    ),
    "the payment fails": state(
      { paymentId: text(64), status: optional(oneOf("TERMINAL_FAILED", "CANCELED")) },
      async ({ context, merchant }, order) => done(await failPayment(context, merchant, order)),
    ),
    "the payment is covered": state({ paymentId: text(64) }, async ({ context, merchant }, order) =>
      done(await coverPayment(context, merchant, order)),
    ),
    "a refund": state({}, async (stage) =>
      makeRefund(stage, await makePayment(stage, { status: "settled" })),
    ),
    "a refund with a requestKey": state({ requestKey: text(255) }, async (stage, order) => {
      const made = await makePayment(stage, { status: "settled" });
      await makeRefund(stage, { ...made, ...order });
      return made;
    }),
  };
}
