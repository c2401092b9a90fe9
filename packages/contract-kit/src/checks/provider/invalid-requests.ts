import type { ProviderCheck } from "../../check.ts";
import { examples } from "../../derive/example.ts";
import type { Labelled } from "../../derive/labelled.ts";
import { negatives } from "../../derive/negative.ts";
import { standardSchemas } from "../../derive/schema-set.ts";
import { isCreated, shown } from "./refunds.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import type { Reading, Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const REFUSED = "P-INPUT-REFUSED";
const PRECISE = "P-INPUT-PRECISE";
const SECRETS = "P-ERROR-NO-SECRETS";
const NOTHING = "P-REFUND-KEY-FREE";

/** Requirements of members of their own, by the member. */
const OF_MEMBERS: readonly (readonly [pointer: string, requirement: string])[] = [
  ["/amount/currency", "P-REFUND-CURRENCY"],
  ["/amount/value", "P-REFUND-AMOUNT"],
  ["/softDescriptor", "P-REFUND-DESCRIPTOR"],
  ["/url", "P-SUBSCRIBE-URL"],
  ["/secretKey", "P-SUBSCRIBE-SECRET"],
  ["/subscriptionDetails", "P-SUBSCRIBE-DETAILS"],
];
const requirements = [
  REFUSED,
  PRECISE,
  NOTHING,
  SECRETS,
  ...OF_MEMBERS.map(([, requirement]) => requirement),
  "P-ANSWER-SCHEMA",
];

/** Requests that break one keyword of their schema each. */
export const invalidRequests: ProviderCheck = {
  id: "provider/invalid-requests",
  title:
    "a request that breaks one keyword of its schema is refused with the place, and stores nothing",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: [], play }, target, context),
};

const calls = [
  ["refund-request", "POST", "/v1/refunds"],
  ["subscribe-request", "POST", "/v1/webhook/subscribe"],
  ["unsubscribe-request", "PUT", "/v1/webhook/unsubscribe"],
] as const;

async function play(session: Session): Promise<Unseen | void> {
  const made = await session.controls.payments?.create(10_000n);
  const requestKey = session.key();
  // In place of the examples' own values, which no service knows.
  const known: Readonly<Record<string, unknown>> = {
    // The members are judged before the payment is looked for.
    paymentId: made?.paymentId ?? "pay_that_is_not_there",
    requestKey,
    url: session.callbackUrl(),
  };
  for (const [name, method, path] of calls) {
    for (const one of invalidOf(name, known)) {
      if (!isInvalid(session, one)) continue;
      const answer = await session.call(method, path, { json: one.value });
      const what = `${method} ${path} with ${one.keyword} broken at ${one.pointer || "the body"}`;
      const [, own = REFUSED] = OF_MEMBERS.find(([at]) => one.pointer.startsWith(at)) ?? [];
      must(own, answer.status === 400, () => `${what}: 400 expected, ${shown(answer)} came`);
      const secret = secretOf(one.value);
      must(SECRETS, secret === undefined || !answer.text.includes(secret), () => {
        return `${what}: the answer repeats the secretKey`;
      });
      const pointers = pointersOf(session, answer);
      must(
        PRECISE,
        pointers === undefined || pointers.some((pointer) => isAt(pointer, one.pointer)),
        () => `${what}: its pointer expected, ${JSON.stringify(pointers)} came`,
      );
    }
  }
  if (made === undefined) return { [NOTHING]: "there is no control that makes a payment" };
  return requireFreeKey(session, { paymentId: made.paymentId, requestKey });
}

function invalidOf(name: string, known: Readonly<Record<string, unknown>>): readonly Labelled[] {
  const schema = standardSchemas().document(`resources/${name}.schema.json`);
  return examples(schema, { optional: "present" }).flatMap((value) => {
    // An example of a request is an object; its alias says the same as what it is an alias of.
    const { clientRefefenceId: _, ...members } = value as Record<string, unknown>;
    const own = Object.entries(members).map(([member, one]) => [member, known[member] ?? one]);
    return negatives(schema, Object.fromEntries(own));
  });
}

/** A secretKey that is long enough to be told from other words. */
function secretOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("secretKey" in value)) return undefined;
  const { secretKey } = value;
  return typeof secretKey === "string" && secretKey.length > 8 ? secretKey : undefined;
}

/** Whether the profile refuses it too: it may take what the schema does not. */
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

/** The place itself, or what it stands in: a wrong kind of a union is told at the union or its tag. */
function isAt(told: string, pointer: string): boolean {
  return told === pointer || pointer.startsWith(`${told}/`) || told.startsWith(`${pointer}/`);
}

/** The key that all the refused refunds had still makes one. */
async function requireFreeKey(
  session: Session,
  given: { readonly paymentId: string; readonly requestKey: string },
): Promise<void> {
  const json = { ...given, amount: { currency: "USD", value: 0.01 } };
  const answer = await session.call("POST", "/v1/refunds", { json });
  must(NOTHING, isCreated(answer, session.target.profile), () => {
    return `the key of refused requests must be free: a refund expected, ${shown(answer)} came`;
  });
}
