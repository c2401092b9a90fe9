import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { expect, it } from "vitest";
import { openWal, SqliteFile } from "../../src/inbox/sqlite-file.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** Runs processes at once, and returns what each printed. */
async function run(processes: number, args: readonly string[]): Promise<readonly string[]> {
  const start = () => promisify(execFile)(process.execPath, ["--no-warnings", ...args]);
  const outputs = await Promise.all(Array.from({ length: processes }, start));
  return outputs.map(({ stdout }) => stdout);
}

it("two processes over one SQLite file handle each stored event once", async () => {
  const path = join(temporaryFolder(), "inbox.db");
  const inbox = sqliteInbox(path);
  const ids = Array.from({ length: 200 }, (_, index) => `evt_${String(index)}`);
  const storeOne = (id: string, index: number) =>
    inbox.queue.store({
      key: { provider: "standard", tenant: "", id },
      digest: "d",
      type: "t",
      body: "{}",
      facts: "{}",
      now: 0,
      resource: { name: String(index % 20), timestamp: 0 },
    });
  await Promise.all(ids.map(storeOne));
  inbox.close();
  const program = fileURLToPath(new URL("process.ts", import.meta.url));
  const outputs = await run(2, [program, path]);
  const handled = outputs.flatMap((output) => JSON.parse(output) as string[]);
  expect(handled.toSorted()).toEqual(ids.toSorted());
});

it("no process writes between what another one's transaction in SQLite reads and writes", async () => {
  const path = join(temporaryFolder(), "inbox.db");
  const other = openWal(path, 0);
  other.exec("CREATE TABLE notes (id INTEGER)");
  const read = (database: DatabaseSync): void => {
    database.prepare("SELECT id FROM notes").all();
    expect(() => other.exec("INSERT INTO notes VALUES (1)")).toThrow("locked");
  };
  const file = new SqliteFile(path, 0, read);
  await file.run(() => read(file.database));
  file.close();
  other.close();
});

// Opens each file in the same millisecond as the other processes.
const opening = `
  const { openWal } = await import(process.argv[1]);
  const [folder, start] = [process.argv[2], Number(process.argv[3])];
  for (let index = 0; index < 40; index += 1) {
    while (Date.now() < start + index * 20);
    const database = openWal(folder + "/" + index + ".db", 5000);
    const [{ journal_mode: mode }] = database.prepare("PRAGMA journal_mode").all();
    if (mode !== "wal") throw new Error(mode);
    database.close();
  }
`;

it(
  "a new SQLite file is opened by three processes in the same millisecond, forty times",
  { tags: "ci" },
  async () => {
    const source = fileURLToPath(new URL("../../src/inbox/sqlite-file.ts", import.meta.url));
    const start = String(Date.now() + 700);
    const args = ["--input-type=module", "-e", opening, source, temporaryFolder(), start];
    await expect(run(3, args)).resolves.toHaveLength(3);
  },
);
