import { join } from "node:path";
import { sqliteDriver } from "@countersign/service";
import { expect, it } from "vitest";
import { campaign } from "./campaign.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

// Rarer answers, and PostgreSQL, are in the slow lane.
it("a sandbox answers, emits and delivers as its model predicts, whatever happens in any order", async () => {
  const file = join(temporaryFolder(), "sandbox.db");
  const seen = await campaign(() => sqliteDriver(file), 8);
  expect([...seen]).toEqual(expect.arrayContaining(["200", "201 CREATED"]));
});
