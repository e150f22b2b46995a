/** What tells, without reading them, whether the files of a home changed since they were backed up. */

import { existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Marks } from "../../../kernel/backup-status.ts";
import { hasErrorCode } from "../../../kernel/errors.ts";
import { readForeignFile } from "../../../kernel/files/foreign-file.ts";
import { MAX_SECRET_BYTES } from "../../../kernel/files/secret-file.ts";
import { sha256Hex } from "../../../kernel/hash.ts";
import type { Home } from "../../../kernel/home.ts";
import type { Store } from "./store.ts";

export function marksOf(home: Home, { data, keys }: Store): Marks {
  return {
    repositories: `${data.name} ${keys.name}`,
    keys: markOfKeys(home),
    ledger: [
      ...markOfDatabase(home.ledger),
      markOfFile(home.gazetteer),
      markOfFile(home.incidents),
      markOfFile(home.review),
      linkTarget(home.current), // whose index of records goes with the ledger
    ].join(" "),
    state: markOfDatabase(home.state).join(" "),
  };
}

/** The keys by content, because they are few and small; the heads beside them are public and move with each release. */
function markOfKeys({ keys, stateKey }: Home): string {
  const names = existsSync(keys) ? readdirSync(keys).filter((name) => /\.(json|key|next)$/.test(name)) : [];
  const files = new Set([...names.sort().map((name) => join(keys, name)), stateKey]);
  const texts = [...files].filter((file) => existsSync(file)).map((file) => [basename(file), read(file)]);
  return sha256Hex(JSON.stringify(texts));
}

/** That of the state lies in a folder of the server's user. */
function read(file: string): string {
  const rules = { maxBytes: MAX_SECRET_BYTES, hasNames: true };
  return readForeignFile(dirname(file), basename(file), rules).toString("base64");
}

function markOfDatabase(path: string): string[] {
  return [markOfFile(path), markOfFile(`${path}-wal`)];
}

/** Nothing for a file that is missing or empty: a log is that whenever somebody has only looked. */
function markOfFile(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined || stats.size === 0n ? "-" : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "-";
    throw error;
  }
}
