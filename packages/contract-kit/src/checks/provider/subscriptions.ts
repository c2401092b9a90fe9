import type { Profile } from "@countersign/schemas";
import fc from "fast-check";
import type { ProviderCheck } from "../../check.ts";
import {
  ALL,
  askUnsubscribe,
  emit,
  named,
  onlyEvent,
  requireAddress,
  shown,
  subscribe,
  typesOf,
  unsubscribe,
  type Details,
  requireStatus,
} from "../../harness/calls.ts";
import { eventOf } from "../../harness/delivered-events.ts";
import { generatedCheck, singleCheck } from "../../harness/scenario.ts";
import { openBeside, settled, type Reading, type Session } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";
import type { Place } from "../../target.ts";

const SELECT = "P-SUBSCRIBE-SELECT";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const KEY = "P-SUBSCRIBE-KEY";

type Catalogue = Profile["catalogue"];

interface Selecting {
  readonly place: Place;
  readonly selected: ReadonlySet<string>;
  readonly words: string;
  readonly requirement: string;
}

/** Causes events of the types, and compares what arrives at each place with its selection. */
async function compare(
  session: Session,
  types: readonly string[],
  places: readonly Selecting[],
): Promise<void> {
  const { profile, receiver } = session.target;
  const emitted = new Map<unknown, string>();
  // In order, so that a failure reads like the catalogue.
  for (const type of types) emitted.set(await emit(session, type), type);
  const arrived = ({ attempts }: Place) =>
    attempts.map(({ body }) => eventOf(body, profile)).filter((one) => typeof one !== "string");
  for (const { place, selected, words, requirement } of places) {
    const wanted = [...emitted].filter(([, type]) => selected.has(type));
    const missing = (): readonly string[] => {
      const ids = new Set(arrived(place).map(({ id }) => id));
      return wanted.flatMap(([id, type]) => (ids.has(id) ? [] : type));
    };
    await place.until(() => missing().length === 0, receiver?.deliveryMs ?? 0);
    must(requirement, missing().length === 0, () => {
      return `${words}: expected ${missing().join(", ")}, which did not arrive`;
    });
  }
  await settled(session);
  for (const { place, selected, words, requirement } of places) {
    const stray = arrived(place).find(({ type }) => !selected.has(String(type)));
    must(requirement, stray === undefined, () => {
      return `${words}: got ${String(stray?.type)}, which it did not select`;
    });
    const ids = arrived(place).map(({ id }) => id);
    const again = ids.find((id, index) => ids.indexOf(id) !== index);
    must(requirement, again === undefined, () => {
      return `${words}: got the event ${String(again)} twice, after the answer 204`;
    });
  }
}

export const subscriptions: ProviderCheck = generatedCheck({
  id: "provider/subscriptions",
  title: "any sequence of subscribing and unsubscribing selects the right events",
  requirements: [SELECT, SUBTRACT, KEY],
  arbitrary: (profile) =>
    fc.record({
      subscribed: fc.array(detailsOf(profile.catalogue), { minLength: 1, maxLength: 3 }),
      taken: fc.array(fc.tuple(fc.nat({ max: 2 }), detailsOf(profile.catalogue)), { maxLength: 5 }),
      types: fc.subarray([...typesOf(profile)], { minLength: 1, maxLength: 2 }),
    }),
  play: async (session, { subscribed, taken, types }) => {
    const { catalogue } = session.target.profile;
    const model = new Map<string, Selecting>();
    for (const details of subscribed) {
      const place = session.receive();
      const key = await subscribe(session, { requirement: SELECT, url: place.url, details });
      must(KEY, !model.has(key), () => `two subscriptions have the key ${key}`);
      const words = JSON.stringify(details);
      model.set(key, { place, selected: named(details, catalogue), words, requirement: SELECT });
    }
    for (const [index, details] of taken) {
      const [key, before] = [...model][index % model.size] ?? [];
      if (key === undefined || before === undefined) continue;
      await unsubscribe(session, { key, details });
      const away = named(details, catalogue);
      model.set(key, {
        place: before.place,
        selected: new Set([...before.selected].filter((type) => !away.has(type))),
        words: `${before.words} without ${JSON.stringify(details)}`,
        requirement: SUBTRACT,
      });
    }
    await compare(session, types, [...model.values()]);
  },
});

function detailsOf(catalogue: Catalogue): fc.Arbitrary<Details> {
  const names = [...new Set(catalogue.map(({ type }) => type))];
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const some = (values: readonly string[], most: number): fc.Arbitrary<string[]> =>
    fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: most });
  return fc.oneof(
    some(names, 6).map((details): Details => ({ type: "EVENT", details })),
    some(categories, 3).map((details): Details => ({ type: "CATEGORY", details })),
    fc.constant<Details>(ALL),
  );
}

export const selection: ProviderCheck = singleCheck({
  id: "provider/selection",
  title: "a subscription gets exactly the events that it selected by EVENT, CATEGORY or ALL",
  requirements: [SELECT, SUBTRACT],
  play: async (session) => {
    const { profile } = session.target;
    const places = await Promise.all(
      selections(profile.catalogue).map(async ({ details, taken }): Promise<Selecting> => {
        const place = session.receive();
        const key = await subscribe(session, { requirement: SELECT, url: place.url, details });
        if (taken !== undefined) await unsubscribe(session, { key, details: taken });
        const away = taken === undefined ? new Set() : named(taken, profile.catalogue);
        return {
          place,
          selected: new Set(
            [...named(details, profile.catalogue)].filter((type) => !away.has(type)),
          ),
          words: `${JSON.stringify(details)}${taken === undefined ? "" : ` without ${JSON.stringify(taken)}`}`,
          requirement: taken === undefined ? SELECT : SUBTRACT,
        };
      }),
    );
    // Another merchant gets nothing.
    const other = await openBeside(session);
    const foreign = other?.receive();
    if (other !== undefined && foreign !== undefined) {
      await subscribe(other, { requirement: SELECT, url: foreign.url });
      const words = "another merchant's subscription";
      places.push({ place: foreign, selected: new Set(), words, requirement: SELECT });
    }
    await compare(session, typesOf(profile), places);
  },
});

/** At most nine: a merchant has ten subscriptions. */
function selections(
  catalogue: Catalogue,
): readonly { readonly details: Details; readonly taken?: Details }[] {
  const [first, second = first, third = first] = catalogue;
  const last = catalogue.at(-1);
  if (first === undefined || second === undefined || third === undefined || last === undefined)
    return [{ details: ALL }];
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const category = (name: string): Details => ({ type: "CATEGORY", details: [name] });
  return [
    { details: onlyEvent(first.type) },
    { details: onlyEvent(second.type, last.type), taken: onlyEvent(second.type) },
    ...categories.slice(0, 3).map((name) => ({ details: category(name) })),
    { details: ALL },
    { details: ALL, taken: category(first.category) },
    { details: ALL, taken: onlyEvent(third.type) },
    { details: category(first.category), taken: onlyEvent(first.type) },
  ];
}

const UNKNOWN_EVENT = "P-SUBSCRIBE-UNKNOWN";
const ALL_DETAILS = "P-SUBSCRIBE-ALL-DETAILS";
const ABSENT = "P-UNSUBSCRIBE-NOT-FOUND";
const CLOSED = "P-UNSUBSCRIBE-CLOSED";
const CONFLICT = "P-UNSUBSCRIBE-ID";
const ANSWER = "P-UNSUBSCRIBE-KEY";
const LIMIT = "P-SUBSCRIBE-LIMIT";

export const unsubscribing: ProviderCheck = singleCheck({
  id: "provider/unsubscribing",
  title: "a subscription is found only by its key, and closes when nothing is left",
  requirements: [UNKNOWN_EVENT, ALL_DETAILS, ABSENT, CLOSED, CONFLICT, ANSWER, LIMIT],
  play: async (session) => {
    const { catalogue, statuses, subscription } = session.target.profile;
    const url = session.callbackUrl();
    const asked = (subscriptionDetails: object): Promise<Reading> => {
      const secretKey = `${session.key("secret")}-of-the-kit`;
      const json = { url, secretKey, subscriptionDetails };
      return session.call("POST", "/v1/webhook/subscribe", { json });
    };
    const made = await asked(ALL);
    requireAddress(made, url);
    requireStatus(ALL_DETAILS, "ALL without details", made, statuses.subscribed);
    for (const name of ["no.such.event", String(catalogue[0]?.type).toUpperCase()]) {
      requireStatus(UNKNOWN_EVENT, name, await asked(onlyEvent(name)), 400);
    }
    const detailed = await asked({ ...ALL, details: [catalogue[0]?.type ?? ""] });
    const isIgnored = subscription.allWithDetails === "ignore";
    requireStatus(ALL_DETAILS, "ALL with details", detailed, isIgnored ? statuses.subscribed : 400);

    const key = String(made.body["subscriptionKey"]);
    const other = await openBeside(session);
    for (const [asker, id] of [
      [session, "sub_that_is_not_there"],
      [other, key],
    ] as const) {
      if (asker === undefined) continue;
      const answer = await askUnsubscribe(asker, { key: id });
      requireStatus(ABSENT, "a key of nobody's or another's", answer, 404);
    }
    const misspelt = await askUnsubscribe(session, { key, details: onlyEvent("no.such.event") });
    requireStatus(UNKNOWN_EVENT, "unsubscribing from no.such.event", misspelt, 400);
    const path = "/v1/webhook/unsubscribe?subscriptionId=sub_other";
    const json = { subscriptionId: key, subscriptionDetails: ALL };
    requireStatus(CONFLICT, "two keys in one call", await session.call("PUT", path, { json }), 400);

    const closing = await askUnsubscribe(session, { key });
    must(ANSWER, closing.status === 200 && closing.body["subscriptionKey"] === key, () => {
      return `expected 200 with the key ${key}, got ${shown(closing)} ${closing.text}`;
    });
    const again = await askUnsubscribe(session, { key });
    const closed = { ok: 200, "not-found": 404, gone: 410 }[subscription.closed];
    requireStatus(CLOSED, "a closed subscription", again, closed);

    if (!session.isFresh)
      return { [LIMIT]: "the merchant's own subscriptions would be in the way" };
    // A closed one frees its place.
    for (let open = isIgnored ? 1 : 0; open < subscription.maxPerMerchant; open += 1)
      requireStatus(LIMIT, `subscription ${open + 1}`, await asked(ALL), statuses.subscribed);
    const many = await asked(ALL);
    must(LIMIT, many.status >= 400 && many.status < 500, () => {
      return `more than ${subscription.maxPerMerchant} subscriptions: expected a refusal, got ${shown(many)}`;
    });
    return undefined;
  },
});
