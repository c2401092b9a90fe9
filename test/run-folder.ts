import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildInspectorIfChanged, generateIfChanged } from "../scripts/generate.ts";
import { SHARED_POSTGRES, stopPostgres } from "../packages/receiver/test/inboxes/servers.ts";

/** Linux's in-memory file system; a container may have very little of it. */
const IN_MEMORY = "/dev/shm";
const ENOUGH = 4 * 2 ** 30;

/**
 * The folder of one run, for all its processes: temporary files are in it, and the PostgreSQL that they share.
 * It is in memory if there is enough: half of the time of a test with its own store is the disk's flushes, which
 * nothing here needs, since tests end processes and not machines.
 */
export default async function runFolder(): Promise<() => void> {
  await generateIfChanged();
  buildInspectorIfChanged();
  const folder = mkdtempSync(join(hasMemory() ? IN_MEMORY : tmpdir(), "countersign-run-"));
  // PostgreSQL runs as another user where this one is root.
  chmodSync(folder, 0o777);
  process.env["COUNTERSIGN_TEST_RUN"] = folder;
  process.env["TMPDIR"] = folder;
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    // The server that the run's suites have shared, if one of them has asked for it.
    const shared = join(folder, SHARED_POSTGRES);
    const [, data] = existsSync(shared) ? readFileSync(shared, "utf8").split("\n") : [];
    if (data !== undefined) stopPostgres(data);
    rmSync(folder, { recursive: true, force: true });
  };
  // A run that is broken off by Ctrl-C ends without its teardown.
  process.once("exit", end);
  return end;
}

function hasMemory(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ENOUGH;
}
