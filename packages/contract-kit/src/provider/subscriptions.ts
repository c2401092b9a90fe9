import {
  exclude,
  matches,
  select,
  type Selection,
  type SubscriptionDetails,
} from "@countersign/rules";
import type { ResolvedProfile } from "@countersign/schemas/provider-of";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import {
  ALL,
  requestUnsubscribe,
  emit,
  newSecret,
  onlyEvent,
  requireAddress,
  subscribe,
  typesOf,
  unsubscribe,
  UNKNOWN_SUBSCRIPTION,
} from "./calls.ts";
import { parseEvent } from "./event-schema.ts";
import { AttemptReader } from "../sender/attempts.ts";
import type { Endpoint } from "../harness/endpoints.ts";
import { providerCheck } from "./provider-check.ts";
import { type CallAnswer, type Session, summary } from "./session.ts";

const SELECT = "P-SUBSCRIBE-SELECT";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const KEY = "P-SUBSCRIBE-KEY";

/** A subscription, and what it must receive. */
interface Selecting {
  readonly key: string;
  readonly endpoint: Endpoint;
  selection: Selection;
  /** The selection, for messages. */
  words: string;
  requirement: string;
}

async function openSelection(session: Session, details: SubscriptionDetails): Promise<Selecting> {
  const { key, endpoint } = await subscribe(session, { details, requirement: SELECT });
  const words = JSON.stringify(details);
  return { key, endpoint, selection: select(details), words, requirement: SELECT };
}

/** Causes events of the types, and compares what arrives at each endpoint with its selection. */
async function compare(
  session: Session,
  types: readonly string[],
  all: readonly Selecting[],
): Promise<void> {
  const { profile } = session;
  const isSelected = ({ selection }: Selecting, name: unknown): boolean =>
    profile.catalogue.some((row) => row.type === name && matches(selection, row));
  const emitted: { readonly id: string; readonly type: string }[] = [];
  // In order, so that a failure reads like the catalogue.
  for (const type of types) emitted.push({ id: await emit(session, type), type });
  const reader = new AttemptReader(profile.provider);
  await Promise.all(
    all.map(async (one) => {
      const wanted = emitted.filter(({ type }) => isSelected(one, type));
      const missing = await reader.missingAt(one.endpoint, wanted);
      const lost = `${one.words}: expected ${missing.map(({ type }) => type).join(", ")}, which did not arrive`;
      session.expect(one.requirement, missing.length === 0, lost);
    }),
  );
  await session.settled();
  for (const one of all) {
    const { endpoint, words, requirement } = one;
    const arrived = endpoint.attempts
      .map(({ body }) => parseEvent(body, profile))
      .filter((event) => typeof event !== "string");
    const stray = arrived.find(({ type }) => !isSelected(one, type));
    const unselected = `${words}: got ${String(stray?.type)}, which it did not select`;
    session.expect(requirement, stray === undefined, unselected);
    const ids = arrived.map(({ id }) => id);
    const again = ids.find((id, index) => ids.indexOf(id) !== index);
    const twice = `${words}: got the event ${String(again)} twice, after the answer 204`;
    session.expect(requirement, again === undefined, twice);
  }
}

/** The subscriptions to make, the selections to remove from each, and the types of the events. */
interface Sequence {
  readonly subscribed: readonly SubscriptionDetails[];
  readonly taken: readonly (readonly [from: number, details: SubscriptionDetails])[];
  readonly types: readonly string[];
}

export const subscriptions: ProviderCheck = providerCheck<Sequence>({
  id: "provider/subscriptions",
  title:
    "any sequence of subscribing and unsubscribing by EVENT, CATEGORY or ALL selects the right events",
  example: everySelection,
  arbitrary: (profile) =>
    fc.record({
      subscribed: fc.array(detailsOf(profile), { minLength: 1, maxLength: 3 }),
      taken: fc.array(fc.tuple(fc.nat({ max: 2 }), detailsOf(profile)), { maxLength: 5 }),
      types: fc.subarray([...typesOf(profile)], { minLength: 1, maxLength: 2 }),
    }),
  run: async (session, { subscribed, taken, types }) => {
    const all: Selecting[] = [];
    for (const details of subscribed) {
      const one = await openSelection(session, details);
      const isTaken = all.some(({ key }) => key === one.key);
      session.expect(KEY, !isTaken, `two subscriptions have the key ${one.key}`);
      all.push(one);
    }
    for (const [index, details] of taken) {
      const from = all[index % all.length];
      // A refused one leaves the selection as it was.
      if (from === undefined || !(await unsubscribe(session, { key: from.key, details }))) continue;
      from.selection = exclude(from.selection, details);
      from.words += ` without ${JSON.stringify(details)}`;
      from.requirement = SUBTRACT;
    }
    const other = await session.other();
    if (other?.target.receiver !== undefined) {
      const [selection, words] = [exclude(select(ALL), ALL), "another merchant's subscription"];
      all.push({ ...(await openSelection(other, ALL)), selection, words });
    }
    await compare(session, types, all);
  },
});

function detailsOf({ catalogue }: ResolvedProfile): fc.Arbitrary<SubscriptionDetails> {
  const some = (values: readonly string[], maxLength: number): fc.Arbitrary<string[]> =>
    fc.array(fc.constantFrom(...new Set(values)), { minLength: 1, maxLength });
  const [types, categories] = [
    catalogue.map((row) => row.type),
    catalogue.map((row) => row.category),
  ];
  return fc.oneof(
    some(types, 6).map((details) => ({ type: "EVENT" as const, details })),
    some(categories, 3).map((details) => ({ type: "CATEGORY" as const, details })),
    fc.constant(ALL),
  );
}

/** Every kind of selection, some with a part taken away, and an event of each type. A merchant has ten subscriptions. */
function everySelection(profile: ResolvedProfile): Sequence {
  const [first, second = first, third = first, ...others] = typesOf(profile);
  const categories = [...new Set(profile.catalogue.map(({ category }) => category))];
  const [category = ALL, ...more] = categories.slice(0, 3).map((name): SubscriptionDetails => {
    return { type: "CATEGORY", details: [name] };
  });
  const both = onlyEvent(second, others.at(-1) ?? first);
  return {
    subscribed: [both, ALL, ALL, category, onlyEvent(first), category, ...more, ALL],
    taken: [
      [0, onlyEvent(second)],
      [1, category],
      [2, onlyEvent(third)],
      [3, onlyEvent(first)],
    ],
    types: typesOf(profile),
  };
}

const UNKNOWN_EVENT = "P-SUBSCRIBE-UNKNOWN";
const ALL_DETAILS = "P-SUBSCRIBE-ALL-DETAILS";
const ABSENT = "P-UNSUBSCRIBE-NOT-FOUND";
const FOREIGN = "P-FOREIGN-404";
const CLOSED = "P-UNSUBSCRIBE-CLOSED";
const ANSWER = "P-UNSUBSCRIBE-KEY";
const LIMIT = "P-SUBSCRIBE-LIMIT";

export const unsubscribing: ProviderCheck = providerCheck({
  id: "provider/unsubscribing",
  title: "a subscription is found only by its key, and closes when nothing is left",
  run: async (session) => {
    const { catalogue, statuses, subscription } = session.profile;
    const { subscribed } = statuses;
    const url = session.callbackUrl();
    const ask = (subscriptionDetails: object): Promise<CallAnswer> => {
      const json = { url, secretKey: newSecret(session), subscriptionDetails };
      return session.call("POST", "/v1/webhook/subscribe", { json });
    };
    const made = await ask(ALL);
    requireAddress(made, url);
    if (!session.expectStatus(ALL_DETAILS, "ALL without details", made, subscribed)) return;
    for (const name of ["no.such.event", String(catalogue[0]?.type).toUpperCase()])
      session.expectStatus(UNKNOWN_EVENT, name, await ask(onlyEvent(name)), 400);
    const detailed = await ask({ ...ALL, details: [catalogue[0]?.type ?? ""] });
    session.expectStatus(ALL_DETAILS, "ALL with details", detailed, subscribed);

    const key = String(made.body["subscriptionKey"]);
    const nobodys = await requestUnsubscribe(session, { key: UNKNOWN_SUBSCRIPTION });
    session.expectStatus(ABSENT, "a key of nobody's", nobodys, 404);
    const other = await session.other();
    if (other === undefined) session.notApplicable(FOREIGN, "a second merchant is missing");
    else {
      const theirs = await requestUnsubscribe(other, { key });
      session.expectStatus(FOREIGN, "a key of another's", theirs, 404);
    }
    const details = onlyEvent("no.such.event");
    const misspelt = await requestUnsubscribe(session, { key, details });
    session.expectStatus(UNKNOWN_EVENT, "unsubscribing from no.such.event", misspelt, 400);
    const path = "/v1/webhook/unsubscribe?subscriptionId=sub_other";
    const json = { subscriptionId: key, subscriptionDetails: ALL };
    const both = await session.call("PUT", path, { json });
    session.expectStatus("P-UNSUBSCRIBE-ID", "two keys in one call", both, 400);

    const closing = await requestUnsubscribe(session, { key });
    session.expectStatus(ANSWER, "unsubscribing", closing, 200);
    session.expectEqual(ANSWER, "subscriptionKey", closing.body["subscriptionKey"], key);
    const again = await requestUnsubscribe(session, { key });
    session.expectStatus(CLOSED, "a closed subscription", again, 200);

    if (!session.isFresh)
      return session.notApplicable(LIMIT, "the merchant's own subscriptions would be in the way");
    // A closed one frees its place.
    for (let open = 1; open < subscription.maxPerMerchant; open += 1)
      session.expectStatus(LIMIT, `subscription ${open + 1}`, await ask(ALL), subscribed);
    const many = await ask(ALL);
    const beyond = `more than ${subscription.maxPerMerchant} subscriptions: expected a refusal, got ${summary(many)}`;
    session.expect(LIMIT, many.status >= 400 && many.status < 500, beyond);
  },
});
