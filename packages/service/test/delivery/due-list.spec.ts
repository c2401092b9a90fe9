import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DueList, type Share } from "../../src/delivery/due-list.ts";
import type { DueSubscription } from "../../src/store/operations/deliveries/due-subscriptions.ts";

const due = (merchant: number, number: number, host: string): DueSubscription => ({
  key: `sub_${String(merchant)}_${String(number)}`,
  merchantId: `mer_${String(merchant)}`,
  url: `https://${host}/`,
  host,
  secret: { keyId: "", text: "" },
});

const situation = fc.record({
  /** Subscriptions of each merchant, as the number of each one's host. */
  merchants: fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 6,
  }),
  total: fc.integer({ min: 1, max: 60 }),
  fits: fc.nat(12),
  onHost: fc.nat(20),
});

const subscriptionsOf = (merchants: readonly (readonly number[])[]): DueSubscription[] =>
  merchants.flatMap((hosts, merchant) =>
    hosts.map((host, number) => due(merchant, number, `h${String(host)}.example`)),
  );

function listOf(subscriptions: readonly DueSubscription[]): DueList {
  const list = new DueList();
  list.replace(subscriptions);
  return list;
}

const sum = (shares: readonly Share[]): number => shares.reduce((all, { count }) => all + count, 0);
const sumBy = (shares: readonly Share[], name: (of: DueSubscription) => string) =>
  new Map(
    [...Map.groupBy(shares, ({ subscription }) => name(subscription))].map(([key, group]) => [
      key,
      sum(group),
    ]),
  );

describe("B14: the room that is shared among due subscriptions", () => {
  it("has a part for failing ones, which no others are kept from", () => {
    fc.assert(
      fc.property(situation, fc.nat(20), ({ merchants, total, fits }, room) => {
        const isFailing = ({ merchantId }: DueSubscription): boolean => merchantId === "mer_0";
        const subscriptions = subscriptionsOf(merchants);
        const has = (key: string): boolean => key.startsWith("sub_0_");
        const given = { total, fits: () => fits, fitsOnHost: () => 1000 };
        const shares = listOf(subscriptions).share({ ...given, failing: { has, room } });
        const all = sum(shares);
        const failing = sum(shares.filter(({ subscription }) => isFailing(subscription)));
        expect(failing).toBeLessThanOrEqual(room);
        const others = fits * subscriptions.filter((one) => !isFailing(one)).length;
        expect(all - failing).toBeGreaterThanOrEqual(Math.min(others, total - failing));
      }),
    );
  });

  it("never exceeds what is left, nor what fits of any subscription or host", () => {
    fc.assert(
      fc.property(situation, ({ merchants, total, fits, onHost }) => {
        const list = listOf(subscriptionsOf(merchants));
        const shares = list.share({ total, fits: () => fits, fitsOnHost: () => onHost });
        expect(sum(shares)).toBeLessThanOrEqual(total);
        for (const [name, most] of [
          ["key", fits],
          ["host", onHost],
        ] as const) {
          for (const count of sumBy(shares, (one) => one[name]).values()) {
            expect(count).toBeLessThanOrEqual(most);
          }
        }
      }),
    );
  });

  it("leaves nothing that fits", () => {
    fc.assert(
      fc.property(situation, ({ merchants, total, fits, onHost }) => {
        const subscriptions = subscriptionsOf(merchants);
        const room = { total, fits: () => fits, fitsOnHost: () => onHost };
        const shares = listOf(subscriptions).share(room);
        const [ofKeys, ofHosts] = [
          sumBy(shares, ({ key }) => key),
          sumBy(shares, ({ host }) => host),
        ];
        const isFull = ({ key, host }: DueSubscription): boolean =>
          (ofKeys.get(key) ?? 0) === fits || (ofHosts.get(host) ?? 0) === onHost;
        expect(sum(shares) === total || subscriptions.every(isFull)).toBe(true);
      }),
    );
  });

  it("gives every merchant a first turn before any other a second one", () => {
    fc.assert(
      fc.property(situation, ({ merchants, total }) => {
        const shares = listOf(subscriptionsOf(merchants)).share({
          total,
          fits: () => 1000,
          fitsOnHost: () => 1000,
        });
        const served = shares.map(({ subscription }) => subscription.merchantId);
        const first = served.findIndex((merchant, at) => served.indexOf(merchant) < at);
        expect(first === -1 || new Set(served.slice(0, first)).size === merchants.length).toBe(
          true,
        );
      }),
    );
  });

  it("goes on where the last one ended", () => {
    const list = listOf([due(1, 1, "a"), due(1, 2, "b"), due(2, 1, "c"), due(3, 1, "d")]);
    const next = () =>
      list.share({ total: 1, fits: () => 5, fitsOnHost: () => 5 })[0]?.subscription.key;
    expect([next(), next(), next(), next(), next()]).toEqual([
      "sub_1_1",
      "sub_2_1",
      "sub_3_1",
      "sub_1_2",
      "sub_2_1",
    ]);
  });

  it("keeps the turns of those that are still due when the store is asked again", () => {
    const all = [due(1, 1, "a"), due(2, 1, "b"), due(3, 1, "c")];
    const list = listOf(all);
    list.share({ total: 1, fits: () => 5, fitsOnHost: () => 5 });
    list.replace([...all.slice(0, 2), due(4, 1, "d")]);
    const served = list
      .share({ total: 3, fits: () => 1, fitsOnHost: () => 1 })
      .map(({ subscription }) => subscription.key);
    expect(served).toEqual(["sub_2_1", "sub_1_1", "sub_4_1"]);
  });

  it("is empty once nothing of its subscriptions is due", () => {
    const list = listOf([due(1, 1, "a"), due(1, 2, "b")]);
    list.remove(due(1, 1, "a"));
    expect(list.isEmpty).toBe(false);
    list.remove(due(1, 2, "b"));
    expect(list.isEmpty).toBe(true);
  });
});
