import type { Sender, SentEvent } from "@countersign/schemas/provider-of";
import fc from "fast-check";
import type { ProviderCheck } from "../check.ts";
import {
  ALL,
  askUnsubscribe,
  emit,
  named,
  newSecret,
  onlyEvent,
  requireAddress,
  subscribe,
  typesOf,
  unsubscribe,
  UNSUBSCRIBED,
  type Details,
} from "./calls.ts";
import { eventOf } from "./event-schema.ts";
import { AttemptReader } from "../sender/attempts.ts";
import type { Endpoint } from "../harness/endpoints.ts";
import { providerCheck } from "./scenario.ts";
import { type CallAnswer, type Session, shown } from "./session.ts";

const SELECT = "P-SUBSCRIBE-SELECT";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const KEY = "P-SUBSCRIBE-KEY";

type Catalogue = readonly SentEvent[];

/** A subscription, and what it must receive. */
interface Selecting {
  readonly key: string;
  readonly endpoint: Endpoint;
  selected: ReadonlySet<string>;
  /** The selection, for messages. */
  words: string;
  requirement: string;
}

async function select(session: Session, details: Details): Promise<Selecting> {
  const { key, endpoint } = await subscribe(session, { details, requirement: SELECT });
  const selected = named(details, session.profile.catalogue);
  return { key, endpoint, selected, words: JSON.stringify(details), requirement: SELECT };
}

async function take(session: Session, from: Selecting, details: Details): Promise<void> {
  // A refused one leaves the selection as it was.
  if (!(await unsubscribe(session, { key: from.key, details }))) return;
  const away = named(details, session.profile.catalogue);
  from.selected = new Set([...from.selected].filter((type) => !away.has(type)));
  from.words += ` without ${JSON.stringify(details)}`;
  from.requirement = SUBTRACT;
}

/** Causes events of the types, and compares what arrives at each endpoint with its selection. */
async function compare(
  session: Session,
  types: readonly string[],
  all: readonly Selecting[],
): Promise<void> {
  const { profile } = session;
  const emitted: { readonly id: string; readonly type: string }[] = [];
  // In order, so that a failure reads like the catalogue.
  for (const type of types) emitted.push({ id: await emit(session, type), type });
  const reader = new AttemptReader(profile.provider);
  for (const { endpoint, selected, words, requirement } of all) {
    const wanted = emitted.filter(({ type }) => selected.has(type));
    const missing = await reader.missingAt(endpoint, wanted);
    session.expect(requirement, missing.length === 0, () => {
      return `${words}: expected ${missing.map(({ type }) => type).join(", ")}, which did not arrive`;
    });
  }
  await session.settled();
  for (const { endpoint, selected, words, requirement } of all) {
    const arrived = endpoint.attempts
      .map(({ body }) => eventOf(body, profile))
      .filter((event) => typeof event !== "string");
    const stray = arrived.find(({ type }) => !selected.has(String(type)));
    session.expect(requirement, stray === undefined, () => {
      return `${words}: got ${String(stray?.type)}, which it did not select`;
    });
    const ids = arrived.map(({ id }) => id);
    const again = ids.find((id, index) => ids.indexOf(id) !== index);
    session.expect(requirement, again === undefined, () => {
      return `${words}: got the event ${String(again)} twice, after the answer 204`;
    });
  }
}

export const subscriptions: ProviderCheck = providerCheck({
  id: "provider/subscriptions",
  title: "any sequence of subscribing and unsubscribing selects the right events",
  requirements: [SELECT, SUBTRACT, KEY],
  arbitrary: (profile) =>
    fc.record({
      subscribed: fc.array(detailsOf(profile), { minLength: 1, maxLength: 3 }),
      taken: fc.array(fc.tuple(fc.nat({ max: 2 }), detailsOf(profile)), { maxLength: 5 }),
      types: fc.subarray([...typesOf(profile)], { minLength: 1, maxLength: 2 }),
    }),
  run: async (session, { subscribed, taken, types }) => {
    const all: Selecting[] = [];
    for (const details of subscribed) {
      const one = await select(session, details);
      const isTaken = all.some(({ key }) => key === one.key);
      session.expect(KEY, !isTaken, () => `two subscriptions have the key ${one.key}`);
      all.push(one);
    }
    for (const [index, details] of taken) {
      const from = all[index % all.length];
      if (from !== undefined) await take(session, from, details);
    }
    await compare(session, types, all);
  },
});

function detailsOf({ catalogue }: Pick<Sender, "catalogue">): fc.Arbitrary<Details> {
  const names = new Set(catalogue.map(({ type }) => type));
  const categories = new Set(catalogue.map(({ category }) => category));
  const some = (values: ReadonlySet<string>, maxLength: number): fc.Arbitrary<string[]> =>
    fc.array(fc.constantFrom(...values), { minLength: 1, maxLength });
  return fc.oneof(
    some(names, 6).map((details): Details => ({ type: "EVENT", details })),
    some(categories, 3).map((details): Details => ({ type: "CATEGORY", details })),
    fc.constant<Details>(ALL),
  );
}

export const selection: ProviderCheck = providerCheck({
  id: "provider/selection",
  title: "a subscription gets exactly the events that it selected by EVENT, CATEGORY or ALL",
  requirements: [SELECT, SUBTRACT],
  run: async (session) => {
    const all = await Promise.all(
      selections(session.profile.catalogue).map(async ([details, taken]) => {
        const one = await select(session, details);
        if (taken !== undefined) await take(session, one, taken);
        return one;
      }),
    );
    const other = await session.other();
    if (other?.target.receiver !== undefined) {
      const foreign = await select(other, ALL);
      const words = "another merchant's subscription";
      all.push({ ...foreign, selected: new Set(), words });
    }
    await compare(session, typesOf(session.profile), all);
  },
});

/** Selections, with what is taken from them again. At most nine: a merchant has ten subscriptions. */
function selections(catalogue: Catalogue): readonly (readonly [Details, Details?])[] {
  const [first, second = first, third = first] = catalogue;
  const last = catalogue.at(-1);
  if (first === undefined || second === undefined || third === undefined || last === undefined)
    return [[ALL]];
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const category = (name: string): Details => ({ type: "CATEGORY", details: [name] });
  return [
    [onlyEvent(first.type)],
    [onlyEvent(second.type, last.type), onlyEvent(second.type)],
    ...categories.slice(0, 3).map((name) => [category(name)] as const),
    [ALL],
    [ALL, category(first.category)],
    [ALL, onlyEvent(third.type)],
    [category(first.category), onlyEvent(first.type)],
  ];
}

const UNKNOWN_EVENT = "P-SUBSCRIBE-UNKNOWN";
const ALL_DETAILS = "P-SUBSCRIBE-ALL-DETAILS";
const ABSENT = "P-UNSUBSCRIBE-NOT-FOUND";
const FOREIGN = "P-FOREIGN-404";
const SECRETS = "P-ANSWER-NO-SECRETS";
const CLOSED = "P-UNSUBSCRIBE-CLOSED";
const CONFLICT = "P-UNSUBSCRIBE-ID";
const ANSWER = "P-UNSUBSCRIBE-KEY";
const LIMIT = "P-SUBSCRIBE-LIMIT";

export const unsubscribing: ProviderCheck = providerCheck({
  id: "provider/unsubscribing",
  title: "a subscription is found only by its key, and closes when nothing is left",
  requirements: [
    UNKNOWN_EVENT,
    ALL_DETAILS,
    ABSENT,
    FOREIGN,
    CLOSED,
    CONFLICT,
    ANSWER,
    LIMIT,
    SECRETS,
  ],
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
    const nobodys = await askUnsubscribe(session, { key: UNSUBSCRIBED });
    session.expectStatus(ABSENT, "a key of nobody's", nobodys, 404);
    const other = await session.other();
    if (other === undefined) session.notApplicable(FOREIGN, "a second merchant is missing");
    else
      session.expectStatus(
        FOREIGN,
        "a key of another's",
        await askUnsubscribe(other, { key }),
        404,
      );
    const misspelt = await askUnsubscribe(session, { key, details: onlyEvent("no.such.event") });
    session.expectStatus(UNKNOWN_EVENT, "unsubscribing from no.such.event", misspelt, 400);
    const path = "/v1/webhook/unsubscribe?subscriptionId=sub_other";
    const json = { subscriptionId: key, subscriptionDetails: ALL };
    session.expectStatus(
      CONFLICT,
      "two keys in one call",
      await session.call("PUT", path, { json }),
      400,
    );

    const closing = await askUnsubscribe(session, { key });
    session.expectStatus(ANSWER, "unsubscribing", closing, 200);
    session.expectEqual(ANSWER, "subscriptionKey", closing.body["subscriptionKey"], key);
    const again = await askUnsubscribe(session, { key });
    session.expectStatus(CLOSED, "a closed subscription", again, 200);

    if (!session.isFresh)
      return session.notApplicable(LIMIT, "the merchant's own subscriptions would be in the way");
    // A closed one frees its place.
    for (let open = 1; open < subscription.maxPerMerchant; open += 1)
      session.expectStatus(LIMIT, `subscription ${open + 1}`, await ask(ALL), subscribed);
    const many = await ask(ALL);
    session.expect(LIMIT, many.status >= 400 && many.status < 500, () => {
      return `more than ${subscription.maxPerMerchant} subscriptions: expected a refusal, got ${shown(many)}`;
    });
  },
});
