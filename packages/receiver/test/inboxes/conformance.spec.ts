import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryInbox } from "@countersign/receiver";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { inboxConformance } from "../../src/testing/inbox-conformance.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

describe("the memory inbox", () => {
  it.each(inboxConformance({ open: () => memoryInbox() }))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe("the SQLite inbox", () => {
  const checks = inboxConformance({
    open: () => sqliteInbox(join(folder, `${String((files += 1))}.db`)),
    close: (inbox) => (inbox as ReturnType<typeof sqliteInbox>).close(),
  });
  it.each(checks)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
