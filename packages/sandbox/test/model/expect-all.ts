import { expect } from "vitest";
import type { Arrived } from "../open-sandbox.ts";
import { iso, type Namespace } from "./commands.ts";
import type { Event, Ledger } from "./ledger.ts";

type Row = Readonly<Record<string, string>>;

/** Compares everything in a namespace, and what its receiver got, with the ledger. */
export async function expectAll(
  ledger: Ledger,
  real: Namespace,
  all: readonly Arrived[],
): Promise<void> {
  // Answers once nothing is in flight.
  await real.call("PUT", "/sandbox/clock", { token: real.token, json: { advance: "PT0S" } });

  const payments = await listed(real, "payments");
  const states = payments.map(
    (one) => `${one["paymentId"]} ${one["paymentStatus"]} ${one["eligibleAt"]}`,
  );
  const predicted = [
    ...ledger.debits.map(({ id, status }) => `${id} ${status} undefined`),
    ...ledger.refunds.map(
      ({ id, status, dueAt }) => `${id} ${status} ${dueAt === undefined ? null : iso(dueAt)}`,
    ),
  ];
  expect(states.toSorted()).toEqual(predicted.toSorted());

  const events = (await listed(real, "events")).filter(({ type = "" }) =>
    /^(?:payment|refund)\./.test(type),
  );
  const written = events.map(({ type = "", timestamp = "", payload = "" }): Event => {
    const { data } = JSON.parse(payload) as Pick<Event, "data">;
    return { type, at: Date.parse(timestamp), data };
  });
  expect(inOrder(written)).toEqual(inOrder(ledger.events));

  const payloads = new Map(events.map(({ id, payload }) => [id, payload]));
  for (const [place, { key, names, bound }] of ledger.subscribers.entries()) {
    const deliveries = await listed(real, "deliveries", `&subscriptionKey=${key}`);
    expect(deliveries.map(({ type = "" }) => type).toSorted()).toEqual(bound.toSorted());
    const { pathname } = new URL(`${real.receiver}/${place}`);
    const own = all.filter(({ path }) => path === pathname);
    const arrived = new Map(own.map(({ headers, body }) => [headers["webhook-id"], String(body)]));
    for (const { eventId, type = "", state } of deliveries) {
      // A type that was unsubscribed while its event waited is dropped, or was in flight.
      expect(names.has(type) ? ["delivered"] : ["delivered", "dropped"]).toContain(state);
      if (state === "delivered") expect(arrived.get(eventId)).toBe(payloads.get(eventId ?? ""));
    }
    const ids = deliveries.map(({ eventId }) => eventId);
    expect([...arrived.keys()].filter((id) => !ids.includes(id))).toEqual([]);
  }
}

async function listed({ call, token }: Namespace, name: string, filter = ""): Promise<Row[]> {
  const { body } = await call("GET", `/sandbox/${name}?limit=1000${filter}`, { token });
  // The texts of a list call's rows; other members are not read.
  return body[name] as Row[];
}

/** Sorts events: those of one instant may come in any order. */
function inOrder(events: readonly Event[]): Event[] {
  const keyOf = ({ at, type, data }: Event): string => `${at} ${type} ${data.paymentId}`;
  return events.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
