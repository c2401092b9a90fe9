import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { Failure, systemCode } from "./failure.ts";

/** A second, in all. */
const TRIES = 50;
const PAUSE_MS = 20;

export interface KeptSecret {
  readonly value: string;
  readonly isNew: boolean;
}

/**
 * A secret that is kept in a file that its owner alone may read; made and written there at the first
 * call.
 *
 * @throws {Failure} `CS_CLI_DATABASE_UNUSABLE`: the file can neither be read nor made.
 */
export async function keptSecret(file: string, make: () => string): Promise<KeptSecret> {
  try {
    const value = make();
    // `wx`: of two processes that start together one makes it, the other reads it.
    await writeFile(file, `${value}\n`, { mode: 0o600, flag: "wx" });
    return { value, isNew: true };
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw unusable(file, error);
  }
  try {
    return { value: await writtenBy(file), isNew: false };
  } catch (error) {
    throw unusable(file, error);
  }
}

/** What another one made, which may be about to write it: the file is there before its text is. */
async function writtenBy(file: string): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const value = (await readFile(file, "utf8")).trim();
    if (value !== "") return value;
    await setTimeout(PAUSE_MS);
  }
  throw new Error("the file stays empty");
}

function unusable(file: string, cause: unknown): Failure {
  return new Failure("CS_CLI_DATABASE_UNUSABLE", `${file} can neither be read nor made`, { cause });
}
