import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/**
 * Files that exist completely or not at all, even after a power cut: write a temporary file, fsync, move into place, fsync the folder. A temporary file
 * left by a killed process is removed by the next one.
 */

/** Replaces or creates the file. */
export function replaceFile(path: string, text: string, mode: number): void {
  moveReplacing(writeTemporary(path, text, mode), path);
}

/** Moves a synced file into the place of another. */
export function moveReplacing(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(to);
}

/** Creates the file; throws the system's `EEXIST` if it exists. */
export function createFile(path: string, text: string, mode: number): void {
  const temporary = writeTemporary(path, text, mode);
  try {
    moveWithoutReplacing(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Links a file into place, because a rename would replace an existing one. Throws the system's `EEXIST`. */
export function moveWithoutReplacing(from: string, to: string): void {
  linkSync(from, to);
  rmSync(from);
  syncFolder(to);
}

function writeTemporary(path: string, text: string, mode: number): string {
  const temporary = `${path}.tmp`;
  // A leftover may be linked to the file itself: unlink it, never write into it.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", mode);
  try {
    fchmodSync(file, mode);
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return temporary;
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Free bytes on the disk of a path that need not exist yet. */
export function freeBytes(path: string): number {
  if (!existsSync(path)) return freeBytes(dirname(path));
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Every file below a folder, in a fixed order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
