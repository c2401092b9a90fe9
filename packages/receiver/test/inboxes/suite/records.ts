import assert from "node:assert/strict";
import type { FoundEvent } from "@countersign/receiver";
import { keyOf, type NamedChecks } from "./samples.ts";

const foundAs = (id: string, changes: Partial<FoundEvent>): FoundEvent => ({
  key: keyOf(id),
  type: "refund.authorized",
  state: "handled",
  isStored: false,
  seenAt: 1000,
  ...changes,
});

/** The promises that `receiver.reconcile` needs. */
export const findChecks: NamedChecks = {
  async "finds the state of recorded events in the order of their keys"(inbox) {
    await inbox.claimed("open", { now: 5 });
    await inbox.complete("handled", await inbox.claimed("handled"), 2000);
    await inbox.claimed("", { key: keyOf("unknown", "other") });
    const found = await inbox.find(keyOf("handled"), keyOf("unknown"), keyOf("open"));
    const open = foundAs("open", { state: "open", seenAt: 5 });
    assert.deepEqual(found, [foundAs("handled", {}), undefined, open]);
  },
};

/** The same of inboxes that list their own events, to find those that the provider does not list. */
export const recordedChecks: NamedChecks = {
  async "finds stored and dead events"(inbox) {
    await inbox.store("dead");
    await inbox.bury("dead");
    await inbox.store("stored");
    const found = await inbox.find(keyOf("dead"), keyOf("stored"));
    const [dead, stored] = [{ state: "dead" }, { state: "open" }] as const;
    const isStored = true;
    assert.deepEqual(found, [
      foundAs("dead", { ...dead, isStored }),
      foundAs("stored", { ...stored, isStored }),
    ]);
  },

  async "lists the events of a tenant that were recorded within a time, by id and page by page"(
    inbox,
  ) {
    for (const [id, now] of [
      ["b", 10],
      ["a", 20],
      ["c", 20],
      ["early", 9],
      ["late", 21],
    ] as const)
      await inbox.claimed(id, { now });
    for (const key of [keyOf("d", "other"), keyOf("d", "", "other")])
      await inbox.claimed("", { key, now: 20 });
    assert.deepEqual(await inbox.recorded(10, 20, { limit: 2 }), ["a", "b"]);
    assert.deepEqual(await inbox.recorded(10, 20, { limit: 2, after: "b" }), ["c"]);
  },
};
