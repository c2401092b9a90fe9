import assert from "node:assert/strict";
import { idsOf, keyOf, knownAs, LATER, LEASE_END, LEASE_MS, type NamedChecks } from "./samples.ts";

const report = { sameBytes: "report" } as const;
const refuse = { sameBytes: "refuse" } as const;
const ids = Array.from({ length: 10 }, (_, index) => `same${String(index)}`);
const byBytes = (id: string) => knownAs(id, { by: "bytes" });

/** The promises about events with the same bytes under other ids, which unsigned ids need. */
export const byteChecks: NamedChecks = {
  async "compares no bytes unless the claims of both events ask for it"(inbox) {
    await inbox.claimed("silent");
    for (const sameBytes of ["refuse", undefined] as const) {
      const id = `after ${String(sameBytes)}`;
      assert.deepEqual(await inbox.claim(id, { sameBytes }), { state: "claimed", token: 1 });
      await inbox.complete(id, 1);
    }
  },

  async "runs the bytes of an earlier event under another id and names that event if it is asked to report"(
    inbox,
  ) {
    const unmarked = { state: "claimed", token: 1 };
    assert.deepEqual(await inbox.claim("first", report), unmarked);
    const second = await inbox.claim("second", { ...report, now: 2000 });
    assert.deepEqual(second, { ...unmarked, sameBytesAs: "first" });
    await inbox.complete("first", 1);
    await inbox.release("second", 1);
    const again = await inbox.claim("second", { ...report, now: 3000 });
    assert.deepEqual(again, { state: "claimed", token: 2, sameBytesAs: "first" });
    for (const key of [keyOf("x", "other"), keyOf("x", "", "other")])
      assert.deepEqual(await inbox.claim("", { ...report, key }), unmarked);
    assert.deepEqual(await inbox.claim("others", { ...report, digest: "another" }), unmarked);
  },

  async "grants all simultaneous claims of the same bytes if it is asked to report, at most one of them unmarked"(
    inbox,
  ) {
    const claims = await Promise.all(ids.map((id) => inbox.claim(id, report)));
    const unmarked = claims.filter((answer) => {
      assert(answer.state === "claimed", "a claim is not granted");
      return answer.sameBytesAs === undefined;
    });
    assert(unmarked.length <= 1, `${String(unmarked.length)} claims have no sameBytesAs`);
  },

  async "takes the bytes of a handled event under another id for a duplicate if it is asked to refuse, and records nothing"(
    inbox,
  ) {
    await inbox.complete("first", await inbox.claimed("first", refuse));
    assert.deepEqual(await inbox.claim("replay", { ...refuse, now: 2000 }), byBytes("first"));
    // A stranger who repeats a message must not use up the id of an event to come.
    const honest = await inbox.claim("replay", { ...refuse, digest: "another", now: 3000 });
    assert.deepEqual(honest, { state: "claimed", token: 1 });
    assert.deepEqual(await inbox.claim("first", refuse), knownAs("first"));
    await inbox.claimed("", { ...refuse, key: keyOf("x", "", "other") });
  },

  async "grants one of ten simultaneous claims of the same bytes if it is asked to refuse, and another one after its release"(
    inbox,
  ) {
    const claims = await Promise.all(ids.map((id) => inbox.claim(id, refuse)));
    const granted = ids.filter((_, index) => claims[index]?.state === "claimed");
    assert.equal(granted.length, 1, "claims that were granted");
    for (const answer of claims)
      if (answer.state !== "claimed") assert.deepEqual(answer, { state: "busy", until: LEASE_END });
    const [first = ""] = granted;
    await inbox.release(first, 1);
    const other = ids.find((id) => id !== first) ?? "";
    const second = await inbox.claimed(other, refuse);
    assert.equal((await inbox.claim(first, refuse)).state, "busy");
    await inbox.complete(other, second);
    assert.deepEqual(await inbox.claim(first, refuse), byBytes(other));
  },

  async "grants the same bytes under another id when the lease of the first one has ended"(inbox) {
    await inbox.claimed("crashed", refuse);
    const now = 1000 + LEASE_MS;
    const early = await inbox.claim("next", { ...refuse, now: now - 1 });
    assert.deepEqual(early, { state: "busy", until: now });
    await inbox.claimed("next", { ...refuse, now });
    assert.equal((await inbox.claim("crashed", { ...refuse, now })).state, "busy");
  },
};

/** The same for stored events. */
export const queueByteChecks: NamedChecks = {
  async "stores one of ten simultaneous events with the same bytes if it is asked to refuse, also before it is handled"(
    inbox,
  ) {
    const answers = await Promise.all(ids.map((id) => inbox.store(id, refuse)));
    const first = ids.find((_, index) => answers[index]?.state === "stored") ?? "";
    const others = answers.filter(({ state }) => state !== "stored");
    assert.equal(others.length, 9);
    for (const answer of others) assert.deepEqual(answer, byBytes(first));
    assert.deepEqual(idsOf(await inbox.take()), [first]);
    await inbox.complete(first, 1);
    assert.deepEqual(await inbox.store("late", refuse), byBytes(first));
    assert.deepEqual(await inbox.take({ now: LATER }), []);
  },

  async "stores the same bytes under another id if it is asked to report, and where the first event is dead"(
    inbox,
  ) {
    assert.deepEqual(await inbox.store("first", report), { state: "stored" });
    await inbox.bury("first");
    const second = await inbox.store("second", report);
    assert.deepEqual(second, { state: "stored", sameBytesAs: "first" });
    await inbox.bury("second");
    assert.deepEqual(await inbox.store("third", refuse), { state: "stored" });
    assert.equal((await inbox.take()).length, 1);
  },
};
