import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../src/inbox/sqlite-file.ts", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-wal-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// Opens every file as soon as all processes stand at it: a file in a folder is the sign.
const program = `
  const { openWal } = await import(process.argv[1]);
  const [folder, count] = [process.argv[2], Number(process.argv[3])];
  const start = Number(process.argv[4]);
  for (let index = 0; index < count; index += 1) {
    while (Date.now() < start + index * 20);
    const database = openWal(folder + "/" + index + ".db", 5000);
    const [{ journal_mode: mode }] = database.prepare("PRAGMA journal_mode").all();
    if (mode !== "wal") throw new Error(mode);
    database.close();
  }
`;

describe("a new SQLite file", () => {
  it("is opened by three processes in the same millisecond, forty times", async () => {
    const start = Date.now() + 700;
    const runs = Array.from({ length: 3 }, () =>
      promisify(execFile)(process.execPath, [
        "--no-warnings",
        "--input-type=module",
        "-e",
        program,
        source,
        folder,
        "40",
        String(start),
      ]),
    );
    expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
  });
});
