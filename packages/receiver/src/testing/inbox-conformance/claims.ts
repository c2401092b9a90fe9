import assert from "node:assert/strict";
import type { Claim } from "../../inbox/inbox.ts";
import {
  claimed,
  claimOf,
  keyOf,
  knownAs,
  LEASE_MS,
  type NamedChecks,
  resourceOf,
  settlementOf,
} from "./samples.ts";

/** The promises that `acknowledge: 'after-handler'` needs. */
export const claimChecks: NamedChecks = {
  async "grants one of twenty simultaneous claims of an event, and reports the others busy until its lease ends"(
    inbox,
  ) {
    oneClaimed(await Promise.all(times(20, () => inbox.claim(claimOf("simultaneous")))));
  },

  async "reports a completed event as handled to every later claim"(inbox) {
    const token = await claimed(inbox, claimOf("completed"));
    assert.equal(await inbox.complete(settlementOf("completed", token)), true);
    for (const now of [1000, 1000 + 2 * LEASE_MS])
      assert.deepEqual(await inbox.claim(claimOf("completed", { now })), knownAs("completed"));
  },

  async "grants a released event at once, with a new token"(inbox) {
    const token = await claimed(inbox, claimOf("released"));
    assert.equal(await inbox.release(settlementOf("released", token)), true);
    assert.notEqual(await claimed(inbox, claimOf("released", { now: 1000 })), token);
  },

  async "grants a claim again when its lease has ended, and ignores the first claimer from then on"(
    inbox,
  ) {
    const first = await claimed(inbox, claimOf("expired"));
    const before = await inbox.claim(claimOf("expired", { now: 999 + LEASE_MS }));
    assert.equal(before.state, "busy");
    const now = 1000 + LEASE_MS;
    const second = await claimed(inbox, claimOf("expired", { now }));

    assert.equal(await inbox.complete(settlementOf("expired", first, now)), false);
    assert.equal(await inbox.release(settlementOf("expired", first, now)), false);
    assert.equal((await inbox.claim(claimOf("expired", { now }))).state, "busy");
    assert.equal(await inbox.complete(settlementOf("expired", second, now)), true);
    assert.equal(await inbox.complete(settlementOf("expired", second, now)), false);
    assert.equal(await inbox.release(settlementOf("expired", second, now)), false);
  },

  async "grants one of ten simultaneous claims after an ended lease"(inbox) {
    await claimed(inbox, claimOf("takeover"));
    const now = 1000 + LEASE_MS;
    oneClaimed(await Promise.all(times(10, () => inbox.claim(claimOf("takeover", { now })))), now);
  },

  async "takes another body under a known key for the same event, and says so once it is handled"(
    inbox,
  ) {
    const other = claimOf("reused", { digest: "another", now: 2000 });
    const token = await claimed(inbox, claimOf("reused"));
    assert.equal((await inbox.claim(other)).state, "busy");
    await inbox.complete(settlementOf("reused", token));
    assert.deepEqual(await inbox.claim(other), knownAs("reused", { bodyDiffers: true }));
  },

  async "reports another body under a known key as a conflict if the claim asks for it, whatever the event's state"(
    inbox,
  ) {
    const own = claimOf("strict", { onIdReuse: "conflict" });
    const other = { ...own, digest: "another" };
    const token = await claimed(inbox, own);
    assert.deepEqual(await inbox.claim(other), { state: "conflict" });
    await inbox.release(settlementOf("strict", token));
    assert.deepEqual(await inbox.claim(other), { state: "conflict" });
    await inbox.complete(settlementOf("strict", await claimed(inbox, own)));
    assert.deepEqual(await inbox.claim(other), { state: "conflict" });
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
      await claimed(inbox, claimOf("", { key }));
  },

  async "keeps tenants apart whose names are not well-formed text, or rejects them"(inbox) {
    for (const tenant of ["\uD800", "\uD801", "a\0b", "a\0c"]) {
      const key = keyOf("odd", tenant);
      const [claim] = await Promise.allSettled([inbox.claim(claimOf("", { key }))]);
      if (claim?.status === "fulfilled") assert.equal(claim.value.state, "claimed");
    }
  },

  async "changes nothing for an event that was never claimed"(inbox) {
    assert.equal(await inbox.complete(settlementOf("unknown", 1)), false);
    assert.equal(await inbox.release(settlementOf("unknown", 1)), false);
    await claimed(inbox, claimOf("unknown"));
  },
};

/** The promises that `order: 'per-resource'` and the retention need. */
export const resourceChecks: NamedChecks = {
  async "grants one of three simultaneous claims of a resource, and those of another resource"(
    inbox,
  ) {
    const resource = resourceOf("payment:1");
    const ids = ["r1", "r2", "r3"];
    oneClaimed(await Promise.all(ids.map((id) => inbox.claim(claimOf(id, { resource })))));
    await claimed(inbox, claimOf("r4", { resource: resourceOf("payment:2") }));
    await claimed(inbox, claimOf("", { key: keyOf("r5", "", "other"), resource }));
  },

  async "frees a resource when its event is completed or released, or when the lease has ended"(
    inbox,
  ) {
    const resource = resourceOf("payment:free");
    const first = await claimed(inbox, claimOf("f1", { resource }));
    await inbox.complete(settlementOf("f1", first));
    const second = await claimed(inbox, claimOf("f2", { resource }));
    await inbox.release(settlementOf("f2", second));
    const third = await claimed(inbox, claimOf("f3", { resource }));
    assert.equal((await inbox.claim(claimOf("f2", { resource }))).state, "busy");
    assert.deepEqual(await inbox.claim(claimOf("f1", { resource })), knownAs("f1"));
    const now = 1000 + LEASE_MS;
    assert.equal((await inbox.claim(claimOf("f4", { resource, now: now - 1 }))).state, "busy");
    const fourth = await claimed(inbox, claimOf("f4", { resource, now }));
    // Nobody took the event itself: its first claimer may still end it.
    assert.equal(await inbox.complete(settlementOf("f3", third, now)), true);
    assert.equal((await inbox.claim(claimOf("f2", { resource, now }))).state, "busy");
    assert.equal(await inbox.complete(settlementOf("f4", fourth, now)), true);
    await claimed(inbox, claimOf("f2", { resource, now }));
  },

  async "returns the last handled state of a resource, without superseded events"(inbox) {
    assert(inbox.lastHandled !== undefined, "the inbox has no lastHandled");
    const name = "payment:last";
    const of = { provider: "acme", tenant: "", name };
    assert.equal(await inbox.lastHandled(of), undefined);
    const first = await claimed(inbox, claimOf("l1", { resource: resourceOf(name, 2, 700) }));
    assert.equal(await inbox.lastHandled(of), undefined);
    await inbox.complete(settlementOf("l1", first, 1001));
    const last = { type: "refund.authorized", rank: 2, timestamp: 700 };
    assert.deepEqual(await inbox.lastHandled(of), last);
    const older = await claimed(inbox, claimOf("l2", { resource: resourceOf(name, 1, 600) }));
    await inbox.complete({ ...settlementOf("l2", older, 1002), superseded: true });
    assert.deepEqual(await inbox.claim(claimOf("l2")), knownAs("l2"));
    assert.deepEqual(await inbox.lastHandled(of), last);
    for (const other of [{ tenant: "other" }, { provider: "other" }])
      assert.equal(await inbox.lastHandled({ ...of, ...other }), undefined);
  },

  async "returns a state without a rank or a readable time as it is"(inbox) {
    assert(inbox.lastHandled !== undefined, "the inbox has no lastHandled");
    const resource = { name: "customer:1", timestamp: Number.NaN };
    const token = await claimed(inbox, claimOf("n1", { resource }));
    await inbox.complete(settlementOf("n1", token));
    const last = await inbox.lastHandled({
      provider: "acme",
      tenant: "",
      name: "customer:1",
    });
    assert.equal(last?.rank, undefined);
    assert.equal(last?.timestamp, Number.NaN);
  },

  async "forgets the events that ended before a purge, within its limit"(inbox) {
    assert(inbox.purge !== undefined, "the inbox has no purge");
    for (const id of ["p1", "p2", "p3"]) {
      const token = await claimed(inbox, claimOf(id, { now: 1000 }));
      await inbox.complete(settlementOf(id, token, 2000));
    }
    const late = await claimed(inbox, claimOf("p4"));
    await inbox.complete(settlementOf("p4", late, 3000));
    assert.equal(await inbox.purge({ before: 2000, limit: 10 }), 0);
    assert.equal(await inbox.purge({ before: 3000, limit: 2 }), 2);
    assert.equal(await inbox.purge({ before: 3000, limit: 10 }), 1);
    await claimed(inbox, claimOf("p1", { now: 4000 }));
    assert.deepEqual(await inbox.claim(claimOf("p4", { now: 4000 })), knownAs("p4"));
  },
};

/** One claim is granted, and the others are busy until its lease ends. */
function oneClaimed(claims: readonly Claim[], now = 1000): void {
  const others = claims.filter(({ state }) => state !== "claimed");
  assert.equal(others.length, claims.length - 1);
  for (const claim of others) assert.deepEqual(claim, { state: "busy", until: now + LEASE_MS });
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
