import { type ClaimRequest, memoryInbox } from "@countersign/receiver";
import { describe, expect, it } from "vitest";

const DAY = 86_400_000;
const claimOf = (id: string, changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
  key: { tenant: "", id },
  digest: "d",
  type: "refund.authorized",
  leaseMs: 60_000,
  now: 0,
  ...changes,
});
const settlement = (id: string, token: number, now = 0) => ({
  key: { tenant: "", id },
  token,
  now,
});

describe("the memory inbox", () => {
  it("remembers a handled event for 30 days", async () => {
    const inbox = memoryInbox();
    await inbox.claim(claimOf("a"));
    expect(await inbox.complete(settlement("a", 1))).toBe(true);

    expect(await inbox.claim(claimOf("a", { now: 30 * DAY - 1 }))).toEqual({ state: "handled" });
    expect(await inbox.claim(claimOf("a", { now: 30 * DAY }))).toMatchObject({ state: "claimed" });
  });

  it("forgets the oldest settled event beyond its capacity, and never a claim", async () => {
    const inbox = memoryInbox({ capacity: 2 });
    await inbox.claim(claimOf("held"));
    for (const id of ["a", "b", "c"]) {
      await inbox.claim(claimOf(id));
      await inbox.complete(settlement(id, 1));
    }

    expect(await inbox.claim(claimOf("a"))).toMatchObject({ state: "claimed" });
    expect(await inbox.claim(claimOf("b"))).toEqual({ state: "handled" });
    expect(await inbox.claim(claimOf("c"))).toEqual({ state: "handled" });
    expect(await inbox.claim(claimOf("held"))).toMatchObject({ state: "busy" });
  });

  it("settles nothing for a claim that was lost", async () => {
    const inbox = memoryInbox();
    await inbox.claim(claimOf("a"));
    expect(await inbox.claim(claimOf("a", { now: 60_000 }))).toEqual({
      state: "claimed",
      token: 2,
    });

    expect(await inbox.complete(settlement("a", 1, 60_000))).toBe(false);
    expect(await inbox.release(settlement("a", 1, 60_000))).toBe(false);
    expect(await inbox.claim(claimOf("a", { now: 60_001 }))).toMatchObject({ state: "busy" });
    expect(await inbox.complete(settlement("a", 2, 60_001))).toBe(true);
    expect(await inbox.complete(settlement("a", 2, 60_001))).toBe(false);
  });

  it("keeps a released event's body in mind", async () => {
    const inbox = memoryInbox();
    await inbox.claim(claimOf("a"));
    await inbox.release(settlement("a", 1));
    expect(await inbox.claim(claimOf("a", { digest: "other" }))).toEqual({ state: "conflict" });
    expect(await inbox.claim(claimOf("a"))).toEqual({ state: "claimed", token: 2 });
  });

  it("keeps tenants apart, however they are spelt", async () => {
    const inbox = memoryInbox();
    for (const key of [
      { tenant: "a", id: "b" },
      { tenant: "", id: "a:b" },
      { tenant: "a:1", id: "b" },
      { tenant: "a", id: "1:b" },
    ])
      expect(await inbox.claim(claimOf("", { key }))).toMatchObject({ state: "claimed" });
  });

  it.each([{ capacity: 0 }, { capacity: 1.5 }, { retentionMs: Number.NaN }])(
    "refuses %o",
    (options) => {
      expect(() => memoryInbox(options)).toThrow(TypeError);
    },
  );
});
