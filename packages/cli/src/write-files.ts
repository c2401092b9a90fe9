import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Writes texts to files by path, each completely or not at all: to a temporary file next to it first, moved
 * into place once all are written. Creates missing folders.
 */
export async function writeFiles(files: ReadonlyMap<string, string>): Promise<void> {
  const suffix = `.${randomBytes(6).toString("hex")}.tmp`;
  const moves = [...files].map(([path, text]) => ({
    path,
    text,
    beside: join(dirname(path), `.${basename(path)}${suffix}`),
  }));
  try {
    for (const folder of new Set(moves.map(({ path }) => dirname(path))))
      // oxlint-disable-next-line no-await-in-loop -- one folder may be within another
      await mkdir(folder, { recursive: true });
    await Promise.all(moves.map(({ beside, text }) => writeFile(beside, text, { flag: "wx" })));
    await Promise.all(moves.map(({ path, beside }) => rename(beside, path)));
  } catch (error) {
    await Promise.all(moves.map(({ beside }) => rm(beside, { force: true })));
    throw error;
  }
}
