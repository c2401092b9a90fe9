import fc from "fast-check";
import type { Profile } from "@countersign/schemas";
import type { ProviderCheck } from "../../check.ts";
import { playScenario } from "../../harness/scenario.ts";
import type { Session } from "../../harness/session.ts";
import { named, subscribe, typesOf, unsubscribe, type Details } from "./subscription-calls.ts";
import { must } from "../../harness/violation.ts";

const SELECT = "P-SUBSCRIBE-SELECT";
const SUBTRACT = "P-UNSUBSCRIBE-SUBTRACT";
const requirements = [SELECT, SUBTRACT, "P-SUBSCRIBE-KEY", "P-ANSWER-SCHEMA"];

/** Any sequence of subscribing and unsubscribing selects what sets of event names would. */
export const subscriptions: ProviderCheck = {
  id: "provider/subscriptions",
  title: "subscribing and unsubscribing, in any sequence, equals the algebra of sets",
  role: "provider",
  requirements,
  run: (target, context) => {
    const { catalogue } = target.profile;
    const arbitrary = fc.record({
      subscribed: fc.array(detailsOf(catalogue), { minLength: 1, maxLength: 3 }),
      taken: fc.array(fc.tuple(fc.nat({ max: 2 }), detailsOf(catalogue)), { maxLength: 5 }),
    });
    return playScenario(
      { requirements, needs: ["subscriptionsOf"], arbitrary, play },
      target,
      context,
    );
  },
};

type Catalogue = Profile["catalogue"];

interface Sequence {
  readonly subscribed: readonly Details[];
  /** Which subscription, and what is taken away from it. */
  readonly taken: readonly (readonly [number, Details])[];
}

function detailsOf(catalogue: Catalogue): fc.Arbitrary<Details> {
  const names = [...new Set(catalogue.map(({ type }) => type))];
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  const some = (values: readonly string[], most: number): fc.Arbitrary<string[]> =>
    fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: most });
  return fc.oneof(
    some(names, 6).map((details): Details => ({ type: "EVENT", details })),
    some(categories, 3).map((details): Details => ({ type: "CATEGORY", details })),
    fc.constant<Details>({ type: "ALL" }),
  );
}

async function play(session: Session, { subscribed, taken }: Sequence): Promise<void> {
  const { events } = session.controls;
  const { profile } = session.target;
  const subscriptionsOf = events?.subscriptionsOf;
  if (events === undefined || subscriptionsOf === undefined) return;
  const model = new Map<string, ReadonlySet<string>>();
  for (const details of subscribed) {
    const key = await subscribe(session, { requirement: SELECT, url: events.callbackUrl, details });
    must("P-SUBSCRIBE-KEY", !model.has(key), () => `two subscriptions have the key ${key}`);
    model.set(key, named(details, profile.catalogue));
  }
  for (const [index, details] of taken) {
    const [key, left] = [...model][index % model.size] ?? ["", new Set<string>()];
    await unsubscribe(session, { key, details });
    const away = named(details, profile.catalogue);
    model.set(key, new Set([...left].filter((type) => !away.has(type))));
  }
  const requirement = taken.length === 0 ? SELECT : SUBTRACT;
  const deliveries = await Promise.all(
    typesOf(profile).map(async (type) => ({
      type,
      sent: await subscriptionsOf(await events.emit(type)),
    })),
  );
  for (const { type, sent } of deliveries) {
    const wanted = [...model].filter(([, selected]) => selected.has(type)).map(([key]) => key);
    must(
      requirement,
      isSame(sent, wanted),
      () => `${type} must go to ${list(wanted)}, and goes to ${list(sent)}`,
    );
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());
}

function list(keys: readonly string[]): string {
  return keys.length === 0 ? "nobody" : keys.join(", ");
}
