import { expect } from "vitest";
import { iso, type Namespace } from "./command.ts";
import type { Ledger } from "./ledger.ts";
import type { Arrived } from "../open-sandbox.ts";

interface Run {
  readonly model: Ledger;
  readonly real: Namespace;
}
interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly payload: string;
}
interface ToldPayment {
  readonly paymentId: string;
  readonly paymentStatus: string;
  readonly eligibleAt?: string | null;
}
interface ToldDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly state: string;
}

/** Holds everything that a namespace has come to against its ledger. */
export async function expectAll({ model, real }: Run, arrived: readonly Arrived[]): Promise<void> {
  const { live, token } = real;
  // Answers when nothing is under way any more.
  await live.call("PUT", "/sandbox/clock", { token, json: { advance: "PT0S" } });

  const all = await listed<ToldEvent>(real, "events");
  const told = all.filter(({ type }) => /^(?:payment|refund)\./.test(type));
  const written = told.map(({ type, timestamp, payload }) => {
    const { data } = JSON.parse(payload) as { data: object };
    return { type, at: Date.parse(timestamp), data };
  });
  expect(sorted(written)).toEqual(sorted(model.events));

  const payments = await listed<ToldPayment>(real, "payments");
  const states = payments.map(({ paymentId, paymentStatus, eligibleAt = "" }) => {
    return [paymentId, paymentStatus, eligibleAt];
  });
  const predicted = [
    ...model.debits.map(({ id, status }) => [id, status, ""]),
    ...model.refunds.map(({ id, status, dueAt }) => {
      return [id, status, dueAt === undefined ? null : iso(dueAt)];
    }),
  ];
  expect(sorted(states)).toEqual(sorted(predicted));
  await expectDeliveries({ model, real }, told, arrived);
}

async function expectDeliveries(
  { model, real }: Run,
  told: readonly ToldEvent[],
  all: readonly Arrived[],
): Promise<void> {
  const payloads = new Map(told.map(({ id, payload }) => [id, payload]));
  for (const [place, subscriber] of model.subscribers.all.entries()) {
    const filter = `&subscriptionKey=${subscriber.key}`;
    const deliveries = await listed<ToldDelivery>(real, "deliveries", filter);
    const bound = [...subscriber.events].map((event) => model.events[event]?.type);
    expect(sorted(deliveries.map(({ type }) => type))).toEqual(sorted(bound));

    const { pathname } = new URL(`${real.receiver}/${place}`);
    const own = all.filter(({ path }) => path === pathname);
    const arrived = new Map(own.map(({ headers, body }) => [headers["webhook-id"], String(body)]));
    for (const { eventId, type, state } of deliveries) {
      // What was taken away while it waited is dropped, or was under way; all else arrives.
      const isWanted = model.subscribers.wants(subscriber, type);
      expect(isWanted ? ["delivered"] : ["delivered", "dropped"]).toContain(state);
      if (state === "delivered") expect(arrived.get(eventId)).toBe(payloads.get(eventId));
    }
    const ids = deliveries.map(({ eventId }) => eventId);
    expect([...arrived.keys()].filter((id = "") => !ids.includes(id))).toEqual([]);
  }
}

async function listed<T>({ live, token }: Namespace, name: string, filter = ""): Promise<T[]> {
  const { body } = await live.call("GET", `/sandbox/${name}?limit=1000${filter}`, { token });
  // The list calls' own form.
  return body[name] as T[];
}

/** In one order on both sides, whatever comes first of what happens at one instant. */
function sorted<T>(list: readonly T[]): T[] {
  const keys = new Map(list.map((one) => [one, JSON.stringify(one, keysInOrder)]));
  const keyOf = (one: T): string => keys.get(one) ?? "";
  return list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keysInOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
