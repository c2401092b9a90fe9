import { expect, it } from "vitest";
import { describeStore, stores } from "./stores.ts";
import { inboxChecks } from "./suite/checks.ts";

for (const store of stores)
  describeStore(store, (open) => {
    it.each(inboxChecks(open, store))("%s", async (_name, run) => {
      await expect(run()).resolves.toBeUndefined();
    });
  });
