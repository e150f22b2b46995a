/**
 * Copies of the files that were taken from the inbox, and their rejected lines: `night/inbox/SOURCE/archive` and `rejects`. They hold what was
 * delivered, so they go after days, whatever their number, are in no backup, and every erasure deletes all of them: a name may be spelled and
 * encoded in many ways, and looking for it in each file would find most and not all.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../../kernel/files/durable-file.ts";
import type { Home } from "../../kernel/home.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";

export const KEPT_DAYS = 7;

const FOLDERS = ["archive", "rejects"] as const;
type Folder = (typeof FOLDERS)[number];

/** Makes the folders of a source. */
export function makeFolders({ kept }: Pick<Home, "kept">, source: string): void {
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  for (const folder of FOLDERS) mkdirSync(join(kept, source, folder), { recursive: true, mode: 0o700 });
}

export interface KeptPlace {
  readonly source: string;
  readonly id: number; // of the file
  readonly name: string;
  readonly at: number; // ms
}

/** `20261127T065605Z-12-deliveries.csv`: the time says when it goes. */
export function keptPath(home: Pick<Home, "kept">, folder: Folder, place: KeptPlace, ending = ""): string {
  const time = isoTime(place.at).replaceAll(/[-:]/g, "");
  const name = place.name.replaceAll(/[^\w.-]/g, "_").slice(-MAX_NAME);
  return join(home.kept, place.source, folder, `${time}-${place.id}-${name}${ending}`);
}

const MAX_NAME = 100;

/** A file that failed lies with its rejected lines. */
export function moveToRejects(home: Pick<Home, "kept">, place: KeptPlace): void {
  renameSync(keptPath(home, "archive", place), keptPath(home, "rejects", place));
}

/** Deletes what is older than its days, and what has no time in its name. Returns how many files went. */
export function dropOld(home: Pick<Home, "kept">, now: number): number {
  const old = keptFiles(home).filter((path) => !(keptSince(path) > now - KEPT_DAYS * DAY_MS));
  for (const path of old) rmSync(path, { force: true });
  return old.length;
}

/** Deletes all of it: an erasure. Returns how many files went. */
export function dropAll(home: Pick<Home, "kept">): number {
  const all = keptFiles(home);
  for (const path of all) rmSync(path, { force: true });
  return all.length;
}

/** Deletes copies that a killed run left: those of files that were never taken. */
export function dropUnknown(home: Pick<Home, "kept">, isKnown: (id: number) => boolean): void {
  for (const path of keptFiles(home)) {
    const id = Number(/^\d{8}T\d{6}Z-(\d+)-/.exec(baseOf(path))?.[1]);
    if (!isKnown(id)) rmSync(path, { force: true });
  }
}

function keptFiles({ kept }: Pick<Home, "kept">): string[] {
  if (!existsSync(kept)) return [];
  const sources = readdirSync(kept, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return sources.flatMap(({ name }) =>
    FOLDERS.map((folder) => join(kept, name, folder)).flatMap((path) =>
      existsSync(path) ? filesBelow(path) : [],
    ),
  );
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** In ms; NaN for a name without a time. */
function keptSince(path: string): number {
  const [, year, month, day, hour, minute, second] = TIME.exec(baseOf(path)) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z-/;
