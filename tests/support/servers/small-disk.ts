import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own, in memory, that a test can fill up. */
export class SmallDisk implements Disposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined where a test may not mount: that takes root. */
  static mounted(megabytes: number): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), "presence-disk-"));
    if (mount("-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder)) return new SmallDisk(folder);
    rmSync(folder, { recursive: true });
    return undefined;
  }

  grow(megabytes: number): void {
    if (!mount("-o", `remount,size=${megabytes}m`, this.folder)) throw new Error("the disk does not grow");
  }

  [Symbol.dispose](): void {
    spawnSync("umount", ["--lazy", this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function mount(...args: string[]): boolean {
  return spawnSync("mount", args).status === 0;
}
