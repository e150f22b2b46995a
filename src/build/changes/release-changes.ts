import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { envelopeFields } from "../../contract/envelope.ts";
import { type ChangeRow, ReleaseChanges, type ReleaseRef } from "../../contract/service/exports.ts";
import { sha256Hex } from "../../kernel/hash.ts";

/** The record that a public id was merged into; null if it was not merged, undefined if the release has no such id. */
type MergedInto = (publicId: string) => string | null | undefined;

const COMPARED =
  "Records of both releases by public id. A record is changed when its document (/api/v1/entity/{public_id}) says something else, apart from what that says of the release. Records that were taken away are counted and not named.";
const ALONE =
  "There was no earlier release to compare with: this is the first one, or those before it were deleted. Nothing follows from the counts.";

/** The changes of `now` against `before`. It names no id that is missing in `now`, because a missing record may have opted out. */
export function releaseChanges(
  now: RecordIndex,
  before: RecordIndex | undefined,
  mergedInto: MergedInto,
): ReleaseChanges {
  const records = before === undefined ? [] : changedRecords(now.records, before.records, mergedInto);
  const count = (change: ChangeRow["change"]) => records.filter((row) => row.change === change).length;
  const named = { added: count("added"), changed: count("changed"), merged: count("merged") };
  const left = before === undefined ? [] : Object.keys(before.records).filter((id) => !(id in now.records));
  return ReleaseChanges.parse({
    release: reference(now),
    against: before === undefined ? null : reference(before),
    note: before === undefined ? ALONE : COMPARED,
    ...named,
    removed: left.length - named.merged,
    records,
  } satisfies ReleaseChanges);
}

function changedRecords(
  now: RecordIndex["records"],
  before: RecordIndex["records"],
  mergedInto: MergedInto,
): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (const id of [...new Set([...Object.keys(now), ...Object.keys(before)])].sort()) {
    const merged = id in now ? null : mergedInto(id);
    if (merged) rows.push({ public_id: id, change: "merged", merged_into: merged });
    else if (id in now && now[id] !== before[id])
      rows.push({ public_id: id, change: id in before ? "changed" : "added", merged_into: null });
  }
  return rows;
}

function reference({ release_id, data_as_of, records }: RecordIndex): ReleaseRef {
  return { release_id, data_as_of, records: Object.keys(records).length };
}

/** The hash of each record of a release, to compare another release with. */
export const RecordIndex = z.object({
  release_id: z.string(),
  data_as_of: z.iso.datetime(),
  records: z.record(z.string(), z.string()),
});
export type RecordIndex = z.infer<typeof RecordIndex>;

const Document = z.looseObject({}); // made once: making one costs as much as the rest of a hash
const ENTITY_FILE = /^api\/v1\/entity\/([^/]+)\.json$/;

/**
 * By public id, the SHA-256 of the record's published document without its release fields. Read from the files, because another version of the program
 * may have made the database.
 */
export function recordHashes(site: string, paths: Iterable<string>): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const path of paths) {
    const [, name] = ENTITY_FILE.exec(path) ?? [];
    if (name === undefined) continue;
    hashes[decodeURIComponent(name)] = recordHash(JSON.parse(readFileSync(join(site, path), "utf8")));
  }
  return hashes;
}

/** SHA-256 of a record's document without its release fields. */
export function recordHash(document: unknown): string {
  const about = { ...Document.parse(document) };
  for (const member of Object.keys(envelopeFields)) delete about[member];
  return sha256Hex(JSON.stringify(about));
}
