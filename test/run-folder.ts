import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A folder that the files of one run share, whichever process they are in: what takes long to make, such
 * as an empty PostgreSQL, is made once and copied.
 */
export default function runFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "countersign-run-"));
  // PostgreSQL runs as another user where this one is root.
  chmodSync(folder, 0o777);
  process.env["COUNTERSIGN_TEST_RUN"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
