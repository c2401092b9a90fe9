import assert from "node:assert/strict";
import { idsOf, LEASE_END, type NamedChecks, resourceOf } from "./samples.ts";

/** The promises that `acknowledge: 'after-store'` needs with `order: 'per-resource'`. */
export const orderedQueueChecks: NamedChecks = {
  async "loses no event of a resource whose worker died while later ones were stored"(inbox) {
    for (const resource of [undefined, resourceOf("payment:crash")]) {
      const id = (name: string): string => `${name}-${resource?.name ?? "none"}`;
      await inbox.store(id("a"), { resource });
      assert.equal((await inbox.take()).length, 1);
      await inbox.store(id("b"), { resource, now: 2000 });
      // A second worker takes the later event before the lease ends where no order keeps it.
      const isFree = resource === undefined;
      assert.deepEqual(await inbox.drain(2000, 1), isFree ? [id("b")] : []);
      assert.deepEqual(await inbox.drain(LEASE_END, 4), isFree ? [id("a")] : [id("a"), id("b")]);
    }
    assert.deepEqual(await inbox.dead(), []);
  },

  async "takes unrelated events while sixteen resources wait for a worker that died"(inbox) {
    const names = Array.from({ length: 16 }, (_, index) => `payment:${String(index)}`);
    const store = (id: string, name: string, now = 1000): Promise<unknown> =>
      inbox.store(`${id}-${name}`, { resource: resourceOf(name), now });
    for (const name of names) await store("a", name);
    assert.equal((await inbox.take({ limit: 16 })).length, 16);
    const later = ["b", "c", "d", "e", "f"];
    for (const name of names) for (const id of later) await store(id, name, 2000);
    await inbox.store("unrelated", { now: 3000 });
    assert.deepEqual(await inbox.drain(3000, 1), ["unrelated"]);
    const late = await inbox.drain(LEASE_END, 12);
    assert.equal(new Set(late).size, 96);
    for (const name of names)
      assert.deepEqual(
        late.filter((id) => id.endsWith(`-${name}`)).map(([letter]) => letter),
        ["a", ...later],
      );
  },

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
