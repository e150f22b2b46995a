/**
 * The header of a database file, read without SQLite. The descriptors stay open for as long as their file has a name, because closing one would drop
 * every lock that this process has on the file (POSIX), and with it those of SQLite.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const MAGIC = "SQLite format 3\0";
const VERSION_AT = 60; // of `user_version`, four bytes
const HEADER_BYTES = 64;

const descriptors = new Map<string, number>();

/** The file's `user_version`; undefined when the file does not begin as a database does. `id` is its device and inode. */
export function headerVersion(path: string, id: string): number | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const length = readSync(descriptorOf(path, id), header, 0, HEADER_BYTES, 0);
  const isDatabase = length === HEADER_BYTES && header.toString("latin1", 0, MAGIC.length) === MAGIC;
  return isDatabase ? header.readInt32BE(VERSION_AT) : undefined;
}

function descriptorOf(path: string, id: string): number {
  const known = descriptors.get(id);
  if (known !== undefined) return known;
  closeDeleted();
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { dev, ino } = fstatSync(descriptor, { bigint: true });
  descriptors.set(`${dev}:${ino}`, descriptor);
  return descriptor;
}

/** Nobody can open a deleted file any more, so nobody needs a lock on it. */
function closeDeleted(): void {
  for (const [id, descriptor] of descriptors) {
    if (fstatSync(descriptor).nlink > 0) continue;
    descriptors.delete(id);
    closeSync(descriptor);
  }
}
