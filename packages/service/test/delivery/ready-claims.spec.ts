import { describe, expect, it } from "vitest";
import type { Claim } from "../../src/delivery/claim.ts";
import { ReadyClaims } from "../../src/delivery/ready-claims.ts";

/** As much of a claim as its turn is decided by. */
const claimOf = (id: string, merchantId: string, host = "h"): Claim =>
  ({ id, merchantId, subscription: { key: `${merchantId} ${host}`, host } }) as Claim;

function readyOf(claims: readonly Claim[]): ReadyClaims {
  const ready = new ReadyClaims();
  for (const claim of claims) ready.add(claim);
  return ready;
}

function takeAll(
  ready: ReadyClaims,
  admits: (subscription: Claim["subscription"]) => boolean = () => true,
): string[] {
  const ids: string[] = [];
  for (;;) {
    const claim = ready.next(admits, undefined);
    if (claim === undefined) return ids;
    ids.push(claim.id);
  }
}

describe("B14: claims that lie ready", () => {
  it("are taken in turns of their merchants, each one's in their order", () => {
    const many = Array.from({ length: 5 }, (_, number) => claimOf(`a${String(number)}`, "mer_a"));
    const ready = readyOf([...many, claimOf("b0", "mer_b"), claimOf("b1", "mer_b")]);
    expect(takeAll(ready)).toEqual(["a0", "b0", "a1", "b1", "a2", "a3", "a4"]);
  });

  it("of a merchant who comes later wait for one of each other merchant", () => {
    const ready = readyOf(
      Array.from({ length: 400 }, (_, number) => claimOf(`a${String(number)}`, "mer_a")),
    );
    ready.next(() => true, undefined);
    ready.add(claimOf("late", "mer_b"));
    expect(takeAll(ready).indexOf("late")).toBe(1);
  });

  it("step aside where their host has its fill, and come first when it is free", () => {
    const ready = readyOf([
      claimOf("full", "mer_a", "full"),
      claimOf("a1", "mer_a"),
      claimOf("b1", "mer_b"),
    ]);
    expect(takeAll(ready, ({ host }) => host !== "full")).toEqual(["a1", "b1"]);
    ready.add(claimOf("b2", "mer_b"));
    expect(ready.next(() => true, "full")?.id).toBe("full");
    expect(ready.takeAll().map(({ id }) => id)).toEqual(["b2"]);
  });

  it("are all given back, also those that stepped aside", () => {
    const ready = readyOf([claimOf("a1", "mer_a"), claimOf("b1", "mer_b"), claimOf("b2", "mer_b")]);
    ready.next(() => false, undefined);
    ready.add(claimOf("a2", "mer_a"));
    expect(
      ready
        .takeAll()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["a1", "a2", "b1", "b2"]);
    expect(ready.takeAll()).toEqual([]);
  });
});
