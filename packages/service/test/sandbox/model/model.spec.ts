import { expect, it } from "vitest";
import { onStores, sqlite } from "../../store/stores.ts";
import { campaign } from "./campaign.ts";

// Rarer answers, and PostgreSQL, are in the slow lane.
onStores([sqlite], ({ create, open }) => {
  it("a sandbox answers, emits and delivers as its model predicts, whatever happens in any order", async () => {
    const address = await create();
    const seen = await campaign(() => open(address), 8);
    expect([...seen]).toEqual(expect.arrayContaining(["200", "201 CREATED"]));
  });
});
