import assert from "node:assert/strict";
import {
  idsOf,
  keyOf,
  knownAs,
  LATER,
  LEASE_END,
  LEASE_MS,
  type NamedChecks,
  storeOf,
} from "./samples.ts";

/** The promises that `acknowledge: 'after-store'` needs. */
export const queueChecks: NamedChecks = {
  async "stores an event once and takes its body as it was stored"(inbox) {
    const stored = await Promise.all(Array.from({ length: 10 }, () => inbox.store("stored")));
    for (const answer of stored) assert.deepEqual(answer, { state: "stored" });
    const { body, facts, key, type } = storeOf("stored");
    const taken = { key, type, body, facts, token: 1, attempts: 1, exclusive: false };
    assert.deepEqual(await inbox.take(), [taken]);
    assert.deepEqual(await inbox.take(), []);
  },

  async "takes a stored and a retried event at once, also if the storing process's clock is ahead"(
    inbox,
  ) {
    await inbox.store("ahead", { now: 241_000 });
    assert.equal((await inbox.status(2000)).overdue, 0);
    await inbox.bury("ahead");
    await inbox.retry("ahead", 241_000);
    assert.equal((await inbox.status(2000)).overdue, 0);
    assert.equal((await inbox.take()).length, 1);
  },

  async "never takes an event again, and knows it by its key with another body, while it waits and once it is handled, unless that is a conflict"(
    inbox,
  ) {
    await inbox.store("known");
    const other = { digest: "another" };
    const conflict = await inbox.store("known", { ...other, onIdReuse: "conflict" });
    assert.deepEqual(conflict, { state: "conflict" });
    assert.deepEqual(await inbox.store("known", other), knownAs("known", { bodyDiffers: true }));
    assert.deepEqual(await inbox.store("known"), { state: "stored" });
    const [event] = await inbox.take();
    assert.equal(await inbox.complete("known", event?.token), true);
    assert.deepEqual(await inbox.store("known", { now: 2000 }), knownAs("known"));
    assert.deepEqual(await inbox.store("known", other), knownAs("known", { bodyDiffers: true }));
    assert.deepEqual(await inbox.take({ now: LATER }), []);
  },

  async "stores a handled event anew if it ended before the time since which the call knows events"(
    inbox,
  ) {
    await inbox.store("again");
    const [event] = await inbox.take();
    await inbox.complete("again", event?.token, 2000);
    assert.deepEqual(await inbox.store("again", { knownSince: 2000 }), knownAs("again"));
    assert.deepEqual(await inbox.store("again", { knownSince: 2001 }), { state: "stored" });
    const [second] = await inbox.take({ now: 3000 });
    assert.deepEqual([second?.attempts, second?.body], [1, storeOf("again").body]);
  },

  async "takes the events of the worker's provider only, and counts those of all"(inbox) {
    const key = keyOf("evt_1", "", "other");
    await inbox.store("evt_1", { key, now: 500 });
    await inbox.store("evt_1");
    assert.equal((await inbox.status(LATER)).unhandled, 2);
    for (const provider of ["acme", "other"]) {
      const [event, ...more] = await inbox.take({ provider });
      assert.deepEqual([event?.key, more], [{ ...key, provider }, []]);
    }
  },

  async "gives each event to one of eight workers that take at once"(inbox) {
    const ids = Array.from({ length: 20 }, (_, index) => `shared${String(index)}`);
    await Promise.all(ids.map((id) => inbox.store(id)));
    const taken: string[] = [];
    // A worker that met others may return with less than there is.
    for (let round = 0; round < 20 && taken.length < ids.length; round += 1) {
      const takes = Array.from({ length: 8 }, () => inbox.take({ limit: 5 }));
      for (const events of await Promise.all(takes)) taken.push(...idsOf(events));
    }
    assert.deepEqual(taken.toSorted(), ids.toSorted());
  },

  async "takes a failed event at its retry and buries it with its reason after the last attempt"(
    inbox,
  ) {
    await inbox.store("failing");
    for (const attempts of [1, 2, 3]) {
      if (attempts > 1) assert.deepEqual(await inbox.take({ now: 4999 }), []);
      const [event] = await inbox.take({ now: attempts === 1 ? 1000 : 5000 });
      assert.equal(event?.attempts, attempts);
      const failed = await inbox.fail("failing", event.token, attempts);
      assert.equal(failed, attempts < 3 ? "waiting" : "dead");
    }
    assert.deepEqual(await inbox.take({ now: LATER }), []);
    const dead = { type: "refund.authorized", attempts: 3, reason: "no", diedAt: 1000 };
    assert.deepEqual(await inbox.dead(), [{ key: keyOf("failing"), ...dead }]);
    assert.deepEqual(await inbox.store("failing"), { state: "stored" });
    assert.equal((await inbox.dead()).length, 1);
  },

  async "takes a dead event at once after its retry, with all its attempts"(inbox) {
    await inbox.store("revived");
    assert.equal(await inbox.retry("revived"), false);
    const token = await inbox.bury("revived");
    assert.equal(await inbox.retry("revived", 2000), true);
    assert.equal(await inbox.retry("revived", 2000), false);
    assert.deepEqual(await inbox.dead(), []);
    const [again] = await inbox.take({ now: 2000 });
    assert.equal(again?.attempts, 1);
    assert.notEqual(again.token, token);
  },

  async "claims a dead event for an attempt of its sender"(inbox) {
    await inbox.store("resent");
    const token = await inbox.bury("resent");
    assert((await inbox.claimed("resent")) > token);
    assert.deepEqual(await inbox.dead(), []);
  },

  async "takes an event again after its lease, counts the attempt and fences the worker that died"(
    inbox,
  ) {
    await inbox.store("crashing");
    let now = 1000;
    let lost = 0;
    for (const attempts of [1, 2, 3]) {
      const [event] = await inbox.take({ now });
      assert.equal(event?.attempts, attempts);
      assert.deepEqual(await inbox.take({ now: now + LEASE_MS - 1 }), []);
      if (attempts > 1) assert.equal(await inbox.complete("crashing", lost, now), false);
      lost = event.token;
      now += LEASE_MS;
    }
    assert.deepEqual(await inbox.take({ now }), []);
    const [dead] = await inbox.dead();
    assert.equal(dead?.attempts, 3);
    assert.match(dead.reason, /CS_CLAIM_LOST/);
    assert.equal(await inbox.fail("crashing", lost, 3), undefined);
  },

  async "takes an event exclusively once its lease has ended twice, so that it ends no others with its process"(
    inbox,
  ) {
    for (const id of ["a", "b", "c"]) await inbox.store(id);
    for (const now of [1000, LEASE_END]) {
      const taken = await inbox.take({ now });
      assert.deepEqual(
        taken.map(({ exclusive = false }) => exclusive),
        [false, false, false],
      );
    }
    await inbox.store("new");
    const exclusive: string[] = [];
    for (const now of [2, 3, 4].map((leases) => 1000 + leases * LEASE_MS)) {
      const [event, ...more] = await inbox.take({ now, maxAttempts: 10 });
      assert(event !== undefined, "none was taken");
      assert.deepEqual([event.exclusive, event.attempts, more], [true, 3, []]);
      exclusive.push(event.key.id);
      assert.equal(await inbox.complete(event.key.id, event.token, now), true);
    }
    assert.deepEqual(exclusive.toSorted(), ["a", "b", "c"]);
    const [last] = await inbox.take({ now: 1000 + 4 * LEASE_MS });
    assert.deepEqual([last?.key.id, last?.exclusive ?? false], ["new", false]);
  },

  async "erases what it keeps of a stored event, which is never handled then and stays known"(
    inbox,
  ) {
    await inbox.store("waiting");
    assert.equal(await inbox.erase("unheard-of"), "unknown");
    const [taken] = await inbox.take();
    const now = LEASE_END;
    assert.equal(await inbox.erase("waiting", now - 1), "busy");
    assert.equal(await inbox.erase("waiting", now), "erased");
    assert.equal(await inbox.complete("waiting", taken?.token, now), false);
    await inbox.store("dead");
    await inbox.bury("dead");
    assert.equal(await inbox.erase("dead", now), "erased");
    assert.deepEqual(await inbox.dead(), []);
    assert.equal(await inbox.retry("dead", now), false);
    for (const id of ["waiting", "dead"]) {
      assert.deepEqual(await inbox.store(id), knownAs(id));
      assert.equal(await inbox.erase(id, now), "erased");
    }
    assert.deepEqual(await inbox.take({ now: LATER }), []);
    assert.equal((await inbox.status(LATER)).unhandled, 0);
  },

  async "keeps stored events from a purge until they are handled, and dead ones"(inbox) {
    await inbox.store("keep-dead");
    await inbox.bury("keep-dead");
    await inbox.store("keep-stored");
    assert.equal(await inbox.purge(LATER), 0);
    assert.equal((await inbox.dead()).length, 1);
    assert.equal((await inbox.take()).length, 1);
  },

  async "stores an event with its body after an attempt left it unhandled"(inbox) {
    const token = await inbox.claimed("switched");
    assert.deepEqual(await inbox.store("switched"), { state: "busy", until: LEASE_END });
    await inbox.release("switched", token);
    assert.deepEqual(await inbox.store("switched"), { state: "stored" });
    const [event] = await inbox.take();
    const { body, facts } = storeOf("switched");
    assert.deepEqual([event?.body, event?.facts], [body, facts]);
  },

  async "counts unhandled and overdue events and names the one that was stored first"(inbox) {
    assert.deepEqual(await inbox.status(LATER), { unhandled: 0, overdue: 0 });
    await inbox.store("handled", { now: 900 });
    const [event] = await inbox.take();
    await inbox.complete("handled", event?.token);
    await inbox.store("dead", { now: 500 });
    await inbox.bury("dead");
    await inbox.store("old", { now: 1000 });
    await inbox.store("new", { now: 3000 });
    const times = { attempts: 0, storedAt: 1000, dueAt: 1000 };
    const oldest = { key: keyOf("old"), type: "refund.authorized", ...times };
    assert.deepEqual(await inbox.status(2000), { unhandled: 2, overdue: 1, oldest });
  },
};
