import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { InboxQueue } from "@countersign/receiver";
import { postgresInbox } from "@countersign/receiver/postgres";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresBinaries } from "./postgres-server.ts";
import { type SharedPostgres, sharedPostgres } from "./shared-postgres.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("process.ts", import.meta.url));
const COUNT = 200;
const ids = Array.from({ length: COUNT }, (_, index) => `evt_${String(index)}`).toSorted();

/** What each of two processes handled. */
async function twoProcesses(kind: string, place: string, mode: string): Promise<string[][]> {
  const args = [
    "--conditions=@countersign/source",
    "--no-warnings",
    program,
    kind,
    place,
    mode,
    String(COUNT),
  ];
  const outputs = await Promise.all([run(process.execPath, args), run(process.execPath, args)]);
  return outputs.map(({ stdout }) => JSON.parse(stdout) as string[]);
}

async function storeAll({ store }: Pick<InboxQueue, "store">): Promise<void> {
  await Promise.all(
    ids.map((id, index) =>
      store({
        key: { tenant: "", id: `stored_${id}` },
        digest: "d",
        type: "t",
        body: "{}",
        now: 0,
        resource: { name: String(index % 20), timestamp: 0 },
      }),
    ),
  );
}
const storedIds = ids.map((id) => `stored_${id}`);

describe("two processes over one SQLite file", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-processes-"));
  const path = join(folder, "inbox.db");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("handle each event once by its claims", async () => {
    const handled = await twoProcesses("sqlite", path, "claim");
    expect(handled.flat().toSorted()).toEqual(ids);
  });

  it("handle each stored event once by their takes", async () => {
    const inbox = sqliteInbox(path);
    await storeAll(inbox.queue);
    inbox.close();
    const handled = await twoProcesses("sqlite", path, "take");
    expect(handled.flat().toSorted()).toEqual(storedIds);
  });
});

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";

describe.skipIf(postgresBinaries === undefined)(
  `two processes over one PostgreSQL${reason}`,
  () => {
    let server: SharedPostgres;
    let url: string;
    let pool: Pool;
    beforeAll(async () => {
      server = await sharedPostgres();
      url = server.urlOf(await server.create());
      pool = new Pool({ connectionString: url, max: 4 });
      await postgresInbox(pool, { schema: "shop" }).migrate();
    }, 60_000);
    afterAll(async () => {
      await pool.end();
      await server.stop();
    });

    it("handle each event once by their claims", async () => {
      const handled = await twoProcesses("postgres", url, "claim");
      expect(handled.flat().toSorted()).toEqual(ids);
    });

    it("handle each stored event once by their takes", async () => {
      await storeAll(postgresInbox(pool, { schema: "shop" }).queue);
      const handled = await twoProcesses("postgres", url, "take");
      expect(handled.flat().toSorted()).toEqual(storedIds);
    });
  },
);
