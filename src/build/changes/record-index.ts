import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { envelopeFields } from "../../contract/envelope.ts";
import { sha256Hex } from "../../kernel/hash.ts";

/** What the records of a release say, a hash for each: enough to compare another release with it. */
export const RecordIndex = z.object({
  release_id: z.string(),
  data_as_of: z.iso.datetime(),
  records: z.record(z.string(), z.string()),
});
export type RecordIndex = z.infer<typeof RecordIndex>;

const ENTITY_FILE = /^api\/v1\/entity\/([^/]+)\.json$/;

/**
 * By public id, the SHA-256 of the record's published document without what it says of the release. From the files, not the
 * database, which another version of the program may have made.
 */
export function recordHashes(site: string, paths: Iterable<string>): Record<string, string> {
  const hashes: Record<string, string> = {};
  for (const path of paths) {
    const [, name] = ENTITY_FILE.exec(path) ?? [];
    if (name === undefined) continue;
    const document = z.looseObject({}).parse(JSON.parse(readFileSync(join(site, path), "utf8")));
    for (const member of Object.keys(envelopeFields)) delete document[member];
    hashes[decodeURIComponent(name)] = sha256Hex(JSON.stringify(document));
  }
  return hashes;
}
