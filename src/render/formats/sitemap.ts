import { isoDate } from "../../kernel/time.ts";
import { cityIndustries } from "../../resources/cities/cities.ts";
import type { PathValues, ReadContext } from "../../resources/define.ts";
import { cityCellsUrl, cityChangesUrl, cityIndustryUrl, cityUrl, recordUrl } from "../../resources/links.ts";
import { operationIds } from "../reference/openapi.ts";
import { textElement } from "./feeds.ts";

type Snapshot = ReadContext["snapshot"];

/** Indexable single pages. A test compares the sitemap with the pages of a release. */
const SINGLE_PAGES = [
  "/",
  "/coverage/",
  "/explorer/",
  "/methodology/",
  "/independence/",
  "/ledger/",
  "/ledger/by-hand/",
  "/verify/",
  "/status/",
  "/machine-activity/",
  "/data/",
  "/developers/",
  "/developers/api/",
  "/developers/api/schemas/",
  "/developers/changelog/",
  "/agents/",
  "/alerts/",
  "/partners/",
  "/report/",
  "/about/",
  "/owners/",
  "/opt-out/",
  "/licence/",
  "/privacy/",
  "/terms/",
];

// The protocol allows 50,000 URLs and 50 MB; an entry is far below a kilobyte.
const ENTRIES_A_PART = 20_000;

/** A file of the sitemap. Parts are in the index's folder, because a sitemap covers only its own folder. */
interface Part {
  readonly name: string;
  entries(): string[];
}

/** `/sitemap.xml`: the index of all parts (sitemaps.org 0.9), dated by the release. */
export function sitemapIndex(snapshot: Snapshot): string {
  const { baseUrl, asOf } = snapshot.release();
  const entries = partsOf(snapshot).map(({ name }) =>
    entry("sitemap", `${baseUrl}/sitemap-${name}.xml`, isoDate(asOf)),
  );
  return document("sitemapindex", entries);
}

/** Values of `{part}` in `/sitemap-{part}.xml`. */
export function sitemapParts(snapshot: Snapshot): PathValues[] {
  return partsOf(snapshot).map(({ name }) => ({ part: name }));
}

/** Returns one part, or undefined for an unknown name. */
export function sitemapPart(snapshot: Snapshot, part: string): string | undefined {
  const match = partsOf(snapshot).find(({ name }) => name === part);
  return match && document("urlset", match.entries());
}

/** Part names: `pages`, `pages-2`, … for everything but records; `1`, `2`, … for records. */
function partsOf(snapshot: Snapshot): Part[] {
  const addresses = pageAddresses(snapshot);
  const { asOf } = snapshot.release();
  const pages = starts(addresses.length).map((from, at) => ({
    name: at === 0 ? "pages" : `pages-${at + 1}`,
    entries: () =>
      addresses.slice(from, from + ENTRIES_A_PART).map((address) => entry("url", address, isoDate(asOf))),
  }));
  const records = starts(snapshot.recordCount()).map((from, at) => ({
    name: String(at + 1),
    entries: () => recordEntries(snapshot, from + 1),
  }));
  return [...pages, ...records];
}

/** Start indexes of the parts of a list. */
function starts(count: number): number[] {
  return Array.from({ length: Math.ceil(count / ENTRIES_A_PART) }, (_, at) => at * ENTRIES_A_PART);
}

function pageAddresses(snapshot: Snapshot): string[] {
  const { baseUrl } = snapshot.release();
  return [
    ...SINGLE_PAGES.map((path) => baseUrl + path),
    ...operationIds().map((id) => `${baseUrl}/developers/api/${id}/`),
    ...snapshot
      .cities()
      .flatMap(({ slug }) => [
        cityUrl(baseUrl, slug),
        cityCellsUrl(baseUrl, slug),
        cityChangesUrl(baseUrl, slug),
        ...cityIndustries({ snapshot }, slug).map(({ code }) => cityIndustryUrl(baseUrl, slug, code)),
      ]),
  ];
}

/** Last modification of a record's page: its newest published observation. Ranks change almost every night and are ignored. */
function recordEntries(snapshot: Snapshot, from: number): string[] {
  const { baseUrl, asOf } = snapshot.release();
  return snapshot
    .publicationTimes(from, from + ENTRIES_A_PART - 1)
    .map(({ publicId, lastPublished }) =>
      entry("url", recordUrl(baseUrl, publicId), isoDate(lastPublished ?? asOf)),
    );
}

function document(root: string, entries: readonly string[]): string {
  const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${namespace}">\n${entries.join("")}</${root}>\n`;
}

function entry(name: string, address: string, date: string): string {
  return `<${name}>${textElement("loc", address)}<lastmod>${date}</lastmod></${name}>\n`;
}
