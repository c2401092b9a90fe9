import { isDeepStrictEqual } from "node:util";
import { parseAmount } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import { valueAt } from "../../values.ts";
import type { ProviderCheck } from "../../check.ts";
import { subscribe } from "../../harness/calls.ts";
import { dataOf, eventOf, type DeliveredEvent } from "../../harness/delivered-events.ts";
import { singleCheck } from "../../harness/scenario.ts";
import { settled } from "../../harness/session.ts";
import { must } from "../../harness/judge.ts";
import type { Place } from "../../target.ts";
import { CAUSED, EACH, payments, people, Story, type Change, type Kind } from "./event-story.ts";

const FACTS = "P-EVENT-FACTS";
const TIMES = "P-EVENT-TIMES";

/** Milliseconds by which a clock of whole seconds may be behind. */
const SLACK_MS = 1000;
export const eventFacts: ProviderCheck = singleCheck({
  id: "provider/event-facts",
  title:
    "each change causes one event that shows the resource as it is, and a refused call causes none",
  requirements: [FACTS, CAUSED, EACH, TIMES],
  play: async (session) => {
    const { profile, receiver } = session.target;
    if (profile.refund.responsePaymentId === "original") {
      const reason = "the profile's events do not name the refund that they are of";
      return Object.fromEntries([FACTS, CAUSED, EACH, TIMES].map((id) => [id, reason]));
    }
    const place = session.receive();
    await subscribe(session, { requirement: CAUSED, url: place.url });
    const story = new Story(session);
    await payments(story);
    await people(story);
    await place.until(() => missing(story, place).length === 0, receiver?.deliveryMs ?? 0);
    await settled(session);
    judge(story, place);
    const [late] = missing(story, place);
    must(late?.kind.startsWith("refund.") === true ? EACH : CAUSED, late === undefined, () => {
      return `${late?.kind} of ${late?.id} happened, but no event of it arrived`;
    });
    return undefined;
  },
});

interface Arrived {
  readonly event: DeliveredEvent;
  /** Rows of the event's type, with the ids that they name. */
  readonly candidates: readonly {
    readonly kind: Kind;
    readonly id: string;
    readonly data: unknown;
  }[];
}

function arrivedAt({ attempts }: Place, profile: Profile): readonly Arrived[] {
  // The check of deliveries reports bodies that are not valid events.
  const events = new Map(
    attempts.flatMap(({ body }) => {
      const event = eventOf(body, profile);
      return typeof event === "string" ? [] : [[String(event.id), event] as const];
    }),
  );
  return [...events.values()].map((event) => ({
    event,
    candidates: profile.catalogue
      .filter(({ type }) => type === event.type)
      .flatMap((row) => {
        const id = String(valueAt(event.root, row.resource));
        const data = dataOf(event.root, row, profile.envelope);
        return row.kind === undefined ? [] : [{ kind: row.kind, id, data }];
      }),
  }));
}

function missing(
  { session, changes }: Story,
  place: Place,
): readonly { readonly kind: Kind; readonly id: string }[] {
  const { profile } = session.target;
  const known = new Set(profile.catalogue.map(({ kind }) => kind));
  const arrived = new Set(
    arrivedAt(place, profile).flatMap(({ candidates }) =>
      candidates.map(({ kind, id }) => `${kind} ${id}`),
    ),
  );
  return [...changes].flatMap(([id, all]) =>
    all
      .filter(({ kind, isOwed }) => isOwed && known.has(kind) && !arrived.has(`${kind} ${id}`))
      .map(({ kind }) => ({ kind, id })),
  );
}

function judge({ session, changes, always }: Story, place: Place): void {
  const { profile } = session.target;
  const seen = new Map<string, readonly unknown[]>();
  for (const { event, candidates } of arrivedAt(place, profile)) {
    const found = candidates
      .map((one) => ({
        ...one,
        change: changes.get(one.id)?.find(({ kind }) => kind === one.kind),
      }))
      .find(({ change }) => change !== undefined);
    const [{ id, kind } = { id: "", kind: "" }] = candidates;
    const named = `${String(event.type)} of ${found?.id ?? id}`;
    const change = found?.change;
    must(
      kind.startsWith("refund.") && changes.has(id) ? EACH : CAUSED,
      change !== undefined,
      () => `${named} was sent, but nothing happened that it reports`,
    );
    const name = `${found?.kind} ${found?.id}`;
    const ids = [...(seen.get(name) ?? []), event.id];
    const most =
      changes.get(found?.id ?? "")?.filter((one) => one.kind === found?.kind).length ?? 0;
    must(CAUSED, ids.length <= most, () => {
      return `${named} happened ${most === 1 ? "once" : `${most} times`}, and was sent as ${ids.join(" and as ")}`;
    });
    seen.set(name, ids);
    requireTime(String(valueAt(event.root, profile.envelope.timestamp)), named, change);
    const facts = { ...always.get(found?.id ?? ""), ...change.facts };
    requireFacts(event, { data: found?.data, named, change, facts, profile });
  }
}

function requireTime(timestamp: string, named: string, { from, to }: Change): void {
  const at = Date.parse(timestamp);
  must(TIMES, at >= from - SLACK_MS && at <= to + SLACK_MS, () => {
    const [first, last] = [from, to].map((one) => new Date(one).toISOString());
    return `${named}: it happened between ${first} and ${last}, and says ${timestamp}`;
  });
}

function requireFacts(
  event: DeliveredEvent,
  {
    data,
    named,
    change: { from, to, kind },
    facts,
    profile,
  }: {
    readonly data: unknown;
    readonly named: string;
    readonly change: Change;
    readonly facts: Change["facts"];
    readonly profile: Profile;
  },
): void {
  // An event's data is an object, or has no members to compare.
  const members = (typeof data === "object" ? data : {}) as Readonly<Record<string, unknown>>;
  for (const [name, wanted] of Object.entries(facts)) {
    const source = event.numbers.get(`${profile.envelope.data}/amount/value`);
    // Members that the profile moves or leaves out are checked by the schema.
    if (!(name in members) && name !== "settlementDate") continue;
    const got = name === "amount" ? centsOf(source) : members[name];
    const expected = name === "amount" ? centsOf(String(wanted)) : wanted;
    must(name === "settlementDate" ? TIMES : FACTS, isSame(name, got, expected), () => {
      const [a, b] = [expected, got].map((one) =>
        typeof one === "bigint" ? `${one} cents` : JSON.stringify(one),
      );
      return `${named}: expected ${name} ${a}, got ${b}`;
    });
  }
  const { creationDate } = members;
  const isNew = /\.(?:created|linked)$/.test(kind);
  if (isNew && typeof creationDate === "string") {
    const at = Date.parse(creationDate);
    must(TIMES, at >= from - SLACK_MS && at <= to + SLACK_MS, () => {
      return `${named}: created at ${new Date(from).toISOString()}, and says ${creationDate}`;
    });
  }
}

function isSame(name: string, got: unknown, wanted: unknown): boolean {
  if (name !== "settlementDate") return isDeepStrictEqual(got, wanted);
  return Math.abs(Date.parse(String(got)) - Date.parse(String(wanted))) <= SLACK_MS;
}

function centsOf(source: string | undefined): bigint | undefined {
  const parsed = parseAmount(source ?? "", { trailingZeros: "accept", exponent: "accept" });
  return parsed.ok ? parsed.cents : undefined;
}
