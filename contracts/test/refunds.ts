import { Matchers } from "@pact-foundation/pact";
import { common, isRefused, reads } from "./calls.ts";
import {
  fromState,
  given,
  json,
  like,
  named,
  refusal,
  type HttpInteraction,
  type Named,
} from "./interaction.ts";

const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;
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
  const matched = like("resources/refund.schema.json", { paymentId: "ref_1", ...example });
  // The state decides it: another value of the enum would be another answer.
  const exact = {
    paymentStatus: Matchers.equal(example.paymentStatus),
    ...(example.clientReferenceId !== null && {
      clientReferenceId: Matchers.equal(example.clientReferenceId),
    }),
  };
  return { status: 201, headers: json, body: { ...matched, ...exact } };
}

/** A refund that is made. */
function refunded(
  told: Named,
  answer: { readonly paymentStatus: string; readonly errorDetails?: object },
  more: { readonly clientReferenceId?: string; readonly softDescriptor?: string } = {},
): HttpInteraction {
  const example = { ...answer, clientReferenceId: more.clientReferenceId ?? null };
  const consume = reads((one) => one.refund({ ...order, ...more }), example);
  return { ...told, request: asked(more), answer: made(example), consume };
}

/** A refund that is refused to the client. */
function refused(
  told: Named,
  [status, errorCode]: readonly [number, string],
  {
    value = 10.5,
    paymentId,
    more,
    code = "CS_CALL_REFUSED",
  }: {
    readonly value?: number;
    readonly paymentId?: string;
    readonly more?: Readonly<Record<string, unknown>>;
    readonly code?: string;
  } = {},
): HttpInteraction {
  const other = paymentId === undefined ? {} : { paymentId };
  const call = { ...order, amount: value.toFixed(2), ...other };
  return {
    ...told,
    request: asked({ ...dollars(value), ...other }),
    answer: refusal(status, errorCode, more && { more }),
    consume: isRefused((one) => one.refund(call), { status, errorCode, code }),
  };
}

/** A refund that the client would not send. */
const invalid = (
  told: readonly [description: string, requirement: string],
  change: object,
  [errorCode, pointer, code = errorCode]: readonly [string, string, string?],
): HttpInteraction => ({
  ...named(...told, settled),
  request: asked(change),
  answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
});

const amount = ["INVALID_AMOUNT", "/amount/value"] as const;
const existing = (sameRequest: boolean) => ({
  existing: {
    paymentId: Matchers.regex("[A-Za-z0-9_-]{1,64}", "ref_1"),
    paymentStatus: Matchers.equal("AUTHORIZED"),
    sameRequest: Matchers.equal(sameRequest),
  },
});
const used = [409, "DUPLICATE_REQUEST_KEY"] as const;
const notFound = [404, "PAYMENT_NOT_FOUND"] as const;
const keyUsed = { code: "CS_REQUEST_KEY_USED" };

/** `POST /v1/refunds` (S 4.1). */
export const refunds: readonly HttpInteraction[] = [
  refunded(
    named("a refund of a payment that is processing", "P-REFUND-PENDING", processing),
    pending,
  ),
  refunded(
    named(
      "a refund of a payment that was settled today",
      "P-REFUND-HOLD-SETTLEMENT",
      given("a payment", { status: "held" }),
    ),
    pending,
  ),
  refunded(
    named(
      "a refund with a clientReferenceId and a softDescriptor",
      "P-REFUND-REFERENCE",
      processing,
    ),
    pending,
    { ...reference, softDescriptor: "Refund order 1042" },
  ),
  {
    ...named(
      "a refund with the misspelt clientRefefenceId",
      "P-REFUND-REFERENCE-ALIAS",
      processing,
    ),
    request: asked({ clientRefefenceId: "order-1042" }),
    answer: made({ ...pending, ...reference }),
  },
  refunded(
    named("a refund of a payment that was settled long ago", "P-REFUND-IMMEDIATE", settled),
    authorized,
  ),
  refunded(
    named(
      "a refund with a reference of a payment that was settled long ago",
      "P-REFUND-REFERENCE",
      settled,
    ),
    authorized,
    reference,
  ),
  refunded(named("a refund of a payment that is failed", "P-REFUND-FAILED", failed), failure),
  refunded(
    named(
      "a refund of a payment that is covered",
      "P-REFUND-FAILED",
      given("a payment", { status: "covered" }),
    ),
    failure,
  ),
  refunded(
    named("a refund with a reference of a payment that is failed", "P-REFUND-FAILED", failed),
    failure,
    reference,
  ),
  {
    ...refused(
      named(
        "a refund that was made before, with the same requestKey",
        "P-REFUND-KEY-EXISTING",
        keyed,
      ),
      used,
      { more: existing(true) },
    ),
    consume: reads((one) => one.refund(order), { recovered: true, ...authorized }),
  },
  refused(
    named("another refund with a requestKey that a refund has", "P-REFUND-KEY", keyed),
    used,
    {
      value: 7.25,
      more: existing(false),
      ...keyUsed,
    },
  ),
  refused(
    named(
      "a refund with a requestKey that a debit has",
      "P-REFUND-KEY-DEBIT",
      given("a debit with a requestKey", { requestKey: "key-1" }),
    ),
    used,
    keyUsed,
  ),
  refused(
    named("a refund of more than the payment", "P-REFUND-SUM", settled),
    [422, "REFUND_AMOUNT_EXCEEDS_REMAINING"],
    { value: 80.01 },
  ),
  refused(
    named(
      "a refund of a payment that is wholly refunded",
      "P-REFUND-SUM",
      given("a payment that is wholly refunded", {}),
    ),
    [422, "PAYMENT_ALREADY_REFUNDED"],
  ),
  refused(named("a refund of a refund", "P-REFUND-OF-REFUND", given("a refund", {})), [
    422,
    "PAYMENT_NOT_REFUNDABLE",
  ]),
  refused(
    named(
      "a refund of another merchant's payment",
      "P-FOREIGN-404",
      given("a payment of another merchant", {}),
    ),
    notFound,
  ),
  refused(named("a refund of a payment that does not exist", "P-REFUND-NOT-FOUND"), notFound, {
    paymentId: "pay_none",
  }),
  invalid(["a refund of a fraction of a cent", "P-REFUND-AMOUNT"], dollars(10.505), amount),
  invalid(["a refund of nothing", "P-REFUND-AMOUNT"], dollars(0), amount),
  invalid(["a refund of an amount that is text", "P-REFUND-AMOUNT"], dollars("10.50"), amount),
  invalid(["a refund in another currency", "P-REFUND-CURRENCY"], dollars(10.5, "EUR"), [
    "UNSUPPORTED_CURRENCY",
    "/amount/currency",
  ]),
  invalid(
    ["a refund with a softDescriptor of signs", "P-REFUND-DESCRIPTOR"],
    { softDescriptor: "50% off!" },
    ["INVALID_SOFT_DESCRIPTOR", "/softDescriptor"],
  ),
  ...(
    [
      ["with an empty requestKey", "P-INPUT-PRECISE", { requestKey: "" }, "INVALID_VALUE"],
      ["with a member too many", "P-INPUT-REFUSED", { reason: "late" }, "UNKNOWN_MEMBER"],
      ["without a requestKey", "P-INPUT-PRECISE", { requestKey: undefined }, "MISSING_MEMBER"],
    ] as const
  ).map(([what, requirement, change, code]) =>
    invalid([`a refund ${what}`, requirement], change, [
      "INVALID_REQUEST",
      `/${Object.keys(change).join("")}`,
      code,
    ]),
  ),
];
