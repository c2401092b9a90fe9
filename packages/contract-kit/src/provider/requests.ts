import type { Profile, RefundRequest } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import { arbitrary } from "../derive/arbitrary.ts";
import { examples, negatives, type Labelled } from "../derive/cases.ts";
import { schemaNamed, standardSchemas } from "../derive/schema.ts";
import { requestRefund, isCreated, prepareDebit, UNKNOWN_PAYMENT } from "./calls.ts";
import type { Values } from "./provider-states.ts";
import { providerCheck } from "./provider-check.ts";
import { maybe, type CallAnswer } from "./session.ts";
import { isRecord } from "../values.ts";

const REFERENCE = "P-REFUND-REFERENCE";
const ALIAS = "P-REFUND-REFERENCE-ALIAS";
const REFUSED = "P-INPUT-REFUSED";
const PRECISE = "P-INPUT-PRECISE";
const NOTHING = "P-REFUND-KEY-FREE";

/** References that a careless service changes: decomposed letters, spaces, the longest, beyond 16 bits. */
const REFERENCES = ["Zoe\u0301 Mu\u0308ller", "e\u0301".repeat(127), " réf  42 ", "\u{1F98A}0e1"];

export const validRequests: ProviderCheck = providerCheck({
  id: "provider/valid-requests",
  title: "every request that fits the schema is accepted, and its reference is returned unchanged",
  arbitrary: () => {
    const schema = schemaNamed(standardSchemas(), "refund-request");
    // The values of an arbitrary are of the schema that the type is generated from.
    const request = arbitrary(schema) as fc.Arbitrary<RefundRequest>;
    // Of both spellings, random values would nearly always contradict each other.
    const respelt = fc
      .constantFrom(...REFERENCES)
      .chain((clientReferenceId) =>
        fc.constantFrom(
          { clientReferenceId, clientRefefenceId: undefined },
          { clientReferenceId: undefined, clientRefefenceId: clientReferenceId },
          { clientReferenceId, clientRefefenceId: clientReferenceId },
          { clientReferenceId: undefined, clientRefefenceId: undefined },
          {},
        ),
      );
    return fc.tuple(request, respelt).map(([own, reference]) => ({ ...own, ...reference }));
  },
  run: async (session, request) => {
    const { limits, refund, statuses } = session.profile;
    const { softDescriptor, clientReferenceId: own, clientRefefenceId: alias } = request;
    const { paymentId } = await prepareDebit(session);
    const json = {
      ...request,
      // Some read "alphanumeric" without spaces; the check of invalid requests judges that.
      ...(softDescriptor !== undefined && { softDescriptor: softDescriptor.replaceAll(" ", "x") }),
      paymentId,
      amount: { currency: "USD", value: 0.01 },
      // Its own key, with what the schema accepts of any other one behind it.
      requestKey: `${session.key()}${request.requestKey}`.slice(0, limits.key),
    };
    const answer = await session.call("POST", "/v1/refunds", { json });
    if (own !== undefined && alias !== undefined && own !== alias) {
      session.expectStatus(ALIAS, "two references", answer, 400);
      return;
    }
    if (!session.expectStatus("P-REFUND-VALID", "a valid request", answer, statuses.refundCreated))
      return;
    const isAlias = own === undefined && alias !== undefined;
    const absent = refund.clientReferenceIdWhenAbsent === "null" ? null : undefined;
    const wanted = (isAlias ? alias : own) ?? absent;
    const got = answer.body["clientReferenceId"];
    session.expectEqual(isAlias ? ALIAS : REFERENCE, "clientReferenceId", got, wanted);
  },
});

const DESCRIPTOR = "P-REFUND-DESCRIPTOR";
const CURRENCY = "P-REFUND-CURRENCY";
/** Letters and signs that patterns for words often let through, and others. */
const OTHER_CHARACTERS = "_-.,:;'\"&/@#*+()éß²１Ａ李\t\n\u00a0";
const CURRENCIES = ["usd", "Usd", "USD ", "EUR", "840", ""];

/** Requirements of members of their own, by the member. */
const OF_MEMBERS: readonly (readonly [pointer: string, requirement: string])[] = [
  ["/amount/currency", CURRENCY],
  ["/amount/value", "P-REFUND-AMOUNT"],
  ["/softDescriptor", DESCRIPTOR],
  ["/url", "P-SUBSCRIBE-URL"],
  ["/secretKey", "P-SUBSCRIBE-SECRET"],
  ["/subscriptionDetails", "P-SUBSCRIBE-DETAILS"],
];

const calls = [
  ["refund-request", "POST", "/v1/refunds"],
  ["subscribe-request", "POST", "/v1/webhook/subscribe"],
  ["unsubscribe-request", "PUT", "/v1/webhook/unsubscribe"],
] as const;

export const invalidRequests: ProviderCheck = providerCheck({
  id: "provider/invalid-requests",
  title:
    "a request that breaks one keyword of its schema is refused with the member's pointer, and stores nothing",
  run: async (session) => {
    const { profile } = session;
    const { refund, statuses } = profile;
    const { refundCreated } = statuses;
    const made = await maybe(prepareDebit(session));
    // The members are validated before the payment is looked up.
    const { paymentId } = made ?? { paymentId: UNKNOWN_PAYMENT };
    const requestKey = session.key();
    let freeKey = requestKey;
    /** Sends the key that all the refused refunds have had; one that is accepted uses it up. */
    const send = async (method: string, path: string, value: unknown): Promise<CallAnswer> => {
      const hasKey = isRecord(value) && value["requestKey"] === requestKey;
      const json = hasKey ? { ...value, requestKey: freeKey } : value;
      const answer = await session.call(method, path, { json });
      if (hasKey && isCreated(answer, profile)) freeKey = session.key();
      return answer;
    };
    // Replaces the examples' values, which the service does not know.
    const known = { paymentId, requestKey, url: session.callbackUrl() };
    for (const [name, method, path] of calls) {
      for (const invalid of invalidOf(name, known)) {
        const { value, keyword, pointer } = invalid;
        if (isAccepted(invalid, profile)) continue;
        const secret = isRecord(value) ? value["secretKey"] : undefined;
        if (typeof secret === "string") session.scenario.secrets.add(secret);
        const answer = await send(method, path, value);
        const what = `${method} ${path} with ${keyword} broken at ${pointer || "the body"}`;
        const [, own = REFUSED] = OF_MEMBERS.find(([at]) => pointer.startsWith(at)) ?? [];
        const isRefused = session.expectStatus(own, what, answer, 400);
        if (statuses.errorBody !== "problem" || !isRefused) continue;
        const named = pointersOf(answer);
        // An invalid kind of a union is reported at the union or its tag.
        const isNamed = named.some((one) => isWithin(one, pointer) || isWithin(pointer, one));
        const unnamed = `${what}: expected its pointer, got ${JSON.stringify(named)}`;
        session.expect(PRECISE, isNamed, unnamed);
      }
    }
    const amount = { currency: "USD", value: 0.01 };
    const others = refund.softDescriptor === "alphanumeric" ? OTHER_CHARACTERS.split("") : [];
    // Many patterns let a line break pass at the end.
    for (const softDescriptor of [...others.map((one) => `a${one}b`), "abc\n", "\nabc"]) {
      const json = { paymentId, requestKey, amount, softDescriptor };
      const answer = await send("POST", "/v1/refunds", json);
      const what = `the softDescriptor ${JSON.stringify(softDescriptor)}`;
      session.expectStatus(DESCRIPTOR, what, answer, 400);
    }
    for (const currency of CURRENCIES) {
      const json = { paymentId, requestKey, amount: { ...amount, currency } };
      const answer = await send("POST", "/v1/refunds", json);
      session.expectStatus(CURRENCY, `the currency ${JSON.stringify(currency)}`, answer, 400);
    }
    if (made === undefined) return session.notApplicable(NOTHING, "no state prepares a payment");
    const spaced = { paymentId, amount: "0.01", more: { softDescriptor: "Refund 1042" } };
    const described = await requestRefund(session, spaced);
    session.expectStatus(DESCRIPTOR, "a softDescriptor with a space", described, refundCreated);
    const refused = { paymentId, amount: "0.01", requestKey: freeKey };
    const answer = await requestRefund(session, refused);
    session.expectStatus(NOTHING, "the key of refused requests", answer, refundCreated);
  },
});

function invalidOf(name: string, known: Values): readonly Labelled[] {
  const schema = schemaNamed(standardSchemas(), name);
  return examples(schema, { optional: "present" }).flatMap((value) => {
    // An example of a request is an object; its alias says the same as what it is an alias of.
    const { clientRefefenceId: _, ...members } = value as Values;
    const own = Object.entries(members).map(([member, one]) => [member, known[member] ?? one]);
    try {
      return negatives(schema, Object.fromEntries(own));
    } catch {
      // The service's ids are not those of the schema: the members are validated before the ids are looked up.
      return negatives(schema, members);
    }
  });
}

/** True if the profile accepts what the schema does not. */
function isAccepted({ pointer, keyword }: Labelled, { refund, subscription }: Profile): boolean {
  const place = `${pointer} ${keyword}`;
  // The path or the query may name a subscription instead of the body.
  return (
    (place === "/softDescriptor pattern" && refund.softDescriptor !== "alphanumeric") ||
    (place === "/subscriptionId required" && subscription.idIn !== "body")
  );
}

function pointersOf({ body }: CallAnswer): readonly string[] {
  const errors: unknown = body["errors"];
  return (Array.isArray(errors) ? errors : []).flatMap((one: unknown) =>
    isRecord(one) && typeof one["pointer"] === "string" ? one["pointer"] : [],
  );
}

const isWithin = (pointer: string, place: string): boolean => `${pointer}/`.startsWith(`${place}/`);
