import assert from "node:assert/strict";
import {
  bury,
  claimOf,
  claimed,
  failureOf,
  keyOf,
  knownAs,
  LEASE_MS,
  type NamedChecks,
  queueOf,
  settlementOf,
  storeOf,
  takeOf,
} from "./samples.ts";

/** The promises that `acknowledge: 'after-store'` needs. */
export const queueChecks: NamedChecks = {
  async "stores an event once and takes its body as it was stored"(inbox) {
    const queue = queueOf(inbox);
    const stored = await Promise.all(
      Array.from({ length: 10 }, () => queue.store(storeOf("stored"))),
    );
    for (const answer of stored) assert.deepEqual(answer, { state: "stored" });
    const { body, facts, key, digest, type } = storeOf("stored");
    const [event, ...more] = await queue.take(takeOf());
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event?.key, event?.digest, event?.type, event?.body, event?.facts, event?.attempts],
      [key, digest, type, body, facts, 1],
    );
    assert.deepEqual(await queue.take(takeOf()), []);
  },

  async "takes a stored and a retried event at once, also if the storing process's clock is ahead"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("ahead", { now: 241_000 }));
    assert.deepEqual((await queue.status({ dueBefore: 2000 })).overdue, 0);
    await bury(queue, "ahead");
    await queue.retry({ key: keyOf("ahead"), now: 241_000 });
    assert.deepEqual((await queue.status({ dueBefore: 2000 })).overdue, 0);
    assert.equal((await queue.take(takeOf())).length, 1);
  },

  async "never takes a handled event again, and takes another body under its key for the same event unless it is a conflict"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("known"));
    const other = storeOf("known", { digest: "another" });
    assert.deepEqual(await queue.store({ ...other, onIdReuse: "conflict" }), { state: "conflict" });
    assert.deepEqual(await queue.store(other), { state: "stored" });
    const [event] = await queue.take(takeOf());
    assert.equal(await inbox.complete(settlementOf("known", event?.token ?? 0)), true);
    assert.deepEqual(await queue.store(storeOf("known", { now: 2000 })), knownAs("known"));
    assert.deepEqual(await queue.store(other), knownAs("known", { bodyDiffers: true }));
    assert.deepEqual(await queue.take(takeOf({ now: 9e12 })), []);
  },

  async "takes the events of the worker's provider only, and counts those of all"(inbox) {
    const queue = queueOf(inbox);
    const key = keyOf("evt_1", "", "other");
    await queue.store(storeOf("evt_1", { key, now: 500 }));
    await queue.store(storeOf("evt_1"));
    assert.equal((await queue.status({ dueBefore: 9e12 })).unhandled, 2);
    for (const provider of ["acme", "other"]) {
      const [event, ...more] = await queue.take(takeOf({ provider }));
      assert.deepEqual([event?.key, more], [{ ...key, provider }, []]);
    }
  },

  async "gives each event to one of eight workers that take at once"(inbox) {
    const queue = queueOf(inbox);
    const ids = Array.from({ length: 20 }, (_, index) => `shared${String(index)}`);
    await Promise.all(ids.map((id) => queue.store(storeOf(id))));
    const taken: string[] = [];
    // A worker that met others may return with less than there is.
    for (let round = 0; round < 20 && taken.length < ids.length; round += 1) {
      const takes = Array.from({ length: 8 }, () => queue.take(takeOf({ limit: 5 })));
      for (const events of await Promise.all(takes)) taken.push(...events.map(({ key }) => key.id));
    }
    assert.deepEqual(taken.toSorted(), ids.toSorted());
  },

  async "takes a failed event at its retry and buries it with its reason after the last attempt"(
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
    const dead = { type: "refund.authorized", attempts: 3, reason: "no", diedAt: 1000 };
    assert.deepEqual(await queue.dead({ limit: 10 }), [{ key: keyOf("failing"), ...dead }]);
    assert.deepEqual(await queue.store(storeOf("failing")), { state: "stored" });
    assert.equal((await queue.dead({ limit: 10 })).length, 1);
  },

  async "takes a dead event at once after its retry, with all its attempts"(inbox) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("revived"));
    assert.equal(await queue.retry({ key: keyOf("revived"), now: 1000 }), false);
    const token = await bury(queue, "revived");
    assert.equal(await queue.retry({ key: keyOf("revived"), now: 2000 }), true);
    assert.equal(await queue.retry({ key: keyOf("revived"), now: 2000 }), false);
    assert.deepEqual(await queue.dead({ limit: 10 }), []);
    const [again] = await queue.take(takeOf({ now: 2000 }));
    assert.equal(again?.attempts, 1);
    assert.notEqual(again.token, token);
  },

  async "claims a dead event for an attempt of its sender"(inbox) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("resent"));
    const token = await bury(queue, "resent");
    assert((await claimed(inbox, claimOf("resent"))) > token);
    assert.deepEqual(await queue.dead({ limit: 10 }), []);
  },

  async "takes an event again after its lease, counts the attempt and fences the worker that died"(
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

  async "takes an event alone once its lease has ended twice, so that it ends no others with its process"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    for (const id of ["a", "b", "c"]) await queue.store(storeOf(id));
    for (const now of [1000, 1000 + LEASE_MS]) {
      const taken = await queue.take(takeOf({ now }));
      assert.deepEqual(
        taken.map(({ alone = false }) => alone),
        [false, false, false],
      );
    }
    await queue.store(storeOf("new"));
    const alone: string[] = [];
    for (const now of [2, 3, 4].map((leases) => 1000 + leases * LEASE_MS)) {
      const [event, ...more] = await queue.take(takeOf({ now, maxAttempts: 10 }));
      assert(event !== undefined, "none was taken");
      assert.deepEqual([event.alone, event.attempts, more], [true, 3, []]);
      alone.push(event.key.id);
      assert.equal(await inbox.complete({ key: event.key, token: event.token, now }), true);
    }
    assert.deepEqual(alone.toSorted(), ["a", "b", "c"]);
    const [last] = await queue.take(takeOf({ now: 1000 + 4 * LEASE_MS }));
    assert.deepEqual([last?.key.id, last?.alone ?? false], ["new", false]);
  },

  async "erases what it keeps of a stored event, which is never handled then and stays known"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    await queue.store(storeOf("waiting"));
    const key = keyOf("waiting");
    assert.equal(await queue.erase({ key: keyOf("unheard-of"), now: 1000 }), "unknown");
    const [taken] = await queue.take(takeOf());
    const now = 1000 + LEASE_MS;
    assert.equal(await queue.erase({ key, now: now - 1 }), "busy");
    assert.equal(await queue.erase({ key, now }), "erased");
    assert.equal(await inbox.complete(settlementOf("waiting", taken?.token ?? 0, now)), false);
    await queue.store(storeOf("dead"));
    await bury(queue, "dead");
    assert.equal(await queue.erase({ key: keyOf("dead"), now }), "erased");
    assert.deepEqual(await queue.dead({ limit: 10 }), []);
    assert.equal(await queue.retry({ key: keyOf("dead"), now }), false);
    for (const id of ["waiting", "dead"]) {
      assert.deepEqual(await queue.store(storeOf(id)), knownAs(id));
      assert.equal(await queue.erase({ key: keyOf(id), now }), "erased");
    }
    assert.deepEqual(await queue.take(takeOf({ now: 9e12 })), []);
    assert.equal((await queue.status({ dueBefore: 9e12 })).unhandled, 0);
  },

  async "keeps stored events from a purge until they are handled, and dead ones"(inbox) {
    const queue = queueOf(inbox);
    assert(inbox.purge !== undefined, "the inbox has no purge");
    await queue.store(storeOf("keep-dead"));
    await bury(queue, "keep-dead");
    await queue.store(storeOf("keep-stored"));
    assert.equal(await inbox.purge({ before: 9e12, limit: 10 }), 0);
    assert.equal((await queue.dead({ limit: 10 })).length, 1);
    assert.equal((await queue.take(takeOf())).length, 1);
  },

  async "stores an event with its body after an attempt left it unhandled"(inbox) {
    const queue = queueOf(inbox);
    const token = await claimed(inbox, claimOf("switched"));
    const busy = { state: "busy", until: 1000 + LEASE_MS };
    assert.deepEqual(await queue.store(storeOf("switched")), busy);
    await inbox.release(settlementOf("switched", token));
    assert.deepEqual(await queue.store(storeOf("switched")), { state: "stored" });
    const [event] = await queue.take(takeOf());
    const { body, facts } = storeOf("switched");
    assert.deepEqual([event?.body, event?.facts], [body, facts]);
  },

  async "counts unhandled and overdue events and names the one that was stored first"(inbox) {
    const queue = queueOf(inbox);
    assert.deepEqual(await queue.status({ dueBefore: 9e12 }), { unhandled: 0, overdue: 0 });
    await queue.store(storeOf("handled", { now: 900 }));
    const [event] = await queue.take(takeOf());
    await inbox.complete(settlementOf("handled", event?.token ?? 0));
    await queue.store(storeOf("dead", { now: 500 }));
    await bury(queue, "dead");
    await queue.store(storeOf("old", { now: 1000 }));
    await queue.store(storeOf("new", { now: 3000 }));
    const times = { attempts: 0, storedAt: 1000, dueAt: 1000 };
    assert.deepEqual(await queue.status({ dueBefore: 2000 }), {
      unhandled: 2,
      overdue: 1,
      oldest: { key: keyOf("old"), type: "refund.authorized", ...times },
    });
  },
};
