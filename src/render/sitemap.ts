import { isoDate } from "../kernel/time.ts";
import type { PathValues, ReadContext } from "../resources/define.ts";
import { cityUrl, recordUrl } from "../resources/links.ts";

type Snapshot = ReadContext["snapshot"];

/** Pages that are neither a city's nor a record's; a test compares them with the pages of a release. */
const OTHER_PAGES = ["/", "/methodology/", "/verify/", "/agents/", "/alerts/", "/partners/"];

/** The part with everything but records. Parts lie beside the index, because a sitemap speaks for its own folder only. */
const PAGES_PART = "pages";
/** The protocol allows 50,000 addresses and 50 MB; an entry is far below a kilobyte. */
const RECORDS_A_PART = 20_000;

/** `/sitemap.xml`: the index of all parts (sitemaps.org 0.9), as of the release's date. */
export function sitemapIndex(snapshot: Snapshot): string {
  const { baseUrl, asOf } = snapshot.release();
  const parts = sitemapParts(snapshot).map(({ part }) =>
    entry("sitemap", `${baseUrl}/sitemap-${part}.xml`, isoDate(asOf)),
  );
  return document("sitemapindex", parts);
}

/** The values of `{part}` in `/sitemap-{part}.xml`. */
export function sitemapParts(snapshot: Snapshot): PathValues[] {
  const count = Math.ceil(snapshot.recordCount() / RECORDS_A_PART);
  return [{ part: PAGES_PART }, ...Array.from({ length: count }, (_, at) => ({ part: String(at + 1) }))];
}

/** One part; undefined when there is none of that name. */
export function sitemapPart(snapshot: Snapshot, part: string): string | undefined {
  if (part === PAGES_PART) return document("urlset", pageEntries(snapshot));
  const number = /^[1-9]\d{0,5}$/.test(part) ? Number(part) : 0;
  const from = (number - 1) * RECORDS_A_PART + 1;
  if (number === 0 || from > snapshot.recordCount()) return undefined;
  return document("urlset", recordEntries(snapshot, from));
}

function pageEntries(snapshot: Snapshot): string[] {
  const { baseUrl, asOf } = snapshot.release();
  const addresses = [
    ...OTHER_PAGES.map((path) => baseUrl + path),
    ...snapshot.cities().map(({ slug }) => cityUrl(baseUrl, slug)),
  ];
  return addresses.map((address) => entry("url", address, isoDate(asOf)));
}

/** A record's page last changed for its readers when an observation was published; ranks move nearly every night. */
function recordEntries(snapshot: Snapshot, from: number): string[] {
  const { baseUrl, asOf } = snapshot.release();
  return snapshot
    .publicationTimes(from, from + RECORDS_A_PART - 1)
    .map(({ publicId, lastPublished }) =>
      entry("url", recordUrl(baseUrl, publicId), isoDate(lastPublished ?? asOf)),
    );
}

function document(root: string, entries: readonly string[]): string {
  const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${namespace}">\n${entries.join("")}</${root}>\n`;
}

function entry(name: string, address: string, date: string): string {
  return `<${name}><loc>${escaped(address)}</loc><lastmod>${date}</lastmod></${name}>\n`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
