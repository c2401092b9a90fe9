import assert from "node:assert/strict";
import {
  claimed,
  claimOf,
  LEASE_MS,
  type NamedChecks,
  resourceOf,
  settlementOf,
} from "./samples.ts";

/** What `order: 'per-resource'` and the retention need. */
export const resourceChecks: NamedChecks = {
  async "one event of a resource is claimed at a time"(inbox) {
    const resource = resourceOf("payment:1");
    const claims = await Promise.all(
      ["r1", "r2", "r3"].map(async (id) => inbox.claim(claimOf(id, { resource }))),
    );
    assert.equal(claims.filter(({ state }) => state === "claimed").length, 1);
    for (const claim of claims)
      if (claim.state !== "claimed")
        assert.deepEqual(claim, { state: "busy", until: 1000 + LEASE_MS });
    const other = resourceOf("payment:2");
    await claimed(inbox, claimOf("r4", { resource: other }));
  },

  async "a resource is free once its event is settled, or its lease has ended"(inbox) {
    const resource = resourceOf("payment:free");
    const first = await claimed(inbox, claimOf("f1", { resource }));
    await inbox.complete(settlementOf("f1", first));
    const second = await claimed(inbox, claimOf("f2", { resource }));
    await inbox.release(settlementOf("f2", second));
    await claimed(inbox, claimOf("f3", { resource }));
    const now = 1000 + LEASE_MS;
    assert.equal((await inbox.claim(claimOf("f4", { resource, now: now - 1 }))).state, "busy");
    await claimed(inbox, claimOf("f4", { resource, now }));
  },

  async "the last handled state of a resource is told, and superseded events don't count"(inbox) {
    assert(inbox.lastHandled !== undefined, "the inbox has no lastHandled");
    const name = "payment:last";
    const of = { tenant: "", name };
    assert.equal(await inbox.lastHandled(of), undefined);
    const first = await claimed(inbox, claimOf("l1", { resource: resourceOf(name, 2, 700) }));
    assert.equal(await inbox.lastHandled(of), undefined);
    await inbox.complete(settlementOf("l1", first, 1001));
    const told = { type: "refund.authorized", rank: 2, timestamp: 700 };
    assert.deepEqual(await inbox.lastHandled(of), told);
    const older = await claimed(inbox, claimOf("l2", { resource: resourceOf(name, 1, 600) }));
    await inbox.complete({ ...settlementOf("l2", older, 1002), superseded: true });
    assert.deepEqual(await inbox.claim(claimOf("l2")), { state: "handled" });
    assert.deepEqual(await inbox.lastHandled(of), told);
    assert.equal(await inbox.lastHandled({ tenant: "other", name }), undefined);
  },

  async "a state without a rank or a readable time is told as it is"(inbox) {
    assert(inbox.lastHandled !== undefined, "the inbox has no lastHandled");
    const resource = { name: "customer:1", timestamp: Number.NaN };
    const token = await claimed(inbox, claimOf("n1", { resource }));
    await inbox.complete(settlementOf("n1", token));
    const last = await inbox.lastHandled({ tenant: "", name: "customer:1" });
    assert.equal(last?.rank, undefined);
    assert.equal(last?.timestamp, Number.NaN);
  },

  async "a purge forgets what was settled before, within its limit, and never a claim that holds"(
    inbox,
  ) {
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
    assert.deepEqual(await inbox.claim(claimOf("p4", { now: 4000 })), { state: "handled" });
  },
};
