import type { Profile, RefundRequest } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import { arbitrary } from "../../derive/arbitrary.ts";
import { examples } from "../../derive/example.ts";
import { negatives, type Labelled } from "../../derive/cases.ts";
import { standardSchemas } from "../../derive/schema.ts";
import { askRefund, isCreated, pay, shown, requireStatus } from "../../harness/calls.ts";
import { generatedCheck, singleCheck } from "../../harness/scenario.ts";
import { maybe, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";

const TAKEN = "P-REFUND-VALID";
const REFERENCE = "P-REFUND-REFERENCE";
const ALIAS = "P-REFUND-REFERENCE-ALIAS";
const REFUSED = "P-INPUT-REFUSED";
const PRECISE = "P-INPUT-PRECISE";
const SECRETS = "P-ERROR-NO-SECRETS";
const NOTHING = "P-REFUND-KEY-FREE";

/** Spellings of the reference: random values would nearly always contradict each other. */
const spellings = ["right", "wrong", "both", "as it comes"] as const;

export const validRequests: ProviderCheck = generatedCheck({
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
    const { profile } = session.target;
    const { paymentId } = await pay(session);
    const json = {
      ...request,
      paymentId,
      amount: { currency: "USD", value: 0.01 },
      // Its own key, with what the schema accepts of any other one behind it.
      requestKey: `${session.key()}${request.requestKey}`.slice(0, profile.limits.key),
    };
    const { clientReferenceId: own, clientRefefenceId: alias } = request;
    const answer = await session.call("POST", "/v1/refunds", { json });
    const { typoAlias } = profile.refund;
    const isContradiction = own !== undefined && alias !== undefined && own !== alias;
    if (
      alias !== undefined &&
      (typoAlias === "reject" || (typoAlias === "alias" && isContradiction))
    ) {
      requireStatus(ALIAS, "two references", answer, 400);
      return;
    }
    must(TAKEN, isCreated(answer, profile), () => {
      return `a valid request: expected ${profile.statuses.refundCreated}, got ${shown(answer)}`;
    });
    const isAlias = typoAlias === "alias" && own === undefined && alias !== undefined;
    const wanted = (isAlias ? alias : own) ?? absentReference(profile);
    const got = answer.body["clientReferenceId"];
    must(isAlias ? ALIAS : REFERENCE, got === wanted, () => {
      return `expected clientReferenceId ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`;
    });
  },
});

function respelt([request, spelling]: readonly [
  RefundRequest,
  (typeof spellings)[number],
]): RefundRequest {
  const { clientReferenceId: own, clientRefefenceId: alias, ...rest } = request;
  const reference = own ?? alias;
  if (reference === undefined) return request;
  switch (spelling) {
    case "right":
      return { ...rest, clientReferenceId: reference };
    case "wrong":
      return { ...rest, clientRefefenceId: reference };
    case "both":
      return { ...rest, clientReferenceId: reference, clientRefefenceId: reference };
    case "as it comes":
      return request;
    default:
      return spelling satisfies never;
  }
}

function absentReference({ refund }: Profile): string | null | undefined {
  return { null: null, empty: "", omit: undefined }[refund.clientReferenceIdWhenAbsent];
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

export const invalidRequests: ProviderCheck = singleCheck({
  id: "provider/invalid-requests",
  title:
    "a request that breaks one keyword of its schema is refused with the member's pointer, and stores nothing",
  requirements: [REFUSED, PRECISE, NOTHING, SECRETS, ...OF_MEMBERS.map(([, one]) => one)],
  play: async (session) => {
    const { payments, refund } = session.target.profile;
    const made = payments === true ? await maybe(() => pay(session)) : undefined;
    const requestKey = session.key();
    // Replaces the examples' values, which the service does not know.
    const known: Readonly<Record<string, unknown>> = {
      // The members are validated before the payment is looked up.
      paymentId: made?.paymentId ?? "pay_that_is_not_there",
      requestKey,
      url: session.callbackUrl(),
    };
    for (const [name, method, path] of payments === true ? calls : calls.slice(1)) {
      for (const one of invalidOf(name, known)) {
        if (!isInvalid(session, one)) continue;
        const answer = await session.call(method, path, { json: one.value });
        const what = `${method} ${path} with ${one.keyword} broken at ${one.pointer || "the body"}`;
        const [, own = REFUSED] = OF_MEMBERS.find(([at]) => one.pointer.startsWith(at)) ?? [];
        requireStatus(own, what, answer, 400);
        const secret = secretOf(one.value);
        must(SECRETS, secret === undefined || !answer.text.includes(secret), () => {
          return `${what}: the answer repeats the secretKey`;
        });
        const pointers = pointersOf(session, answer);
        must(
          PRECISE,
          pointers === undefined || pointers.some((pointer) => isAt(pointer, one.pointer)),
          () => `${what}: expected its pointer, got ${JSON.stringify(pointers)}`,
        );
      }
    }
    if (payments !== true) return undefined;
    if (refund.softDescriptor === "alphanumeric") {
      for (const character of OTHER_CHARACTERS) {
        const amount = { currency: "USD", value: 0.01 };
        const paymentId = made?.paymentId ?? known["paymentId"];
        const json = { paymentId, amount, requestKey, softDescriptor: `a${character}b` };
        const answer = await session.call("POST", "/v1/refunds", { json });
        requireStatus(
          DESCRIPTOR,
          `a softDescriptor with ${JSON.stringify(character)}`,
          answer,
          400,
        );
      }
    }
    if (made === undefined) return { [NOTHING]: "no state prepares a payment" };
    // The key that all the refused refunds had still makes one.
    const answer = await askRefund(session, { ...made, amount: "0.01", requestKey });
    must(NOTHING, isCreated(answer, session.target.profile), () => {
      return `the key of refused requests stays free: expected a refund, got ${shown(answer)}`;
    });
    return undefined;
  },
});

function invalidOf(name: string, known: Readonly<Record<string, unknown>>): readonly Labelled[] {
  const schema = standardSchemas().document(`resources/${name}.schema.json`);
  return examples(schema, { optional: "present" }).flatMap((value) => {
    // An example of a request is an object; its alias says the same as what it is an alias of.
    const { clientRefefenceId: _, ...members } = value as Record<string, unknown>;
    const own = Object.entries(members).map(([member, one]) => [member, known[member] ?? one]);
    return negatives(schema, Object.fromEntries(own));
  });
}

/** A secretKey long enough to be recognized in other text. */
function secretOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("secretKey" in value)) return undefined;
  const { secretKey } = value;
  return typeof secretKey === "string" && secretKey.length > 8 ? secretKey : undefined;
}

/** True if the profile refuses it too: it may accept what the schema does not. */
function isInvalid({ target: { profile } }: Session, { pointer, keyword }: Labelled): boolean {
  const { amount, refund, subscription } = profile;
  if (pointer === "/amount/value" && keyword === "type") return amount.strings === "reject";
  if (pointer === "/softDescriptor" && keyword === "pattern")
    return refund.softDescriptor === "alphanumeric";
  // The path or the query may name it instead.
  return !(pointer === "/subscriptionId" && keyword === "required" && subscription.idIn !== "body");
}

/** The pointers that an answer names; `undefined` where the profile's form has none. */
function pointersOf({ target }: Session, { body }: Reading): readonly string[] | undefined {
  if (target.profile.statuses.errorBody !== "problem") return undefined;
  // The problem's schema has been checked: a list of objects with pointers, where it is there.
  const errors = (body["errors"] ?? []) as readonly { readonly pointer: string }[];
  return errors.map(({ pointer }) => pointer);
}

/** True for the place itself and its parents: an invalid kind of a union is reported at the union or its tag. */
function isAt(told: string, pointer: string): boolean {
  return told === pointer || pointer.startsWith(`${told}/`) || told.startsWith(`${pointer}/`);
}
