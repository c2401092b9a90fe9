import assert from "node:assert/strict";
import type { Claim } from "@countersign/receiver";
import { keyOf, knownAs, LEASE_END, LEASE_MS, type NamedChecks, resourceOf } from "./samples.ts";

/** The promises that `acknowledge: 'after-handler'` needs. */
export const claimChecks: NamedChecks = {
  async "grants one of twenty simultaneous claims of an event, and reports the others busy until its lease ends"(
    inbox,
  ) {
    oneClaimed(await Promise.all(times(20, () => inbox.claim("simultaneous"))));
  },

  async "reports a completed event as handled to every later claim"(inbox) {
    assert.equal(await inbox.complete("completed", await inbox.claimed("completed")), true);
    for (const now of [1000, 1000 + 2 * LEASE_MS])
      assert.deepEqual(await inbox.claim("completed", { now }), knownAs("completed"));
  },

  async "grants a released event at once, with a new token"(inbox) {
    const token = await inbox.claimed("released");
    assert.equal(await inbox.release("released", token), true);
    assert.notEqual(await inbox.claimed("released"), token);
  },

  async "grants a claim again when its lease has ended, and ignores the first claimer from then on"(
    inbox,
  ) {
    const first = await inbox.claimed("expired");
    assert.equal((await inbox.claim("expired", { now: LEASE_END - 1 })).state, "busy");
    const now = LEASE_END;
    const second = await inbox.claimed("expired", { now });

    assert.equal(await inbox.complete("expired", first, now), false);
    assert.equal(await inbox.release("expired", first, now), false);
    assert.equal((await inbox.claim("expired", { now })).state, "busy");
    assert.equal(await inbox.complete("expired", second, now), true);
    assert.equal(await inbox.complete("expired", second, now), false);
    assert.equal(await inbox.release("expired", second, now), false);
  },

  async "grants one of ten simultaneous claims after an ended lease"(inbox) {
    await inbox.claimed("takeover");
    const now = LEASE_END;
    oneClaimed(await Promise.all(times(10, () => inbox.claim("takeover", { now }))), now);
  },

  async "takes another body under a known key for the same event, and says so once it is handled"(
    inbox,
  ) {
    const other = { digest: "another", now: 2000 };
    const token = await inbox.claimed("reused");
    assert.equal((await inbox.claim("reused", other)).state, "busy");
    await inbox.complete("reused", token);
    assert.deepEqual(await inbox.claim("reused", other), knownAs("reused", { bodyDiffers: true }));
  },

  async "reports another body under a known key as a conflict if the claim asks for it, whatever the event's state"(
    inbox,
  ) {
    const own = { onIdReuse: "conflict" } as const;
    const isConflict = async (): Promise<void> =>
      assert.deepEqual(await inbox.claim("strict", { ...own, digest: "another" }), {
        state: "conflict",
      });
    const token = await inbox.claimed("strict", own);
    await isConflict();
    await inbox.release("strict", token);
    await isConflict();
    await inbox.complete("strict", await inbox.claimed("strict", own));
    await isConflict();
  },

  async "claims a handled event anew if it ended before the time since which the claim knows events"(
    inbox,
  ) {
    const token = await inbox.claimed("again");
    await inbox.complete("again", token, 2000);
    assert.deepEqual(await inbox.claim("again", { now: 9000, knownSince: 2000 }), knownAs("again"));
    const second = await inbox.claimed("again", { now: 9000, knownSince: 2001 });
    assert(second > token, "the token did not grow");
    await inbox.complete("again", second, 9000);
    const third = await inbox.claim("again", { now: 9001, knownSince: 2001 });
    assert.equal(third.state, "handled");
  },

  async "keeps providers and tenants apart, however a tenant is spelt"(inbox) {
    for (const key of [
      keyOf("b", "a"),
      keyOf("b", ""),
      keyOf("b", "", "other"),
      keyOf("b", "a", "other"),
      keyOf("b", "a:1"),
      keyOf("1:b", "a"),
      keyOf("b", "a'; --"),
      keyOf("b", "ä\u{1F4B6}"),
      keyOf("sha256:b c.d", ""),
    ])
      await inbox.claimed("", { key });
  },

  async "keeps tenants apart whose names are not well-formed text, or rejects them"(inbox) {
    for (const tenant of ["\uD800", "\uD801", "a\0b", "a\0c"]) {
      const [answer] = await Promise.allSettled([inbox.claim("", { key: keyOf("odd", tenant) })]);
      if (answer?.status === "fulfilled") assert.equal(answer.value.state, "claimed");
    }
  },

  async "changes nothing for an event that was never claimed"(inbox) {
    assert.equal(await inbox.complete("unknown", 1), false);
    assert.equal(await inbox.release("unknown", 1), false);
    await inbox.claimed("unknown");
  },
};

/** The promises that `order: 'per-resource'` and the retention need. */
export const resourceChecks: NamedChecks = {
  async "grants one of three simultaneous claims of a resource, and those of another resource"(
    inbox,
  ) {
    const resource = resourceOf("payment:1");
    oneClaimed(await Promise.all(["r1", "r2", "r3"].map((id) => inbox.claim(id, { resource }))));
    await inbox.claimed("r4", { resource: resourceOf("payment:2") });
    await inbox.claimed("", { key: keyOf("r5", "", "other"), resource });
  },

  async "frees a resource when its event is completed or released, or when the lease has ended"(
    inbox,
  ) {
    const resource = resourceOf("payment:free");
    await inbox.complete("f1", await inbox.claimed("f1", { resource }));
    await inbox.release("f2", await inbox.claimed("f2", { resource }));
    const third = await inbox.claimed("f3", { resource });
    assert.equal((await inbox.claim("f2", { resource })).state, "busy");
    assert.deepEqual(await inbox.claim("f1", { resource }), knownAs("f1"));
    const now = LEASE_END;
    assert.equal((await inbox.claim("f4", { resource, now: now - 1 })).state, "busy");
    const fourth = await inbox.claimed("f4", { resource, now });
    // Nobody took the event itself: its first claimer may still end it.
    assert.equal(await inbox.complete("f3", third, now), true);
    assert.equal((await inbox.claim("f2", { resource, now })).state, "busy");
    assert.equal(await inbox.complete("f4", fourth, now), true);
    await inbox.claimed("f2", { resource, now });
  },

  async "returns the last handled state of a resource, without superseded events"(inbox) {
    const name = "payment:last";
    assert.equal(await inbox.lastOf(name), undefined);
    const first = await inbox.claimed("l1", { resource: resourceOf(name, 2, 700) });
    assert.equal(await inbox.lastOf(name), undefined);
    await inbox.complete("l1", first, 1001);
    const last = { type: "refund.authorized", rank: 2, timestamp: 700 };
    assert.deepEqual(await inbox.lastOf(name), last);
    const older = await inbox.claimed("l2", { resource: resourceOf(name, 1, 600) });
    await inbox.complete("l2", older, 1002, true);
    assert.deepEqual(await inbox.claim("l2"), knownAs("l2"));
    assert.deepEqual(await inbox.lastOf(name), last);
    for (const other of [{ tenant: "other" }, { provider: "other" }])
      assert.equal(await inbox.lastOf(name, other), undefined);
  },

  async "returns a state without a rank or a readable time as it is"(inbox) {
    const resource = { name: "customer:1", timestamp: Number.NaN };
    await inbox.complete("n1", await inbox.claimed("n1", { resource }));
    const last = await inbox.lastOf("customer:1");
    assert.deepEqual([last?.rank, last?.timestamp], [undefined, Number.NaN]);
  },

  async "forgets the events that ended before a purge, within its limit"(inbox) {
    for (const id of ["p1", "p2", "p3"]) await inbox.complete(id, await inbox.claimed(id), 2000);
    await inbox.complete("p4", await inbox.claimed("p4"), 3000);
    assert.equal(await inbox.purge(2000), 0);
    assert.equal(await inbox.purge(3000, 2), 2);
    assert.equal(await inbox.purge(3000), 1);
    await inbox.claimed("p1", { now: 4000 });
    assert.deepEqual(await inbox.claim("p4", { now: 4000 }), knownAs("p4"));
  },
};

/** One claim is granted, and the others are busy until its lease ends. */
function oneClaimed(claims: readonly Claim[], now = 1000): void {
  const others = claims.filter(({ state }) => state !== "claimed");
  assert.equal(others.length, claims.length - 1);
  for (const claim of others) assert.deepEqual(claim, { state: "busy", until: now + LEASE_MS });
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
