import type { Profile, RefundRequest } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import { arbitrary } from "../../derive/arbitrary.ts";
import { examples } from "../../derive/example.ts";
import { negatives, type Labelled } from "../../derive/cases.ts";
import { standardSchemas } from "../../derive/schema.ts";
import { askRefund, pay, requireStatus, UNPAID } from "../../harness/calls.ts";
import { must, mustBe } from "../../harness/judge.ts";
import type { Values } from "../../harness/provider-states.ts";
import { providerCheck } from "../../harness/scenario.ts";
import { maybe, type Reading } from "../../harness/session.ts";
import { isRecord } from "../../values.ts";

const TAKEN = "P-REFUND-VALID";
const REFERENCE = "P-REFUND-REFERENCE";
const ALIAS = "P-REFUND-REFERENCE-ALIAS";
const REFUSED = "P-INPUT-REFUSED";
const PRECISE = "P-INPUT-PRECISE";
const SECRETS = "P-ERROR-NO-SECRETS";
const NOTHING = "P-REFUND-KEY-FREE";

/** Spellings of the reference: random values would nearly always contradict each other. */
const spellings = ["right", "wrong", "both", "as it comes"] as const;

export const validRequests: ProviderCheck = providerCheck({
  id: "provider/valid-requests",
  title: "every request that fits the schema is accepted, and its reference is returned unchanged",
  requirements: [TAKEN, REFERENCE, ALIAS],
  arbitrary: () => {
    const schema = standardSchemas().document("resources/refund-request.schema.json");
    // The values of an arbitrary are of the schema that the type is generated from.
    const request = arbitrary(schema) as fc.Arbitrary<RefundRequest>;
    return fc.tuple(request, fc.constantFrom(...spellings)).map(respelt);
  },
  play: async (session, request) => {
    const { limits, refund, statuses } = session.profile;
    const { paymentId } = await pay(session);
    const json = {
      ...request,
      paymentId,
      amount: { currency: "USD", value: 0.01 },
      // Its own key, with what the schema accepts of any other one behind it.
      requestKey: `${session.key()}${request.requestKey}`.slice(0, limits.key),
    };
    const { clientReferenceId: own, clientRefefenceId: alias } = request;
    const answer = await session.call("POST", "/v1/refunds", { json });
    if (own !== undefined && alias !== undefined && own !== alias)
      return requireStatus(ALIAS, "two references", answer, 400);
    requireStatus(TAKEN, "a valid request", answer, statuses.refundCreated);
    const isAlias = own === undefined && alias !== undefined;
    const absent = refund.clientReferenceIdWhenAbsent === "null" ? null : undefined;
    const wanted = (isAlias ? alias : own) ?? absent;
    const got = answer.body["clientReferenceId"];
    mustBe(isAlias ? ALIAS : REFERENCE, "clientReferenceId", got, wanted);
  },
});

function respelt([request, spelling]: readonly [
  RefundRequest,
  (typeof spellings)[number],
]): RefundRequest {
  const { clientReferenceId: own, clientRefefenceId: alias, ...rest } = request;
  const reference = own ?? alias;
  if (reference === undefined || spelling === "as it comes") return request;
  return {
    ...rest,
    ...(spelling !== "wrong" && { clientReferenceId: reference }),
    ...(spelling !== "right" && { clientRefefenceId: reference }),
  };
}

const DESCRIPTOR = "P-REFUND-DESCRIPTOR";
/** Letters and signs that patterns for words often let through, and others. */
const OTHER_CHARACTERS = "_-.,:;'\"&/@#*+()éß²１Ａ李\t\n\u00a0";

/** Requirements of members of their own, by the member. */
const OF_MEMBERS: readonly (readonly [pointer: string, requirement: string])[] = [
  ["/amount/currency", "P-REFUND-CURRENCY"],
  ["/amount/value", "P-REFUND-AMOUNT"],
  ["/softDescriptor", DESCRIPTOR],
  ["/url", "P-SUBSCRIBE-URL"],
  ["/secretKey", "P-SUBSCRIBE-SECRET"],
  ["/subscriptionDetails", "P-SUBSCRIBE-DETAILS"],
];

/** The first is of payments. */
const calls = [
  ["refund-request", "POST", "/v1/refunds"],
  ["subscribe-request", "POST", "/v1/webhook/subscribe"],
  ["unsubscribe-request", "PUT", "/v1/webhook/unsubscribe"],
] as const;

export const invalidRequests: ProviderCheck = providerCheck({
  id: "provider/invalid-requests",
  title:
    "a request that breaks one keyword of its schema is refused with the member's pointer, and stores nothing",
  requirements: [REFUSED, PRECISE, NOTHING, SECRETS, ...OF_MEMBERS.map(([, one]) => one)],
  play: async (session) => {
    const { profile } = session;
    const { payments, refund, statuses } = profile;
    const made = payments === true ? await maybe(pay(session)) : undefined;
    // The members are validated before the payment is looked up.
    const { paymentId } = made ?? { paymentId: UNPAID };
    const requestKey = session.key();
    // Replaces the examples' values, which the service does not know.
    const known = { paymentId, requestKey, url: session.callbackUrl() };
    for (const [name, method, path] of payments === true ? calls : calls.slice(1)) {
      for (const { value, keyword, pointer } of invalidOf(name, known)) {
        if (isAccepted({ keyword, pointer }, profile)) continue;
        const answer = await session.call(method, path, { json: value });
        const what = `${method} ${path} with ${keyword} broken at ${pointer || "the body"}`;
        const [, own = REFUSED] = OF_MEMBERS.find(([at]) => pointer.startsWith(at)) ?? [];
        requireStatus(own, what, answer, 400);
        const secret = isRecord(value) ? value["secretKey"] : undefined;
        // A secret long enough to be recognized in other text.
        const isRepeated =
          typeof secret === "string" && secret.length > 8 && answer.text.includes(secret);
        must(SECRETS, !isRepeated, () => `${what}: the answer repeats the secretKey`);
        if (statuses.errorBody !== "problem") continue;
        const told = pointersOf(answer);
        const isTold = told.some((one) => isAt(one, pointer));
        must(PRECISE, isTold, () => {
          return `${what}: expected its pointer, got ${JSON.stringify(told)}`;
        });
      }
    }
    if (payments !== true) return;
    for (const character of refund.softDescriptor === "alphanumeric" ? OTHER_CHARACTERS : []) {
      const more = { softDescriptor: `a${character}b` };
      const answer = await askRefund(session, { paymentId, amount: "0.01", requestKey, more });
      const what = `a softDescriptor with ${JSON.stringify(character)}`;
      requireStatus(DESCRIPTOR, what, answer, 400);
    }
    if (made === undefined) return session.cannotShow(NOTHING, "no state prepares a payment");
    // The key that all the refused refunds had still makes one.
    const answer = await askRefund(session, { paymentId, amount: "0.01", requestKey });
    requireStatus(NOTHING, "the key of refused requests", answer, statuses.refundCreated);
  },
});

function invalidOf(name: string, known: Values): readonly Labelled[] {
  const schema = standardSchemas().document(`resources/${name}.schema.json`);
  return examples(schema, { optional: "present" }).flatMap((value) => {
    // An example of a request is an object; its alias says the same as what it is an alias of.
    const { clientRefefenceId: _, ...members } = value as Values;
    const own = Object.entries(members).map(([member, one]) => [member, known[member] ?? one]);
    return negatives(schema, Object.fromEntries(own));
  });
}

/** True if the profile accepts what the schema does not. */
function isAccepted(
  { pointer, keyword }: Pick<Labelled, "pointer" | "keyword">,
  { refund, subscription }: Profile,
): boolean {
  switch (`${pointer} ${keyword}`) {
    case "/softDescriptor pattern":
      return refund.softDescriptor !== "alphanumeric";
    case "/subscriptionId required":
      // The path or the query may name it instead.
      return subscription.idIn !== "body";
    default:
      return false;
  }
}

/** The pointers that a problem names: its schema has been checked. */
function pointersOf({ body }: Reading): readonly string[] {
  const errors = (body["errors"] ?? []) as readonly { readonly pointer: string }[];
  return errors.map(({ pointer }) => pointer);
}

/** True for the place itself and its parents: an invalid kind of a union is reported at the union or its tag. */
function isAt(told: string, pointer: string): boolean {
  return told === pointer || pointer.startsWith(`${told}/`) || told.startsWith(`${pointer}/`);
}
