import assert from "node:assert/strict";
import {
  bury,
  drain,
  failureOf,
  keyOf,
  LEASE_MS,
  type NamedChecks,
  queueOf,
  resourceOf,
  settlementOf,
  storeOf,
  takeOf,
} from "./samples.ts";

/** The promises that `acknowledge: 'after-store'` needs with `order: 'per-resource'`. */
export const orderedQueueChecks: NamedChecks = {
  async "loses no event of a resource whose worker died while later ones were stored"(inbox) {
    const queue = queueOf(inbox);
    for (const resource of [undefined, resourceOf("payment:crash")]) {
      const id = (name: string): string => `${name}-${resource?.name ?? "none"}`;
      await queue.store(storeOf(id("a"), { resource }));
      assert.equal((await queue.take(takeOf())).length, 1);
      await queue.store(storeOf(id("b"), { resource, now: 2000 }));
      // A second worker takes the later event before the lease ends where no order keeps it.
      const early = await drain(inbox, { from: 2000, looks: 1 });
      assert.deepEqual(early, resource === undefined ? [id("b")] : []);
      const late = await drain(inbox, { from: 1000 + LEASE_MS, looks: 4 });
      assert.deepEqual(late, resource === undefined ? [id("a")] : [id("a"), id("b")]);
    }
    assert.deepEqual(await queue.dead({ limit: 10 }), []);
  },

  async "takes unrelated events while sixteen resources wait for a worker that died"(inbox) {
    const queue = queueOf(inbox);
    const names = Array.from({ length: 16 }, (_, index) => `payment:${String(index)}`);
    for (const name of names)
      await queue.store(storeOf(`a-${name}`, { resource: resourceOf(name) }));
    assert.equal((await queue.take(takeOf({ limit: 16 }))).length, 16);
    for (const name of names)
      for (const id of ["b", "c", "d", "e", "f"])
        await queue.store(storeOf(`${id}-${name}`, { resource: resourceOf(name), now: 2000 }));
    await queue.store(storeOf("unrelated", { now: 3000 }));
    assert.deepEqual(await drain(inbox, { from: 3000, looks: 1 }), ["unrelated"]);
    const late = await drain(inbox, { from: 1000 + LEASE_MS, looks: 12 });
    assert.equal(new Set(late).size, 96);
    for (const name of names)
      assert.deepEqual(
        late.filter((id) => id.endsWith(`-${name}`)).map(([letter]) => letter),
        ["a", "b", "c", "d", "e", "f"],
      );
  },

  async "takes events of other resources, and those of none, behind two hundred that wait for one that failed"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    const resource = resourceOf("payment:hot");
    await queue.store(storeOf("failed", { resource }));
    const [failed] = await queue.take(takeOf());
    assert.equal(await queue.fail(failureOf("failed", failed?.token ?? 0, 1)), "waiting");
    const ids = Array.from({ length: 200 }, (_, index) => `behind${String(index)}`);
    await Promise.all(ids.map((id) => queue.store(storeOf(id, { resource, now: 2000 }))));
    for (const other of ["payment:0", "payment:z"])
      await queue.store(storeOf(other, { resource: resourceOf(other), now: 3000 }));
    await queue.store(storeOf("of none", { now: 3000 }));
    const early = await drain(inbox, { from: 3000, looks: 2 });
    assert.deepEqual(early.toSorted(), ["of none", "payment:0", "payment:z"]);
    assert.deepEqual(await drain(inbox, { from: 5000, looks: 1 }), ["failed"]);
  },

  async "takes the events of a resource one after the other in the order of storing"(inbox) {
    const queue = queueOf(inbox);
    const resource = resourceOf("payment:line");
    // The later one is due earlier, and waits for a retry meanwhile.
    await queue.store(storeOf("z", { resource, now: 1001 }));
    await queue.store(storeOf("a", { resource, now: 1000 }));
    await queue.store(storeOf("free", { now: 1002 }));
    const taken = await queue.take(takeOf({ now: 2000 }));
    assert.deepEqual(taken.map(({ key }) => key.id).toSorted(), ["free", "z"]);
    const z = taken.find(({ key }) => key.id === "z");
    assert.deepEqual(z?.resource, resource);
    assert.deepEqual(await queue.take(takeOf({ now: 2000 })), []);
    assert.equal(await queue.fail(failureOf("z", z.token, 1)), "waiting");
    assert.deepEqual(await queue.take(takeOf({ now: 4999 })), []);
    assert.deepEqual(await drain(inbox, { from: 5000, looks: 2 }), ["z", "a"]);
  },

  async "continues a resource behind an event that is dead, and puts a revived one at its end"(
    inbox,
  ) {
    const queue = queueOf(inbox);
    const resource = resourceOf("payment:dead");
    for (const id of ["first", "second", "third"]) await queue.store(storeOf(id, { resource }));
    await bury(queue, "first");
    const [second] = await queue.take(takeOf());
    assert.equal(second?.key.id, "second");
    await queue.retry({ key: keyOf("first"), now: 1000 });
    assert.deepEqual(await queue.take(takeOf()), []);
    await inbox.complete(settlementOf("second", second.token));
    assert.deepEqual(await drain(inbox, { from: 1000, looks: 2 }), ["third", "first"]);
  },
};
