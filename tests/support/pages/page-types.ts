import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { CityIndexResponse, CityList, type RankedEntity } from "../../../src/contract/cities/city.ts";
import { EntityResponse } from "../../../src/contract/records/entity.ts";
import { homePaths, releasePaths } from "../../../src/kernel/home.ts";

/** Names in the demonstration that a page must bear: longest, with markup in it, and in another script. */
const LONGEST = "The Honourable Company of Lamplighters";
export const MARKUP = "<b>Bold</b> Type Studio";
export const JAPANESE = "信濃川べり本と珈琲の店「よみびと」";

/** What the addresses are made from. */
interface Site {
  readonly site: string; // folder of the release's files
  readonly cities: CityList;
  readonly index: CityIndexResponse; // of the city with most records
}

type Find = (site: Site) => string;

const at = (path: string) => () => path;

/**
 * Every type of page that the service has, and where to find one that is hard to show. The one list that all tests of pages
 * go through: whoever adds a page adds its type here.
 */
const FINDERS: Readonly<Record<string, Find>> = {
  home: at("/"),
  city: ({ index }) => `/city/${index.city.slug}/`,
  "city, filtered": ({ index }) => `/city/${index.city.slug}/?online_presence=unknown&sort=name`,
  "city without coverage": ({ cities }) =>
    `/city/${cities.find(({ coverage }) => coverage.tier === "none")?.slug}/`,
  "city by industry": industryPath,
  "city cells": ({ index }) => `/city/${index.city.slug}/cells/`,
  "city changes": ({ index }) => `/city/${index.city.slug}/changes/`,
  "city changes, filtered": ({ index }) => `/city/${index.city.slug}/changes/?since=2026-01-01`,
  "record, ranked": ({ index }) => recordPath(index.rankings[0]),
  "record without score": ({ index }) => recordPath(index.rankings.find(({ pps }) => pps === null)),
  "record with a long name": (site) => recordNamed(site, LONGEST),
  "record with a Japanese name": (site) => recordNamed(site, JAPANESE),
  "record with markup in its name": (site) => recordNamed(site, MARKUP),
  search: at("/search/"),
  "search with results": at("/search/?name=o"),
  "search without results": at("/search/?name=qqqqqq"),
  quote: at("/cite/"),
  "quote without address": at("/cite/?quote=It+was+seen."),
  citation: (site) => citationPath(site, recordNamed(site, JAPANESE)),
  "citation with markup in its name": (site) => citationPath(site, recordNamed(site, MARKUP)),
  explorer: at("/explorer/"),
  ledger: at("/ledger/"),
  "ledger by hand": at("/ledger/by-hand/"),
  verify: at("/verify/"),
  methodology: at("/methodology/"),
  independence: at("/independence/"),
  data: at("/data/"),
  status: at("/status/"),
  coverage: at("/coverage/"),
  "coverage, sorted": at("/coverage/?sort=areas"),
  "machine activity": at("/machine-activity/"),
  developers: at("/developers/"),
  "interface reference": at("/developers/api/"),
  "interface operation": at("/developers/api/searchEntities/"),
  "interface schemas": at("/developers/api/schemas/"),
  changelog: at("/developers/changelog/"),
  agents: at("/agents/"),
  alerts: at("/alerts/"),
  "alerts, confirm": at("/alerts/confirm/"),
  "alerts, manage": at("/alerts/manage/"),
  "alerts, unsubscribe": at("/alerts/unsubscribe/"),
  "alerts, refuse all email": at("/alerts/never/"),
  "alerts, result": at("/alerts/check-your-mail/"),
  partners: at("/partners/"),
  report: at("/report/"),
  "report, status": at("/report/status/"),
  "report, received": at("/report/received/"),
  "report, result": at("/report/not-upheld/"),
  owners: at("/owners/"),
  "owners of a record": ({ index }) => `/owners/?record=${index.rankings[0]?.public_id}`,
  "report of a record": ({ index }) => `/report/?about=${index.rankings[0]?.public_id}`,
  "alerts of a city": ({ index }) => `/alerts/?city=${index.city.slug}`,
  "opt-out": at("/opt-out/"),
  "opt-out of a record": ({ index }) => `/opt-out/?record=${index.rankings[0]?.public_id}`,
  "opt-out, request": ({ index }) =>
    `/opt-out/?record=${index.rankings[0]?.public_id}&request=rm_0123456789abcdef`,
  "opt-out, result": at("/opt-out/requested/"),
  about: at("/about/"),
  licence: at("/licence/"),
  privacy: at("/privacy/"),
  terms: at("/terms/"),
  "not found": at("/nothing/"),
};

export const PAGE_TYPES: readonly string[] = Object.keys(FINDERS);

/** The address of a page of each type, by its name: of a running server and the folder of the files that it serves. */
export async function pagePaths(url: string, site: string): Promise<ReadonlyMap<string, string>> {
  const cities = await read(CityList, `${url}/api/v1/cities`);
  const indexes = await Promise.all(
    cities.map(({ slug }) => read(CityIndexResponse, `${url}/api/v1/city/${slug}/index?limit=100`)),
  );
  const [index] = indexes.sort((a, b) => b.total_count - a.total_count);
  if (index === undefined) throw new Error("the demonstration has no city");
  const all = { site, cities, index };
  return new Map(Object.entries(FINDERS).map(([name, find]) => [name, find(all)]));
}

/** The published files of a home's newest release. */
export function siteOf(home: string): string {
  return releasePaths(homePaths(home).current).site;
}

/** Paths of the HTML files below a release's folder of files, each beginning with a slash. */
export function htmlFiles(site: string): string[] {
  const names = readdirSync(site, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".html"))
    .map((name) => `/${name}`)
    .sort();
}

/** What pages of one type have in common: `/city/{slug}/` for the address or the file of any city. */
export function pageFamily(path: string): string {
  return path
    .replace(/\?.*|index\.html$/, "")
    .replace(/^\/city\/[^/]+/, "/city/{slug}")
    .replace(/\/industry\/[^/]+/, "/industry/{code}")
    .replace(/^\/developers\/api\/(?!schemas\/)[^/]+/, "/developers/api/{operation}")
    .replace(/^\/record\/[^/]+/, "/record/{public_id}")
    .replace(/^\/cite\/[^/]+/, "/cite/{id}")
    .replace(/^\/alerts\/(?!confirm\/|manage\/|unsubscribe\/)[^/]+/, "/alerts/{result}")
    .replace(/^\/report\/(?!status\/|received\/)[^/]+/, "/report/{result}")
    .replace(/^\/opt-out\/[^/?]+\/$/, "/opt-out/{result}");
}

async function read<T>(schema: z.ZodType<T>, address: string): Promise<T> {
  return schema.parse(await (await fetch(address)).json());
}

/** The longest of the industry pages' codes: a class, which lies deepest. */
function industryPath({ index, site }: Site): string {
  const below = `/city/${index.city.slug}/industry/`;
  const paths = htmlFiles(site)
    .filter((file) => file.startsWith(below))
    .sort((a, b) => b.length - a.length);
  return paths[0]?.replace(/index\.html$/, "") ?? below;
}

/** From the files: a search would begin with the start of the server's worker, which a busy machine drags out. */
function recordNamed({ site }: Site, name: string): string {
  const folder = join(site, "api/v1/entity");
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  const records = files.map((file) =>
    EntityResponse.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))),
  );
  return recordPath(records.find(({ entity }) => entity.name.startsWith(name))?.entity);
}

/** The newest citation of the record whose page is at `record`. */
function citationPath({ site }: Site, record: string): string {
  const [, , publicId = ""] = record.split("/");
  const name = readdirSync(join(site, "cite")).find((folder) => folder.startsWith(`${publicId}.`));
  return `/cite/${name}/`;
}

function recordPath(record: Pick<RankedEntity, "public_id"> | undefined): string {
  return `/record/${record?.public_id}/`;
}
