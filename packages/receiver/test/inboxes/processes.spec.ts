import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sqliteInbox } from "@countersign/receiver/sqlite";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const program = fileURLToPath(new URL("process.ts", import.meta.url));
const COUNT = 200;
const ids = Array.from({ length: COUNT }, (_, index) => `evt_${String(index)}`).toSorted();

/** Runs processes at once, and returns what each printed. */
async function run(processes: number, args: readonly string[]): Promise<readonly string[]> {
  const start = () => promisify(execFile)(process.execPath, ["--no-warnings", ...args]);
  const outputs = await Promise.all(Array.from({ length: processes }, start));
  return outputs.map(({ stdout }) => stdout);
}

/** The events that two processes handled, by their claims or their takes. */
async function handled(path: string, mode: "claim" | "take"): Promise<string[]> {
  const args = ["--conditions=@countersign/source", program, path, mode, String(COUNT)];
  const outputs = await run(2, args);
  return outputs.flatMap((output) => JSON.parse(output) as string[]).toSorted();
}

describe("two processes over one SQLite file", () => {
  it("handle each event once, by their claims and by their takes", async () => {
    const path = join(temporaryFolder(), "inbox.db");
    expect(await handled(path, "claim")).toEqual(ids);
    const inbox = sqliteInbox(path);
    const stored = ids.map((id) => `stored_${id}`);
    const storeOne = (id: string, index: number) =>
      inbox.queue.store({
        key: { tenant: "", id },
        digest: "d",
        type: "t",
        body: "{}",
        now: 0,
        resource: { name: String(index % 20), timestamp: 0 },
      });
    await Promise.all(stored.map(storeOne));
    inbox.close();
    expect(await handled(path, "take")).toEqual(stored);
  });
});

// Opens each file in the same millisecond as the other processes.
const openWal = `
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

describe("a new SQLite file", () => {
  it("is opened by three processes in the same millisecond, forty times", async () => {
    const source = fileURLToPath(new URL("../../src/inbox/sqlite-file.ts", import.meta.url));
    const start = String(Date.now() + 700);
    const args = ["--input-type=module", "-e", openWal, source, temporaryFolder(), start];
    await expect(run(3, args)).resolves.toHaveLength(3);
  });
});
