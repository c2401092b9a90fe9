import { Matchers } from "@pact-foundation/pact";
import {
  type Given,
  type HttpInteraction,
  common,
  fromState,
  given,
  invalidCall,
  isRefused,
  json,
  like,
  named,
  reads,
  refusal,
} from "./interaction.ts";

export const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;
const dollars = (value: unknown, currency = "USD") => ({ amount: { currency, value } });
const sent = {
  paymentId: fromState("${paymentId}", "pay_1"),
  ...dollars(10.5),
  requestKey: "key-1",
};
const reference = { clientReferenceId: "order-1042" };
const failure = {
  paymentStatus: "TERMINAL_FAILED",
  errorDetails: {
    errorCode: "CUSTOMER_NOT_DEBITED",
    errorMessage: "The original debit was not successful.",
  },
};
const pending = { paymentStatus: "PENDING" };
const authorized = { paymentStatus: "AUTHORIZED" };
const settled = given("a payment", { status: "settled" });
const processing = given("a payment", { status: "processing" });
const failed = given("a payment", { status: "failed" });
const held = given("a payment", { status: "held" });
const covered = given("a payment", { status: "covered" });
const foreign = given("a payment of another merchant");
const keyedDebit = given("a debit with a requestKey", { requestKey: "key-1" });
const keyed = given("a refund with a requestKey", { requestKey: "key-1" });

const asked = (change: object = {}): HttpInteraction["request"] => ({
  method: "POST",
  path: "/v1/refunds",
  headers: common,
  body: { ...sent, ...change },
});

function made(example: {
  readonly paymentStatus: string;
  readonly clientReferenceId: string | null;
}): HttpInteraction["answer"] {
  const matched = like("refund", { paymentId: "ref_1", ...example });
  // The state decides it: another value of the enum would be another answer.
  const exact = {
    paymentStatus: Matchers.equal(example.paymentStatus),
    ...(example.clientReferenceId !== null && {
      clientReferenceId: Matchers.equal(example.clientReferenceId),
    }),
  };
  return { status: 201, headers: json, body: { ...matched, ...exact } };
}

function refunded(
  what: string,
  requirement: string,
  state: Given,
  answer: { readonly paymentStatus: string; readonly errorDetails?: object },
  more: { readonly clientReferenceId?: string; readonly softDescriptor?: string } = {},
): HttpInteraction {
  const example = { ...answer, clientReferenceId: more.clientReferenceId ?? null };
  const consume = reads((one) => one.refund({ ...order, ...more }), example);
  const told = named(`a refund ${what}`, requirement, state);
  return { ...told, request: asked(more), answer: made(example), consume };
}

function refused(
  what: string,
  requirement: string,
  state: Given | undefined,
  [status, errorCode]: readonly [number, string],
  more: {
    readonly value?: number;
    readonly paymentId?: string;
    readonly existing?: Readonly<Record<string, unknown>>;
    readonly code?: string;
  } = {},
): HttpInteraction {
  const { value = 10.5, paymentId, existing: kept, code = "CS_CALL_REFUSED" } = more;
  const other = paymentId === undefined ? {} : { paymentId };
  const call = { ...order, amount: value.toFixed(2), ...other };
  return {
    ...named(`a refund ${what}`, requirement, state),
    request: asked({ ...dollars(value), ...other }),
    answer: refusal(status, errorCode, kept && { more: kept }),
    consume: isRefused((one) => one.refund(call), { status, errorCode, code }),
  };
}

/** A refund that the client would not send. */
const invalid = (
  what: string,
  requirement: string,
  change: object,
  errorCode: string,
  pointer: string,
  fault = errorCode,
): HttpInteraction =>
  invalidCall(named(`a refund ${what}`, requirement, settled), asked(change), [
    errorCode,
    pointer,
    fault,
  ]);
const ofAmount = (what: string, value: unknown): HttpInteraction =>
  invalid(what, "P-REFUND-AMOUNT", dollars(value), "INVALID_AMOUNT", "/amount/value");

const existing = (sameRequest: boolean) => ({
  existing: {
    paymentId: Matchers.regex("[A-Za-z0-9_-]{1,64}", "ref_1"),
    paymentStatus: Matchers.equal("AUTHORIZED"),
    sameRequest: Matchers.equal(sameRequest),
  },
});
const used = [409, "DUPLICATE_REQUEST_KEY"] as const;
const notFound = [404, "PAYMENT_NOT_FOUND"] as const;
const tooMuch = [422, "REFUND_AMOUNT_EXCEEDS_REMAINING"] as const;
const whole = [422, "PAYMENT_ALREADY_REFUNDED"] as const;
const noRefund = [422, "PAYMENT_NOT_REFUNDABLE"] as const;
const code = "CS_REQUEST_KEY_USED";
const long = "of a payment that was settled long ago";
const described = { ...reference, softDescriptor: "Refund order 1042" };
const withBoth = "with a clientReferenceId and a softDescriptor";
const misspelt = "a refund with the misspelt clientRefefenceId";
const again = "that was made before, with the same requestKey";

/** `POST /v1/refunds` (S 4.1). */
export const refunds: readonly HttpInteraction[] = [
  refunded("of a payment that is processing", "P-REFUND-PENDING", processing, pending),
  refunded("of a payment that was settled today", "P-REFUND-HOLD-SETTLEMENT", held, pending),
  refunded(withBoth, "P-REFUND-REFERENCE", processing, pending, described),
  {
    ...named(misspelt, "P-REFUND-REFERENCE-ALIAS", processing),
    request: asked({ clientRefefenceId: "order-1042" }),
    answer: made({ ...pending, ...reference }),
  },
  refunded(long, "P-REFUND-IMMEDIATE", settled, authorized),
  refunded(`with a reference ${long}`, "P-REFUND-REFERENCE", settled, authorized, reference),
  refunded("of a payment that is failed", "P-REFUND-FAILED", failed, failure),
  refunded("of a payment that is covered", "P-REFUND-FAILED", covered, failure),
  refunded(
    "with a reference of a payment that is failed",
    "P-REFUND-FAILED",
    failed,
    failure,
    reference,
  ),
  {
    ...refused(again, "P-REFUND-KEY-EXISTING", keyed, used, { existing: existing(true) }),
    consume: reads((one) => one.refund(order), { recovered: true, ...authorized }),
  },
  {
    ...refused("", "P-REFUND-KEY", keyed, used, { value: 7.25, existing: existing(false), code }),
    description: "another refund with a requestKey that a refund has",
  },
  refused("with a requestKey that a debit has", "P-REFUND-KEY-DEBIT", keyedDebit, used, { code }),
  refused("of more than the payment", "P-REFUND-SUM", settled, tooMuch, { value: 80.01 }),
  refused(
    "of a payment that is wholly refunded",
    "P-REFUND-SUM",
    given("a payment that is wholly refunded"),
    whole,
  ),
  refused("of a refund", "P-REFUND-OF-REFUND", given("a refund"), noRefund),
  refused("of another merchant's payment", "P-FOREIGN-404", foreign, notFound),
  refused("of a payment that does not exist", "P-REFUND-NOT-FOUND", undefined, notFound, {
    paymentId: "pay_none",
  }),
  ofAmount("of a fraction of a cent", 10.505),
  ofAmount("of nothing", 0),
  ofAmount("of an amount that is text", "10.50"),
  invalid(
    "in another currency",
    "P-REFUND-CURRENCY",
    dollars(10.5, "EUR"),
    "UNSUPPORTED_CURRENCY",
    "/amount/currency",
  ),
  invalid(
    "with a softDescriptor of signs",
    "P-REFUND-DESCRIPTOR",
    { softDescriptor: "50% off!" },
    "INVALID_SOFT_DESCRIPTOR",
    "/softDescriptor",
  ),
  ...(
    [
      ["with an empty requestKey", "P-INPUT-PRECISE", { requestKey: "" }, "INVALID_VALUE"],
      ["with a member too many", "P-INPUT-REFUSED", { reason: "late" }, "UNKNOWN_MEMBER"],
      ["without a requestKey", "P-INPUT-PRECISE", { requestKey: undefined }, "MISSING_MEMBER"],
    ] as const
  ).map(([what, requirement, change, fault]) =>
    invalid(
      what,
      requirement,
      change,
      "INVALID_REQUEST",
      `/${Object.keys(change).join("")}`,
      fault,
    ),
  ),
];
