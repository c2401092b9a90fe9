import { Matchers } from "@pact-foundation/pact";
import { bare, client, common, expectAnswer, expectRefused } from "./calls.ts";
import { fromState, given, json, like, refusal, type HttpInteraction } from "./interaction.ts";

const path = "/v1/refunds";
const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;
const sent = {
  paymentId: fromState("${paymentId}", "pay_1"),
  amount: { currency: "USD", value: 10.5 },
  requestKey: "key-1",
};
const reference = { clientReferenceId: "order-1042" };

function asked(body: object = sent): HttpInteraction["request"] {
  return { method: "POST", path, headers: common, body };
}

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

const failed = {
  paymentStatus: "TERMINAL_FAILED",
  clientReferenceId: null,
  errorDetails: {
    errorCode: "CUSTOMER_NOT_DEBITED",
    errorMessage: "The original debit was not successful.",
  },
};

/** A refund that is refused to the client, as the client asks for it. */
function refused(
  told: Pick<HttpInteraction, "description" | "requirement" | "given">,
  [status, errorCode]: readonly [number, string],
  more: { readonly amount?: string; readonly value?: number } = {},
): HttpInteraction {
  const { amount = order.amount, value = 10.5 } = more;
  return {
    ...told,
    request: asked({ ...sent, amount: { currency: "USD", value } }),
    answer: refusal(status, errorCode),
    consume: (url) =>
      expectRefused(client(url).refund({ ...order, amount }), { status, errorCode }),
  };
}

/** A refund that the client would not send. */
function invalid(
  told: Pick<HttpInteraction, "description" | "requirement">,
  change: object,
  [errorCode, pointer, code]: readonly [string, string, string],
): HttpInteraction {
  const body = { ...sent, ...change };
  const example: object = Matchers.reify(body) as object;
  return {
    ...told,
    given: given("a payment", { status: "settled" }),
    request: asked(body),
    answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
    consume: bare({ method: "POST", path, body: JSON.stringify(example), status: 400 }),
  };
}

const settled = given("a payment", { status: "settled" });

/** `POST /v1/refunds` (S 4.1). */
export const refunds: readonly HttpInteraction[] = [
  {
    description: "a refund of a payment that is processing",
    requirement: "P-REFUND-PENDING",
    given: given("a payment", { status: "processing" }),
    request: asked(),
    answer: made({ paymentStatus: "PENDING", clientReferenceId: null }),
    consume: (url) =>
      expectAnswer(client(url).refund(order), {
        paymentStatus: "PENDING",
        clientReferenceId: null,
      }),
  },
  {
    description: "a refund of a payment that was settled today",
    requirement: "P-REFUND-HOLD-SETTLEMENT",
    given: given("a payment", { status: "held" }),
    request: asked(),
    answer: made({ paymentStatus: "PENDING", clientReferenceId: null }),
    consume: (url) => expectAnswer(client(url).refund(order), { paymentStatus: "PENDING" }),
  },
  {
    description: "a refund with a clientReferenceId and a softDescriptor",
    requirement: "P-REFUND-REFERENCE",
    given: given("a payment", { status: "processing" }),
    request: asked({ ...sent, ...reference, softDescriptor: "Refund order 1042" }),
    answer: made({ paymentStatus: "PENDING", ...reference }),
    consume: (url) =>
      expectAnswer(
        client(url).refund({ ...order, ...reference, softDescriptor: "Refund order 1042" }),
        reference,
      ),
  },
  {
    description: "a refund with the misspelt clientRefefenceId",
    requirement: "P-REFUND-REFERENCE-ALIAS",
    given: given("a payment", { status: "processing" }),
    request: asked({ ...sent, clientRefefenceId: "order-1042" }),
    answer: made({ paymentStatus: "PENDING", ...reference }),
    consume: bare({
      method: "POST",
      path,
      body: JSON.stringify({
        ...(Matchers.reify(sent) as object),
        clientRefefenceId: "order-1042",
      }),
      status: 201,
    }),
  },
  {
    description: "a refund of a payment that was settled long ago",
    requirement: "P-REFUND-IMMEDIATE",
    given: settled,
    request: asked(),
    answer: made({ paymentStatus: "AUTHORIZED", clientReferenceId: null }),
    consume: (url) => expectAnswer(client(url).refund(order), { paymentStatus: "AUTHORIZED" }),
  },
  {
    description: "a refund with a reference of a payment that was settled long ago",
    requirement: "P-REFUND-REFERENCE",
    given: settled,
    request: asked({ ...sent, ...reference }),
    answer: made({ paymentStatus: "AUTHORIZED", ...reference }),
    consume: (url) => expectAnswer(client(url).refund({ ...order, ...reference }), reference),
  },
  ...(["failed", "covered"] as const).map((status): HttpInteraction => ({
    description: `a refund of a payment that is ${status}`,
    requirement: "P-REFUND-FAILED",
    given: given("a payment", { status }),
    request: asked(),
    answer: made(failed),
    consume: (url) => expectAnswer(client(url).refund(order), failed),
  })),
  {
    description: "a refund with a reference of a payment that is failed",
    requirement: "P-REFUND-FAILED",
    given: given("a payment", { status: "failed" }),
    request: asked({ ...sent, ...reference }),
    answer: made({ ...failed, ...reference }),
    consume: (url) =>
      expectAnswer(client(url).refund({ ...order, ...reference }), { ...failed, ...reference }),
  },
  {
    description: "a refund that was made before, with the same requestKey",
    requirement: "P-REFUND-KEY-EXISTING",
    given: given("a refund with a requestKey", { requestKey: "key-1" }),
    request: asked(),
    answer: refusal(409, "DUPLICATE_REQUEST_KEY", { more: { existing: existing(true) } }),
    consume: (url) =>
      expectAnswer(client(url).refund(order), {
        recovered: true,
        paymentStatus: "AUTHORIZED",
      }),
  },
  {
    description: "another refund with a requestKey that a refund has",
    requirement: "P-REFUND-KEY",
    given: given("a refund with a requestKey", { requestKey: "key-1" }),
    request: asked({ ...sent, amount: { currency: "USD", value: 7.25 } }),
    answer: refusal(409, "DUPLICATE_REQUEST_KEY", { more: { existing: existing(false) } }),
    consume: (url) =>
      expectRefused(client(url).refund({ ...order, amount: "7.25" }), {
        code: "CS_REQUEST_KEY_USED",
        status: 409,
        errorCode: "DUPLICATE_REQUEST_KEY",
      }),
  },
  {
    description: "a refund with a requestKey that a debit has",
    requirement: "P-REFUND-KEY-DEBIT",
    given: given("a debit with a requestKey", { requestKey: "key-1" }),
    request: asked(),
    answer: refusal(409, "DUPLICATE_REQUEST_KEY"),
    consume: (url) =>
      expectRefused(client(url).refund(order), {
        code: "CS_REQUEST_KEY_USED",
        status: 409,
        errorCode: "DUPLICATE_REQUEST_KEY",
      }),
  },
  refused(
    {
      description: "a refund of more than the payment",
      requirement: "P-REFUND-SUM",
      given: settled,
    },
    [422, "REFUND_AMOUNT_EXCEEDS_REMAINING"],
    { amount: "80.01", value: 80.01 },
  ),
  refused(
    {
      description: "a refund of a payment that is wholly refunded",
      requirement: "P-REFUND-SUM",
      given: given("a payment that is wholly refunded", {}),
    },
    [422, "PAYMENT_ALREADY_REFUNDED"],
  ),
  refused(
    {
      description: "a refund of a refund",
      requirement: "P-REFUND-OF-REFUND",
      given: given("a refund", {}),
    },
    [422, "PAYMENT_NOT_REFUNDABLE"],
  ),
  refused(
    {
      description: "a refund of another merchant's payment",
      requirement: "P-FOREIGN-404",
      given: given("a payment of another merchant", {}),
    },
    [404, "PAYMENT_NOT_FOUND"],
  ),
  {
    description: "a refund of a payment that does not exist",
    requirement: "P-REFUND-NOT-FOUND",
    given: given("a merchant", {}),
    request: asked({ ...sent, paymentId: "pay_none" }),
    answer: refusal(404, "PAYMENT_NOT_FOUND"),
    consume: (url) =>
      expectRefused(client(url).refund({ ...order, paymentId: "pay_none" }), {
        status: 404,
        errorCode: "PAYMENT_NOT_FOUND",
      }),
  },
  invalid(
    { description: "a refund of a fraction of a cent", requirement: "P-REFUND-AMOUNT" },
    { amount: { currency: "USD", value: 10.505 } },
    ["INVALID_AMOUNT", "/amount/value", "INVALID_AMOUNT"],
  ),
  invalid(
    { description: "a refund of nothing", requirement: "P-REFUND-AMOUNT" },
    { amount: { currency: "USD", value: 0 } },
    ["INVALID_AMOUNT", "/amount/value", "INVALID_AMOUNT"],
  ),
  invalid(
    { description: "a refund of an amount that is text", requirement: "P-REFUND-AMOUNT" },
    { amount: { currency: "USD", value: "10.50" } },
    ["INVALID_AMOUNT", "/amount/value", "INVALID_AMOUNT"],
  ),
  invalid(
    { description: "a refund in another currency", requirement: "P-REFUND-CURRENCY" },
    { amount: { currency: "EUR", value: 10.5 } },
    ["UNSUPPORTED_CURRENCY", "/amount/currency", "UNSUPPORTED_CURRENCY"],
  ),
  invalid(
    { description: "a refund with a softDescriptor of signs", requirement: "P-REFUND-DESCRIPTOR" },
    { softDescriptor: "50% off!" },
    ["INVALID_SOFT_DESCRIPTOR", "/softDescriptor", "INVALID_SOFT_DESCRIPTOR"],
  ),
  invalid(
    { description: "a refund with an empty requestKey", requirement: "P-INPUT-PRECISE" },
    { requestKey: "" },
    ["INVALID_REQUEST", "/requestKey", "INVALID_VALUE"],
  ),
  invalid(
    { description: "a refund with a member too many", requirement: "P-INPUT-REFUSED" },
    { reason: "late" },
    ["INVALID_REQUEST", "/reason", "UNKNOWN_MEMBER"],
  ),
  {
    description: "a refund without a requestKey",
    requirement: "P-INPUT-PRECISE",
    given: settled,
    request: asked({ paymentId: sent.paymentId, amount: sent.amount }),
    answer: refusal(400, "INVALID_REQUEST", { errors: { "/requestKey": "MISSING_MEMBER" } }),
    consume: bare({
      method: "POST",
      path,
      body: JSON.stringify({ paymentId: "pay_1", amount: sent.amount }),
      status: 400,
    }),
  },
];

function existing(sameRequest: boolean): object {
  return {
    paymentId: Matchers.regex("[A-Za-z0-9_-]{1,64}", "ref_1"),
    paymentStatus: Matchers.equal("AUTHORIZED"),
    sameRequest: Matchers.equal(sameRequest),
  };
}
