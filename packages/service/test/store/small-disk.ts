import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
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
  /** Fills the disk but for so many bytes: it shrinks to what is used. */
  readonly fill: (leave?: number) => void;
  readonly free: () => void;
}

/** A separate disk until the test ends. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "countersign-disk-"));
  const mount = (bytes: number, more = ""): unknown =>
    execFileSync("mount", ["-t", "tmpfs", "-o", `${more}size=${bytes}`, "tmpfs", folder]);
  mount(megabytes * 2 ** 20);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const fill = (leave = 0): void => {
    const { blocks, bfree, bsize } = statfsSync(folder);
    mount((blocks - bfree) * bsize + leave, "remount,");
  };
  return { folder, fill, free: () => void mount(megabytes * 2 ** 20, "remount,") };
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
