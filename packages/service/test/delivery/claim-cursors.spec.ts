import { expect, it } from "vitest";
import { ClaimCursors } from "../../src/delivery/claim-cursors.ts";
import type { ClaimRequest, ClaimedDelivery } from "../../src/delivery/types.ts";
import { answered, policy } from "./queue.ts";

const caps = { ...policy, concurrencyPerEndpoint: 2, concurrencyPerHost: 3 };

/** Cursors of cursors in which something is due at 0. */
function cursorsOf(...keys: readonly string[]): ClaimCursors {
  const cursors = new ClaimCursors(caps);
  for (const key of keys)
    cursors.wrote({ key, merchantId: "mer_1", url: `https://${key}.example/`, at: 0 });
  return cursors;
}
const chosen = (cursors: ClaimCursors, room: number, now = 0): string[] =>
  cursors.choose(room, now).map(({ key, most }) => `${key} ${most}`);
const ask = (cursors: ClaimCursors): ClaimRequest => {
  const [request] = cursors.choose(9, 0);
  if (request === undefined) throw new Error("no request was chosen");
  return request;
};
const delivery = (nextAt: number, seq: number): ClaimedDelivery => {
  const id = `dlv_${seq}`;
  return { id, eventId: id, seq, nextAt, attempts: 0, claimedUntil: 1, payload: "{}" };
};

it("asks for as many as may start, of each endpoint up to its limit, and of the others first at the next turn", () => {
  const cursors = cursorsOf("a", "b", "c");
  const [first, ...rest] = cursors.choose(3, 0);
  expect([first, ...rest].map((one) => one && `${one.key} ${one.most}`)).toEqual(["a 2", "b 1"]);
  cursors.unclaimed([first, ...rest].flatMap((one) => one ?? []));
  expect(chosen(cursors, 3)).toEqual(["c 2", "a 1"]);
});

it("asks for no more of one host than its limit, and for one merchant no more than three quarters of it", () => {
  const cursors = new ClaimCursors({ ...caps, concurrencyPerHost: 4 });
  for (const [key, merchantId] of [
    ["a", "mer_1"],
    ["b", "mer_1"],
    ["c", "mer_2"],
    ["d", "mer_2"],
  ] as const)
    cursors.wrote({ key, merchantId, url: `https://victim.example/${key}`, at: 0 });
  expect(chosen(cursors, 9)).toEqual(["a 2", "b 1", "c 1"]);
});

it("asks again behind the last claimed one if a claim was full", () => {
  const cursors = cursorsOf("a");
  const deliveries = [delivery(0, 7), delivery(0, 8)];
  cursors.claimed(ask(cursors), { deliveries, starts: 2 });
  for (const _ of deliveries) cursors.ended("a", answered(204), 0);
  const request = ask(cursors);
  expect(request.after).toEqual({ nextAt: 0, seq: 8 });
  cursors.claimed(request, { deliveries: [], starts: 0 });
  expect(chosen(cursors, 9)).toEqual([]);
});

it("asks from a delivery on that was written, during a claim, before those that were claimed", () => {
  const cursors = cursorsOf("a");
  const request = ask(cursors);
  cursors.wrote({ key: "a", merchantId: "mer_1", url: "https://a.example/", at: -5 });
  cursors.claimed(request, { deliveries: [delivery(0, 7)], starts: 1 });
  expect(ask(cursors).after).toEqual({ nextAt: -5, seq: 0 });
});

it("asks for nothing while an endpoint rests", () => {
  const cursors = cursorsOf("a");
  const deliveries = [delivery(0, 7), delivery(0, 8)];
  cursors.claimed(ask(cursors), { deliveries, starts: 2 });
  for (const _ of deliveries) cursors.ended("a", answered(429), 1000);
  expect([chosen(cursors, 9, 1499), chosen(cursors, 9, 1500)]).toEqual([[], ["a 1"]]);
});

it("keeps an endpoint's rest while nothing of it is due", () => {
  const cursors = cursorsOf("a");
  cursors.claimed(ask(cursors), { deliveries: [delivery(0, 7)], starts: 1 });
  cursors.ended("a", answered(429), 1000);
  cursors.wrote({ key: "a", merchantId: "mer_1", url: "https://a.example/", at: 0 });
  expect([chosen(cursors, 9, 1499), chosen(cursors, 9, 1500)]).toEqual([[], ["a 1"]]);
});
