import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresBinaries } from "../../../receiver/test/inboxes/postgres-server.ts";
import { sharedPostgres } from "../../../receiver/test/inboxes/shared-postgres.ts";
import { campaign } from "./campaign.ts";

const stores: Readonly<Record<"SQLite" | "PostgreSQL", () => Promise<() => Driver>>> = {
  SQLite: () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-databases-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return Promise.resolve(() => sqliteDriver(join(folder, "sandbox.db")));
  },
  PostgreSQL: async () => {
    const server = await sharedPostgres();
    onTestFinished(() => server.stop());
    const url = server.urlOf(await server.create());
    return () => postgresDriver({ url });
  },
};

/**
 * The model-based suite over each store.
 *
 * @param runs Runs on each store.
 * @param answers Answers that so many runs meet without luck: a campaign that does not proves little.
 */
export function modelSuite(
  runs: Readonly<Record<keyof typeof stores, number>>,
  answers: readonly string[],
): void {
  describe("a sandbox on which payments, refunds, subscriptions and the clock change in any order", () => {
    it.for(["SQLite", "PostgreSQL"] as const)(
      "answers, emits and delivers as its model predicts, on %s",
      { timeout: 3_600_000 },
      async (name, { skip }) => {
        const isMissing = name === "PostgreSQL" && postgresBinaries === undefined;
        skip(isMissing, "PostgreSQL is not installed");
        const seen = await campaign(await stores[name](), runs[name]);
        expect([...seen]).toEqual(expect.arrayContaining([...answers]));
      },
    );
  });
}
