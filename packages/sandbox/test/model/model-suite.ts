import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresBinaries } from "../../../receiver/test/inboxes/postgres-server.ts";
import { sharedPostgres } from "../../../receiver/test/inboxes/shared-postgres.ts";
import { campaign, type Kind } from "./campaign.ts";

export interface Extent {
  readonly runs: number;
  /** Answers that so many runs meet without luck: a campaign that does not proves little. */
  readonly answers: readonly string[];
}

type Connect = (kind: Kind) => Driver;
const stores: Readonly<Record<"SQLite" | "PostgreSQL", () => Promise<Connect>>> = {
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-databases-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return (kind) => sqliteDriver(join(folder, `${kind}.db`));
  },
  PostgreSQL: async () => {
    const server = await sharedPostgres();
    onTestFinished(() => server.stop());
    const names = { standard: await server.create(), returns: await server.create() };
    return (kind) => postgresDriver({ url: server.urlOf(names[kind]) });
  },
};

/** The model-based suite over each store that has an extent. */
export function modelSuite(extents: Partial<Record<keyof typeof stores, Extent>>): void {
  describe("a sandbox on which payments, refunds, subscriptions and the clock change in any order", () => {
    it.for(["SQLite", "PostgreSQL"] as const)(
      "answers, emits and delivers as its model predicts, on %s",
      { timeout: 3_600_000 },
      async (name, { skip }) => {
        const isMissing = name === "PostgreSQL" && postgresBinaries === undefined;
        skip(isMissing, "PostgreSQL is not installed");
        const { runs, answers } = extents[name] ?? { runs: 0, answers: [] };
        skip(runs === 0, "only in the slow lane");
        const seen = await campaign(await stores[name](), runs);
        expect([...seen.keys()]).toEqual(expect.arrayContaining([...answers]));
      },
    );
  });
}
