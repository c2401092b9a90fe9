import assert from "node:assert/strict";
import {
  claimOf,
  claimed,
  keyOf,
  LEASE_MS,
  type NamedChecks,
  queueOf,
  resourceOf,
  settlementOf,
  storeOf,
  takeOf,
} from "./samples.ts";

const failureOf = (id: string, token: number, attempts: number) =>
  ({ ...settlementOf(id, token), attempts, maxAttempts: 3, retryAt: 5000, reason: "no" }) as const;

/** What `acknowledge: 'after-store'` needs. */
export const queueChecks: NamedChecks = {
  async "an event is stored once, and its body is taken as it was stored"(inbox) {
    const queue = queueOf(inbox);
    const stored = await Promise.all(
      Array.from({ length: 10 }, () => queue.store(storeOf("stored"))),
    );
    assert.deepEqual(stored, Array(10).fill("stored"));
    const taken = await queue.take(takeOf());
    const { body, key, digest, type } = storeOf("stored");
    assert.equal(taken.length, 1);
    const [event] = taken;
    assert.deepEqual(
      [event?.key, event?.digest, event?.type, event?.body, event?.attempts],
      [key, digest, type, body, 1],
    );
    assert.deepEqual(await queue.take(takeOf()), []);
  },

  async "a stored event that is handled stays so, and another body under its key is a conflict"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("known"));
    const other = storeOf("known", { digest: "another" });
    assert.equal(await queue.store(other), "conflict");
    assert.equal(await queue.store({ ...other, anyBody: true }), "stored");
    const [event] = await queue.take(takeOf());
    assert.equal(await inbox.complete(settlementOf("known", event?.token ?? 0)), true);
    assert.equal(await queue.store(storeOf("known")), "handled");
    assert.deepEqual(await queue.take(takeOf({ now: 9e12 })), []);
  },

  async "of eight workers that take at once each event goes to one"(inbox) {
    const queue = queueOf(inbox);
    const ids = Array.from({ length: 20 }, (_, index) => `shared${String(index)}`);
    await Promise.all(ids.map((id) => queue.store(storeOf(id))));
    const taken: string[] = [];
    // As often as it takes: a worker that met others may come back with less than there is.
    for (let round = 0; round < 20 && taken.length < ids.length; round += 1) {
      const takes = Array.from({ length: 8 }, () => queue.take(takeOf({ limit: 5 })));
      for (const events of await Promise.all(takes)) taken.push(...events.map(({ key }) => key.id));
    }
    assert.deepEqual(taken.toSorted(), ids.toSorted());
  },

  async "a failed event waits until its retry, and is dead with its reason after the last attempt"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("failing"));
    for (const attempts of [1, 2, 3]) {
      const now = attempts === 1 ? 1000 : 5000;
      if (attempts > 1) assert.deepEqual(await queue.take(takeOf({ now: 4999 })), []);
      const [event] = await queue.take(takeOf({ now }));
      assert.equal(event?.attempts, attempts);
      const failed = await queue.fail(failureOf("failing", event.token, attempts));
      assert.equal(failed, attempts < 3 ? "waiting" : "dead");
    }
    assert.deepEqual(await queue.take(takeOf({ now: 9e12 })), []);
    assert.deepEqual(await queue.dead({ limit: 10 }), [
      {
        key: keyOf("failing"),
        type: "refund.authorized",
        attempts: 3,
        reason: "no",
        diedAt: 1000,
      },
    ]);
    assert.equal(await queue.store(storeOf("failing")), "stored");
    assert.equal((await queue.dead({ limit: 10 })).length, 1);
  },

  async "a dead event that is retried is due at once, with all its attempts"(inbox) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("revived"));
    assert.equal(await queue.retry({ key: keyOf("revived"), now: 1000 }), false);
    const [event] = await queue.take(takeOf());
    const last = { ...failureOf("revived", event?.token ?? 0, 1), maxAttempts: 1 };
    assert.equal(await queue.fail(last), "dead");
    assert.equal(await queue.retry({ key: keyOf("revived"), now: 2000 }), true);
    assert.equal(await queue.retry({ key: keyOf("revived"), now: 2000 }), false);
    assert.deepEqual(await queue.dead({ limit: 10 }), []);
    const [again] = await queue.take(takeOf({ now: 2000 }));
    assert.equal(again?.attempts, 1);
    assert.notEqual(again.token, event?.token);
  },

  async "an event whose worker ended is taken again after its lease, and its attempt counts"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("crashing"));
    let now = 1000;
    let lost = 0;
    for (const attempts of [1, 2, 3]) {
      const [event] = await queue.take(takeOf({ now }));
      assert.equal(event?.attempts, attempts);
      assert.deepEqual(await queue.take(takeOf({ now: now + LEASE_MS - 1 })), []);
      if (attempts > 1)
        assert.equal(await inbox.complete(settlementOf("crashing", lost, now)), false);
      lost = event.token;
      now += LEASE_MS;
    }
    assert.deepEqual(await queue.take(takeOf({ now })), []);
    const [dead] = await queue.dead({ limit: 10 });
    assert.equal(dead?.attempts, 3);
    assert.match(dead.reason, /CS_CLAIM_LOST/);
    assert.equal(await queue.fail(failureOf("crashing", lost, 3)), undefined);
  },

  async "one event of a resource is taken at a time, in the order in which they were due"(inbox) {
    const queue = queueOf(inbox);
    const resource = resourceOf("payment:line");
    await queue.store(storeOf("z", { resource, now: 1000 }));
    await queue.store(storeOf("a", { resource, now: 1001 }));
    await queue.store(storeOf("free", { now: 1002 }));
    const taken = await queue.take(takeOf({ now: 2000 }));
    assert.deepEqual(taken.map(({ key }) => key.id).toSorted(), ["free", "z"]);
    assert.deepEqual(taken.find(({ key }) => key.id === "z")?.resource, resource);
    assert.deepEqual(await queue.take(takeOf({ now: 2000 })), []);
    const z = taken.find(({ key }) => key.id === "z");
    await inbox.complete(settlementOf("z", z?.token ?? 0, 2000));
    assert.deepEqual(
      (await queue.take(takeOf({ now: 2000 }))).map(({ key }) => key.id),
      ["a"],
    );
  },

  async "a long line of one resource keeps no other event from being taken"(inbox) {
    const queue = queueOf(inbox);
    const resource = resourceOf("payment:hot");
    for (let index = 0; index < 30; index += 1)
      await queue.store(storeOf(`hot${String(index)}`, { resource, now: 1000 }));
    await queue.store(storeOf("cold", { now: 1500 }));
    const taken = await queue.take(takeOf({ limit: 2, now: 2000 }));
    assert.deepEqual(taken.map(({ key }) => key.id).includes("cold"), true);
    assert.equal(taken.length, 2);
  },

  async "a resource that an attempt left claimed is free for workers after the lease"(inbox) {
    const queue = queueOf(inbox);
    const resource = resourceOf("payment:left");
    await claimed(inbox, claimOf("left", { resource }));
    await queue.store(storeOf("next", { resource, now: 1001 }));
    assert.deepEqual(await queue.take(takeOf({ now: 999 + LEASE_MS })), []);
    const now = 1000 + LEASE_MS;
    // The first take may only clear the way.
    const taken = [...(await queue.take(takeOf({ now }))), ...(await queue.take(takeOf({ now })))];
    assert.deepEqual(
      taken.map(({ key }) => key.id),
      ["next"],
    );
  },

  async "what is stored and not handled is never purged, dead events neither"(inbox) {
    const queue = queueOf(inbox);
    assert(inbox.purge !== undefined, "the inbox has no purge");
    await queue.store(storeOf("keep-dead"));
    const [event] = await queue.take(takeOf());
    const last = { ...failureOf("keep-dead", event?.token ?? 0, 1), maxAttempts: 1 };
    await queue.fail(last);
    await queue.store(storeOf("keep-stored"));
    assert.equal(await inbox.purge({ before: 9e12, limit: 10 }), 0);
    assert.equal((await queue.dead({ limit: 10 })).length, 1);
    assert.equal((await queue.take(takeOf())).length, 1);
  },

  async "an event that an attempt left unhandled is stored with its body"(inbox) {
    const queue = queueOf(inbox);
    const token = await claimed(inbox, claimOf("switched"));
    assert.equal(await queue.store(storeOf("switched")), "busy");
    await inbox.release(settlementOf("switched", token));
    assert.equal(await queue.store(storeOf("switched")), "stored");
    const [event] = await queue.take(takeOf());
    assert.equal(event?.body, storeOf("switched").body);
  },
};
