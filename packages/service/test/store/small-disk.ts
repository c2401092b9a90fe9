import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { onTestFinished } from "vitest";

/** The reason why no disk can be mounted here; `undefined` if one can. */
export const noDisk: string | undefined =
  process.platform === "linux" && process.getuid?.() === 0 && canMount()
    ? undefined
    : "a tmpfs cannot be mounted";

/** A separate disk until the test ends. */
export function smallDisk(megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-disk-"));
  const mount = (bytes: number, more = ""): unknown =>
    execFileSync("mount", ["-t", "tmpfs", "-o", `${more}size=${bytes}`, "tmpfs", folder]);
  mount(megabytes * 2 ** 20);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const filler = join(folder, "filler");
  const free = (): void => {
    rmSync(filler, { force: true });
    mount(megabytes * 2 ** 20, "remount,");
  };
  /** Fills the disk but for so many bytes: it shrinks to about what is used. */
  const fill = (leave = 0): void => {
    const { blocks, bfree, bsize } = statfsSync(folder);
    // Others may write meanwhile, and no disk shrinks below what is used: the last megabytes are filled by writing.
    const room = leave === 0 ? Math.min(bfree * bsize, 16 * 2 ** 20) : leave;
    mount((blocks - bfree) * bsize + room, "remount,");
    if (leave === 0) writeUntilFull(filler);
  };
  return { folder, fill, free };
}

function writeUntilFull(file: string): void {
  const fd = openSync(file, "a");
  try {
    for (;;) writeSync(fd, Buffer.alloc(65_536));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    closeSync(fd);
  }
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "countersign-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
