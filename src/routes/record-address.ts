/** Which addresses are those of documents of single records. */

import { parseCitationId } from "../contract/citation/citation-id.ts";
import type { PathValues } from "../resources/define.ts";

const RECORD_NAME = "public_id";
export const CITATION_NAME = "id";
const NAMES_RECORD = new RegExp(String.raw`[[{](${RECORD_NAME}|${CITATION_NAME})[\]}]`);

/** Public id of the one record that a document is about, by the values in its address; undefined for all others. */
export function recordOf(values: PathValues): string | undefined {
  return values[RECORD_NAME] ?? parseCitationId(values[CITATION_NAME] ?? "")?.publicId;
}

/** The values in all addresses of a record's documents. */
export function addressValues(publicId: string, citationId: string): PathValues {
  return { [RECORD_NAME]: publicId, [CITATION_NAME]: citationId };
}

/** Pages of records that were merged: few, and each says only where its record went. */
const MERGED = "/merged/";

/** Whether the template of an address is one of documents of which each shown record has one. */
export function isOfRecords(template: string): boolean {
  return NAMES_RECORD.test(template) && !template.startsWith(MERGED);
}
