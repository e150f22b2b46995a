import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { envelopeFields } from "../../contract/envelope.ts";
import { sha256Hex } from "../../kernel/hash.ts";

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
