import assert from "node:assert/strict";
import {
  bury,
  claimed,
  claimOf,
  keyOf,
  knownAs,
  LEASE_MS,
  type NamedChecks,
  queueOf,
  settlementOf,
  storeOf,
  takeOf,
} from "./samples.ts";

const report = { sameBytes: "report" } as const;
const refuse = { sameBytes: "refuse" } as const;
const ids = Array.from({ length: 10 }, (_, index) => `same${String(index)}`);
const byBytes = (id: string) => knownAs(id, { by: "bytes" });

/** The promises about events with the same bytes under other ids, which unsigned ids need. */
export const byteChecks: NamedChecks = {
  async "compares no bytes unless the claims of both events ask for it"(inbox) {
    await claimed(inbox, claimOf("silent"));
    for (const sameBytes of ["refuse", undefined] as const) {
      const id = `after ${String(sameBytes)}`;
      const claim = await inbox.claim(claimOf(id, { sameBytes, digest: "digest" }));
      assert.deepEqual(claim, { state: "claimed", token: 1 });
      await inbox.complete(settlementOf(id, 1));
    }
  },

  async "runs the bytes of an earlier event under another id and names that event if it is asked to report"(
    inbox,
  ) {
    const first = await inbox.claim(claimOf("first", report));
    assert.deepEqual(first, { state: "claimed", token: 1 });
    const second = await inbox.claim(claimOf("second", { ...report, now: 2000 }));
    assert.deepEqual(second, { state: "claimed", token: 1, sameBytesAs: "first" });
    await inbox.complete(settlementOf("first", 1));
    await inbox.release(settlementOf("second", 1));
    const again = await inbox.claim(claimOf("second", { ...report, now: 3000 }));
    assert.deepEqual(again, { state: "claimed", token: 2, sameBytesAs: "first" });
    for (const key of [keyOf("x", "other"), keyOf("x", "", "other")])
      assert.deepEqual(await inbox.claim(claimOf("", { ...report, key })), first);
    const others = await inbox.claim(claimOf("others", { ...report, digest: "another" }));
    assert.deepEqual(others, first);
  },

  async "grants all simultaneous claims of the same bytes if it is asked to report, at most one of them unmarked"(
    inbox,
  ) {
    const claims = await Promise.all(ids.map((id) => inbox.claim(claimOf(id, report))));
    const unmarked = claims.filter((claim) => {
      assert(claim.state === "claimed", "a claim is not granted");
      return claim.sameBytesAs === undefined;
    });
    assert(unmarked.length <= 1, `${String(unmarked.length)} claims have no sameBytesAs`);
  },

  async "takes the bytes of a handled event under another id for a duplicate if it is asked to refuse, and records nothing"(
    inbox,
  ) {
    const token = await claimed(inbox, claimOf("first", refuse));
    await inbox.complete(settlementOf("first", token));
    const replay = await inbox.claim(claimOf("replay", { ...refuse, now: 2000 }));
    assert.deepEqual(replay, byBytes("first"));
    // A stranger who repeats a message must not use up the id of an event to come.
    const honest = claimOf("replay", { ...refuse, digest: "another", now: 3000 });
    assert.deepEqual(await inbox.claim(honest), { state: "claimed", token: 1 });
    assert.deepEqual(await inbox.claim(claimOf("first", refuse)), knownAs("first"));
    await claimed(inbox, claimOf("", { ...refuse, key: keyOf("x", "", "other") }));
  },

  async "grants one of ten simultaneous claims of the same bytes if it is asked to refuse, and another one after its release"(
    inbox,
  ) {
    const claimAll = async (now: number): Promise<string> => {
      const claims = await Promise.all(
        ids.map((id) => inbox.claim(claimOf(id, { ...refuse, now }))),
      );
      const granted = ids.filter((_, index) => claims[index]?.state === "claimed");
      assert.equal(granted.length, 1, "claims that were granted");
      const until = now + LEASE_MS;
      for (const claim of claims)
        if (claim.state !== "claimed") assert.deepEqual(claim, { state: "busy", until });
      return granted.join();
    };
    const first = await claimAll(1000);
    await inbox.release(settlementOf(first, 1));
    const other = ids.find((id) => id !== first) ?? "";
    const second = await claimed(inbox, claimOf(other, refuse));
    assert.equal((await inbox.claim(claimOf(first, refuse))).state, "busy");
    await inbox.complete(settlementOf(other, second));
    assert.deepEqual(await inbox.claim(claimOf(first, refuse)), byBytes(other));
  },

  async "grants the same bytes under another id when the lease of the first one has ended"(inbox) {
    await claimed(inbox, claimOf("crashed", refuse));
    const now = 1000 + LEASE_MS;
    assert.deepEqual(await inbox.claim(claimOf("next", { ...refuse, now: now - 1 })), {
      state: "busy",
      until: now,
    });
    await claimed(inbox, claimOf("next", { ...refuse, now }));
    assert.equal((await inbox.claim(claimOf("crashed", { ...refuse, now }))).state, "busy");
  },
};

/** The same for stored events. */
export const queueByteChecks: NamedChecks = {
  async "stores one of ten simultaneous events with the same bytes if it is asked to refuse, also before it is handled"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    const answers = await Promise.all(ids.map((id) => queue.store(storeOf(id, refuse))));
    const first = ids.find((_, index) => answers[index]?.state === "stored") ?? "";
    const others = answers.filter(({ state }) => state !== "stored");
    assert.equal(others.length, 9);
    for (const answer of others) assert.deepEqual(answer, byBytes(first));
    const taken = await queue.take(takeOf());
    assert.deepEqual(
      taken.map(({ key }) => key.id),
      [first],
    );
    await inbox.complete(settlementOf(first, 1));
    assert.deepEqual(await queue.store(storeOf("late", refuse)), byBytes(first));
    assert.deepEqual(await queue.take(takeOf({ now: 9e12 })), []);
  },

  async "stores the same bytes under another id if it is asked to report, and where the first event is dead"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    assert.deepEqual(await queue.store(storeOf("first", report)), { state: "stored" });
    await bury(queue, "first");
    const second = await queue.store(storeOf("second", report));
    assert.deepEqual(second, { state: "stored", sameBytesAs: "first" });
    await bury(queue, "second");
    assert.deepEqual(await queue.store(storeOf("third", refuse)), { state: "stored" });
    assert.equal((await queue.take(takeOf())).length, 1);
  },
};
