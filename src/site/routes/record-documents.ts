import { parseCitationId } from "../../contract/citation/citation.ts";
import { newestCitationId } from "../../resources/citations/citation.ts";
import type { PathValues, ReadContext } from "../../resources/define.ts";
import { PLAIN_ROUTES, plainPageAt } from "../markup/index.ts";
import { addressOf } from "../page-addresses.ts";
import type { Site } from "../site.ts";
import { endpointFor } from "./matcher.ts";
import { matchPath } from "./registry.ts";
import { routes } from "./routes.ts";

/** Which addresses are those of documents of single records. */

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

/** Documents of single records: files of a release, or made from its snapshot when they are asked for (RECORD_DOCUMENTS). */

export interface RecordDocument {
  readonly publicId: string;
  readonly values: PathValues;
  readonly file: string; // path below `site/`, where it is a file
  /** What the file holds. Throws PublicError where the release has no such document. */
  text(site: Site): string;
}

/** The document whose file would have this path below `site/`, if a release has such a record; undefined for all other paths. */
export function recordDocumentOf(file: string): RecordDocument | undefined {
  return file.endsWith(PAGE) ? pageOf(file) : readOf(file);
}

/** The same, for a record that the release shows, and its newest citation: of others no release has files. */
export function shownDocumentOf(context: ReadContext, file: string): RecordDocument | undefined {
  const document = recordDocumentOf(file);
  return document !== undefined && isShown(context, document) ? document : undefined;
}

/** Every document of a record that the release shows. */
export function documentsOfRecord({ snapshot }: ReadContext, publicId: string): RecordDocument[] {
  const values = addressValues(publicId, newestCitationId(snapshot, publicId) ?? "");
  const files = [
    ...routes.filter(({ path }) => isOfRecords(path)).map((route) => route.filePath(values)),
    ...PLAIN_ROUTES.map((route) => addressOf(route, values).file),
  ];
  return files.map(recordDocumentOf).filter((document) => document !== undefined);
}

const PAGE = "/index.html";

function pageOf(file: string): RecordDocument | undefined {
  const page = plainPageAt(`/${file.slice(0, 1 - PAGE.length)}`);
  const publicId = page && recordOf(page.values);
  if (page === undefined || publicId === undefined) return undefined;
  return { publicId, values: page.values, file, text: (site) => String(page.document(site)) };
}

function readOf(file: string): RecordDocument | undefined {
  const { values, ...match } = matchPath(`/${file.replace(/\.json$/, "")}`);
  const endpoint = endpointFor({ values, ...match }, "GET");
  const publicId = recordOf(values);
  if (endpoint?.kind !== "read" || publicId === undefined) return undefined;
  const { route } = endpoint;
  if (route.filePath(values) !== file) return undefined;
  return { publicId, values, file, text: ({ context }) => route.answer(context, values, {}) };
}

function isShown({ snapshot }: ReadContext, { publicId, values }: RecordDocument): boolean {
  if (snapshot.record(publicId)?.mergedInto !== null) return false;
  const citation = values[CITATION_NAME];
  return citation === undefined || citation === newestCitationId(snapshot, publicId);
}
