import assert from "node:assert/strict";
import { claimed, claimOf, keyOf, LEASE_MS, type NamedChecks, settlementOf } from "./samples.ts";

/** What `acknowledge: 'after-handler'` needs. */
export const claimChecks: NamedChecks = {
  async "of twenty simultaneous claims of one event one holds, and the others are busy until its lease ends"(
    inbox,
  ) {
    const claims = await Promise.all(
      Array.from({ length: 20 }, async () => inbox.claim(claimOf("simultaneous"))),
    );
    assert.equal(claims.filter(({ state }) => state === "claimed").length, 1);
    for (const claim of claims)
      if (claim.state !== "claimed")
        assert.deepEqual(claim, { state: "busy", until: 1000 + LEASE_MS });
  },

  async "a completed event is handled, whoever claims it"(inbox) {
    const token = await claimed(inbox, claimOf("completed"));
    assert.equal(await inbox.complete(settlementOf("completed", token)), true);
    assert.deepEqual(await inbox.claim(claimOf("completed")), { state: "handled" });
    assert.deepEqual(await inbox.claim(claimOf("completed", { now: 1000 + 2 * LEASE_MS })), {
      state: "handled",
    });
  },

  async "a released event is claimed again at once, with a new token"(inbox) {
    const token = await claimed(inbox, claimOf("released"));
    assert.equal(await inbox.release(settlementOf("released", token)), true);
    assert.notEqual(await claimed(inbox, claimOf("released", { now: 1000 })), token);
  },

  async "a claim whose lease has ended is taken over, and the first claimer settles nothing more"(
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

  async "of ten takeovers of an ended lease one holds"(inbox) {
    await claimed(inbox, claimOf("takeover"));
    const now = 1000 + LEASE_MS;
    const claims = await Promise.all(
      Array.from({ length: 10 }, async () => inbox.claim(claimOf("takeover", { now }))),
    );
    assert.equal(claims.filter(({ state }) => state === "claimed").length, 1);
  },

  async "another body under a known key is a conflict, whatever the event's state"(inbox) {
    const other = claimOf("reused", { digest: "another" });
    const token = await claimed(inbox, claimOf("reused"));
    assert.deepEqual(await inbox.claim(other), { state: "conflict" });
    await inbox.release(settlementOf("reused", token));
    assert.deepEqual(await inbox.claim(other), { state: "conflict" });
    await inbox.complete(settlementOf("reused", await claimed(inbox, claimOf("reused"))));
    assert.deepEqual(await inbox.claim(other), { state: "conflict" });
  },

  async "another body is no conflict for a claim that takes any"(inbox) {
    const other = claimOf("any-body", { digest: "another", anyBody: true });
    const token = await claimed(inbox, claimOf("any-body"));
    assert.equal((await inbox.claim(other)).state, "busy");
    await inbox.complete(settlementOf("any-body", token));
    assert.deepEqual(await inbox.claim(other), { state: "handled" });
  },

  async "tenants don't meet, however they are spelt"(inbox) {
    for (const key of [
      keyOf("b", "a"),
      keyOf("b", ""),
      keyOf("b", "a:1"),
      keyOf("1:b", "a"),
      keyOf("b", "a'; --"),
      keyOf("b", "ä\u{1F4B6}"),
    ])
      await claimed(inbox, claimOf("", { key }));
  },

  async "a settlement of an event that was never claimed changes nothing"(inbox) {
    assert.equal(await inbox.complete(settlementOf("unknown", 1)), false);
    assert.equal(await inbox.release(settlementOf("unknown", 1)), false);
    await claimed(inbox, claimOf("unknown"));
  },
};
