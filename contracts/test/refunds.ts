import { Matchers } from "@pact-foundation/pact";
import { bare, client, common, expectAnswer, expectRefused } from "./calls.ts";
import {
  fromState,
  type Given,
  given,
  json,
  like,
  refusal,
  type HttpInteraction,
} from "./interaction.ts";

const path = "/v1/refunds";
const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;
const sent = {
  paymentId: fromState("${paymentId}", "pay_1"),
  amount: { currency: "USD", value: 10.5 },
  requestKey: "key-1",
};
const reference = { clientReferenceId: "order-1042" };
const failed = {
  paymentStatus: "TERMINAL_FAILED",
  errorDetails: {
    errorCode: "CUSTOMER_NOT_DEBITED",
    errorMessage: "The original debit was not successful.",
  },
};
const settled = given("a payment", { status: "settled" });
const processing = given("a payment", { status: "processing" });
const keyed = given("a refund with a requestKey", { requestKey: "key-1" });

type Told = readonly [description: string, requirement: string, state: Given];
const named = ([description, requirement, state]: Told) => ({
  description,
  requirement,
  given: state,
});

const asked = (body: object = sent): HttpInteraction["request"] => ({
  method: "POST",
  path,
  headers: common,
  body,
});

function made(example: {
  readonly paymentStatus: string;
  readonly clientReferenceId: string | null;
  readonly errorDetails?: object;
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
  told: Told,
  answer: { readonly paymentStatus: string; readonly errorDetails?: object },
  more: { readonly clientReferenceId?: string; readonly softDescriptor?: string } = {},
): HttpInteraction {
  const { clientReferenceId = null } = more;
  const example = { ...answer, clientReferenceId };
  return {
    ...named(told),
    request: asked({ ...sent, ...more }),
    answer: made(example),
    consume: (url) => expectAnswer(client(url).refund({ ...order, ...more }), example),
  };
}

/** A refund that is refused to the client. */
function refused(
  told: Told,
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
  const changes = { amount: { currency: "USD", value }, ...(paymentId && { paymentId }) };
  const call = { ...order, amount: value.toFixed(2), ...(paymentId && { paymentId }) };
  return {
    ...named(told),
    request: asked({ ...sent, ...changes }),
    answer: refusal(status, errorCode, more && { more }),
    consume: (url) => expectRefused(client(url).refund(call), { status, errorCode, code }),
  };
}

/** A refund that the client would not send. */
function invalid(
  [description, requirement]: readonly [description: string, requirement: string],
  change: object,
  [errorCode, pointer, code]: readonly [string, string, string],
): HttpInteraction {
  const members = Object.entries({ ...sent, ...change });
  const body = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  return {
    ...named([description, requirement, settled]),
    request: asked(body),
    answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
    consume: bare({
      method: "POST",
      path,
      body: JSON.stringify(Matchers.reify(body)),
      status: 400,
    }),
  };
}

const amount = ["INVALID_AMOUNT", "/amount/value", "INVALID_AMOUNT"] as const;
const existing = (sameRequest: boolean) => ({
  existing: {
    paymentId: Matchers.regex("[A-Za-z0-9_-]{1,64}", "ref_1"),
    paymentStatus: Matchers.equal("AUTHORIZED"),
    sameRequest: Matchers.equal(sameRequest),
  },
});
const used = [409, "DUPLICATE_REQUEST_KEY"] as const;

/** `POST /v1/refunds` (S 4.1). */
export const refunds: readonly HttpInteraction[] = [
  refunded(["a refund of a payment that is processing", "P-REFUND-PENDING", processing], {
    paymentStatus: "PENDING",
  }),
  refunded(
    [
      "a refund of a payment that was settled today",
      "P-REFUND-HOLD-SETTLEMENT",
      given("a payment", { status: "held" }),
    ],
    { paymentStatus: "PENDING" },
  ),
  refunded(
    ["a refund with a clientReferenceId and a softDescriptor", "P-REFUND-REFERENCE", processing],
    { paymentStatus: "PENDING" },
    { ...reference, softDescriptor: "Refund order 1042" },
  ),
  {
    ...named([
      "a refund with the misspelt clientRefefenceId",
      "P-REFUND-REFERENCE-ALIAS",
      processing,
    ]),
    request: asked({ ...sent, clientRefefenceId: "order-1042" }),
    answer: made({ paymentStatus: "PENDING", ...reference }),
    consume: bare({
      method: "POST",
      path,
      body: JSON.stringify({ ...Object(Matchers.reify(sent)), clientRefefenceId: "order-1042" }),
      status: 201,
    }),
  },
  refunded(["a refund of a payment that was settled long ago", "P-REFUND-IMMEDIATE", settled], {
    paymentStatus: "AUTHORIZED",
  }),
  refunded(
    [
      "a refund with a reference of a payment that was settled long ago",
      "P-REFUND-REFERENCE",
      settled,
    ],
    { paymentStatus: "AUTHORIZED" },
    reference,
  ),
  ...(["failed", "covered"] as const).map((status) =>
    refunded(
      [
        `a refund of a payment that is ${status}`,
        "P-REFUND-FAILED",
        given("a payment", { status }),
      ],
      failed,
    ),
  ),
  refunded(
    [
      "a refund with a reference of a payment that is failed",
      "P-REFUND-FAILED",
      given("a payment", { status: "failed" }),
    ],
    failed,
    reference,
  ),
  {
    ...refused(
      ["a refund that was made before, with the same requestKey", "P-REFUND-KEY-EXISTING", keyed],
      used,
      { more: existing(true) },
    ),
    consume: (url) =>
      expectAnswer(client(url).refund(order), { recovered: true, paymentStatus: "AUTHORIZED" }),
  },
  refused(["another refund with a requestKey that a refund has", "P-REFUND-KEY", keyed], used, {
    value: 7.25,
    more: existing(false),
    code: "CS_REQUEST_KEY_USED",
  }),
  refused(
    [
      "a refund with a requestKey that a debit has",
      "P-REFUND-KEY-DEBIT",
      given("a debit with a requestKey", { requestKey: "key-1" }),
    ],
    used,
    { code: "CS_REQUEST_KEY_USED" },
  ),
  refused(
    ["a refund of more than the payment", "P-REFUND-SUM", settled],
    [422, "REFUND_AMOUNT_EXCEEDS_REMAINING"],
    { value: 80.01 },
  ),
  refused(
    [
      "a refund of a payment that is wholly refunded",
      "P-REFUND-SUM",
      given("a payment that is wholly refunded", {}),
    ],
    [422, "PAYMENT_ALREADY_REFUNDED"],
  ),
  refused(
    ["a refund of a refund", "P-REFUND-OF-REFUND", given("a refund", {})],
    [422, "PAYMENT_NOT_REFUNDABLE"],
  ),
  refused(
    [
      "a refund of another merchant's payment",
      "P-FOREIGN-404",
      given("a payment of another merchant", {}),
    ],
    [404, "PAYMENT_NOT_FOUND"],
  ),
  refused(
    ["a refund of a payment that does not exist", "P-REFUND-NOT-FOUND", given("a merchant", {})],
    [404, "PAYMENT_NOT_FOUND"],
    { paymentId: "pay_none" },
  ),
  invalid(
    ["a refund of a fraction of a cent", "P-REFUND-AMOUNT"],
    { amount: { currency: "USD", value: 10.505 } },
    amount,
  ),
  invalid(
    ["a refund of nothing", "P-REFUND-AMOUNT"],
    { amount: { currency: "USD", value: 0 } },
    amount,
  ),
  invalid(
    ["a refund of an amount that is text", "P-REFUND-AMOUNT"],
    { amount: { currency: "USD", value: "10.50" } },
    amount,
  ),
  invalid(
    ["a refund in another currency", "P-REFUND-CURRENCY"],
    { amount: { currency: "EUR", value: 10.5 } },
    ["UNSUPPORTED_CURRENCY", "/amount/currency", "UNSUPPORTED_CURRENCY"],
  ),
  invalid(
    ["a refund with a softDescriptor of signs", "P-REFUND-DESCRIPTOR"],
    { softDescriptor: "50% off!" },
    ["INVALID_SOFT_DESCRIPTOR", "/softDescriptor", "INVALID_SOFT_DESCRIPTOR"],
  ),
  invalid(["a refund with an empty requestKey", "P-INPUT-PRECISE"], { requestKey: "" }, [
    "INVALID_REQUEST",
    "/requestKey",
    "INVALID_VALUE",
  ]),
  invalid(["a refund with a member too many", "P-INPUT-REFUSED"], { reason: "late" }, [
    "INVALID_REQUEST",
    "/reason",
    "UNKNOWN_MEMBER",
  ]),
  invalid(["a refund without a requestKey", "P-INPUT-PRECISE"], { requestKey: undefined }, [
    "INVALID_REQUEST",
    "/requestKey",
    "MISSING_MEMBER",
  ]),
];
