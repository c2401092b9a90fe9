import { isDeepStrictEqual } from "node:util";
import { valueAt } from "@countersign/schemas";
import type { ResolvedProfile } from "@countersign/schemas/provider-of";
import type { ProviderCheck } from "../check.ts";
import { subscribe } from "./calls.ts";
import { dataOf, parseEvent, type DeliveredEvent } from "./event-schema.ts";
import type { Endpoint } from "../harness/endpoints.ts";
import { providerCheck } from "./provider-check.ts";
import { StateMissing } from "./provider-states.ts";
import { isoTime, type Session } from "./session.ts";
import { isRecord } from "../values.ts";
import {
  CAUSED,
  EACH,
  payments,
  people,
  ChangeLog,
  type Change,
  type Kind,
} from "./event-changes.ts";

const FACTS = "P-EVENT-FACTS";
const TIMES = "P-EVENT-TIMES";

/** Milliseconds by which a clock of whole seconds may be behind. */
const SLACK_MS = 1000;

export const eventFacts: ProviderCheck = providerCheck({
  id: "provider/event-facts",
  title:
    "each change causes one event that shows the resource as it is, and a refused call causes none",
  run: async (session) => {
    if (session.profile.refund.responsePaymentId === "original")
      throw new StateMissing("the profile's events do not name the refund that they are of");
    const { endpoint } = await subscribe(session);
    const log = new ChangeLog(session);
    await payments(log);
    await people(log);
    await endpoint.until(() => missing(log, endpoint).length === 0);
    await session.settled();
    compare(log, endpoint);
    for (const { kind, id } of missing(log, endpoint)) {
      const absent = `${kind} of ${id} happened, but no event of it arrived`;
      session.expect(kind.startsWith("refund.") ? EACH : CAUSED, false, absent);
    }
  },
});

interface Candidate {
  readonly kind: Kind;
  readonly id: string;
  readonly data: unknown;
}

interface Arrived {
  readonly event: DeliveredEvent;
  /** Rows of the event's type, with the ids that they name. */
  readonly candidates: readonly Candidate[];
}

/** The events at an endpoint, each once. The check of deliveries reports bodies that are not valid events. */
function arrivedAt({ attempts }: Endpoint, profile: ResolvedProfile): readonly Arrived[] {
  const events = attempts
    .map(({ body }) => parseEvent(body, profile))
    .filter((event) => typeof event !== "string");
  return [...new Map(events.map((event) => [String(event.id), event])).values()].map((event) => {
    const candidates = profile.catalogue.flatMap((row) => {
      if (row.type !== event.type || row.kind === undefined) return [];
      const id = String(valueAt(event.root, row.resource));
      return { kind: row.kind, id, data: dataOf(event.root, row, profile.envelope) };
    });
    return { event, candidates };
  });
}

/** Changes whose events have not arrived. */
function missing({ session, changes }: ChangeLog, endpoint: Endpoint): readonly Change[] {
  const { profile } = session;
  const known = new Set(profile.catalogue.map(({ kind }) => kind));
  const candidates = arrivedAt(endpoint, profile).flatMap((one) => one.candidates);
  const arrived = new Set(candidates.map(({ kind, id }) => `${kind} ${id}`));
  return changes.filter(
    ({ kind, id, isSure }) => isSure && known.has(kind) && !arrived.has(`${kind} ${id}`),
  );
}

/** Compares the events that arrived with what happened. */
function compare({ session, changes, always }: ChangeLog, endpoint: Endpoint): void {
  const { profile } = session;
  const seen = new Map<string, readonly unknown[]>();
  for (const { event, candidates } of arrivedAt(endpoint, profile)) {
    const happenedTo = (one: Candidate | undefined): readonly Change[] =>
      changes.filter(({ kind, id }) => kind === one?.kind && id === one.id);
    const found = candidates.find((one) => happenedTo(one).length > 0) ?? candidates[0];
    const happened = happenedTo(found);
    const { id = "", kind = "", data } = found ?? {};
    const named = `${String(event.type)} of ${id}`;
    const isOfRefund = kind.startsWith("refund.") && changes.some((change) => change.id === id);
    const [change] = happened;
    const uncaused = `${named} was sent, but nothing happened that it reports`;
    session.expect(isOfRefund ? EACH : CAUSED, change !== undefined, uncaused);
    if (change === undefined) continue;
    const ids = [...(seen.get(`${kind} ${id}`) ?? []), event.id];
    const times = happened.length === 1 ? "once" : `${happened.length} times`;
    const repeated = `${named} happened ${times}, and was sent as ${ids.join(" and as ")}`;
    session.expect(CAUSED, ids.length <= happened.length, repeated);
    seen.set(`${kind} ${id}`, ids);
    const timestamp = valueAt(event.root, profile.envelope.timestamp);
    expectTime(session, change, timestamp, `${named}: it happened`);
    // An event's data is an object, or has no members to compare.
    const members = isRecord(data) ? data : {};
    const { creationDate } = members;
    if (/\.(?:created|linked)$/.test(kind) && typeof creationDate === "string")
      expectTime(session, change, creationDate, `${named}: it was created`);
    const amount = event.numbers.get(`${profile.envelope.data}/amount/value`);
    const read = { ...members, ...("amount" in members && { amount }) };
    expectFacts(session, read, { ...always.get(id), ...change.facts }, named);
  }
}

function expectTime(session: Session, { from, to }: Change, time: unknown, what: string): void {
  const at = Date.parse(String(time));
  const untimely = `${what} between ${isoTime(from)} and ${isoTime(to)}, and says ${String(time)}`;
  session.expect(TIMES, at >= from - SLACK_MS && at <= to + SLACK_MS, untimely);
}

type Members = Readonly<Record<string, unknown>>;

/** Compares an event's data, its amount as the text of a number. */
function expectFacts(session: Session, members: Members, facts: Members, named: string): void {
  for (const [name, wanted] of Object.entries(facts)) {
    // Members that the profile moves or leaves out are checked by the schema.
    if (!(name in members) && name !== "settlementDate") continue;
    const isTime = name === "settlementDate";
    // Amounts are compared by their value: only requests have one spelling.
    const [expected, got] = [wanted, members[name]].map((one) =>
      name === "amount" ? Number(one) : isTime ? Date.parse(String(one)) : one,
    );
    const isSame = isTime
      ? Math.abs(Number(got) - Number(expected)) <= SLACK_MS
      : isDeepStrictEqual(got, expected);
    const [a, b] = [wanted, members[name]].map((one) => JSON.stringify(one));
    session.expect(isTime ? TIMES : FACTS, isSame, `${named}: expected ${name} ${a}, got ${b}`);
  }
}
