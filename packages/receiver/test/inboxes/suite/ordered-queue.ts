import assert from "node:assert/strict";
import { idsOf, type NamedChecks, resourceOf } from "./samples.ts";

/** The promises that `acknowledge: 'after-store'` needs with `order: 'per-resource'`. */
export const orderedQueueChecks: NamedChecks = {
  async "takes events of other resources, and those of none, behind two hundred that wait for one that failed"(
    inbox,
  ) {
    const resource = resourceOf("payment:hot");
    await inbox.store("failed", { resource });
    const [failed] = await inbox.take();
    assert.equal(await inbox.fail("failed", failed?.token), "waiting");
    const ids = Array.from({ length: 200 }, (_, index) => `behind${String(index)}`);
    await Promise.all(ids.map((id) => inbox.store(id, { resource, now: 2000 })));
    for (const other of ["payment:0", "payment:z"])
      await inbox.store(other, { resource: resourceOf(other), now: 3000 });
    await inbox.store("of none", { now: 3000 });
    const early = await inbox.drain(3000, 2);
    assert.deepEqual(early.toSorted(), ["of none", "payment:0", "payment:z"]);
    assert.deepEqual(await inbox.drain(5000, 1), ["failed"]);
  },

  async "takes the events of a resource one after the other in the order of storing"(inbox) {
    const resource = resourceOf("payment:line");
    // The later one is due earlier, and waits for a retry meanwhile.
    await inbox.store("z", { resource, now: 1001 });
    await inbox.store("a", { resource, now: 1000 });
    await inbox.store("free", { now: 1002 });
    const taken = await inbox.take({ now: 2000 });
    assert.deepEqual(idsOf(taken).toSorted(), ["free", "z"]);
    const z = taken.find(({ key }) => key.id === "z");
    assert.deepEqual(await inbox.take({ now: 2000 }), []);
    assert.equal(await inbox.fail("z", z?.token), "waiting");
    assert.deepEqual(await inbox.take({ now: 4999 }), []);
    assert.deepEqual(await inbox.drain(5000, 2), ["z", "a"]);
  },

  async "continues a resource behind an event that is dead, and puts a revived one at its end"(
    inbox,
  ) {
    const resource = resourceOf("payment:dead");
    for (const id of ["first", "second", "third"]) await inbox.store(id, { resource });
    await inbox.bury("first");
    const [second] = await inbox.take();
    assert.equal(second?.key.id, "second");
    await inbox.retry("first");
    assert.deepEqual(await inbox.take(), []);
    await inbox.complete("second", second.token);
    assert.deepEqual(await inbox.drain(1000, 2), ["third", "first"]);
  },

  async "gives each resource its turn while a worker takes one event at a time"(inbox) {
    const ids = ["x1", "x2", "y1", "x3", "y2"];
    for (const id of ids) await inbox.store(id, { resource: resourceOf(id.slice(0, 1)) });
    assert.deepEqual(await inbox.drain(1000, 5, 1), ids);
  },

  async "takes events of five hundred resources, some with each look, until none is left"(inbox) {
    const ids = Array.from({ length: 500 }, (_, index) => `many${String(index)}`);
    await Promise.all(ids.map((id) => inbox.store(id, { resource: resourceOf(id) })));
    for (let left = 500; left > 0;) {
      const taken = await inbox.drain(1000, 1);
      assert(taken.length > 0, `nothing was taken of ${String(left)}`);
      left -= taken.length;
    }
  },
};
