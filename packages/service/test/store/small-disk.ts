import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { onTestFinished } from "vitest";

/** The reason why no disk can be mounted here; `undefined` if one can. */
export const noDisk: string | undefined =
  process.platform === "linux" && process.getuid?.() === 0 && canMount()
    ? undefined
    : "a tmpfs cannot be mounted";

export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk but for so many bytes. */
  readonly fill: (leave?: number) => void;
  readonly free: () => void;
}

/** A separate disk until the test ends. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "countersign-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const filler = join(folder, "filler");
  const free = (): void => rmSync(filler, { force: true });
  const fill = (leave = 0): void => {
    const fd = openSync(filler, "a");
    try {
      for (;;) writeSync(fd, Buffer.alloc(65_536));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      closeSync(fd);
    }
    if (leave > 0) execFileSync("truncate", ["--size", `-${leave}`, filler]);
  };
  return { folder, fill, free };
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
