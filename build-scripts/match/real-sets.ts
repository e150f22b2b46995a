/**
 * Public records of real visits, where they are at hand (../shared/observations beside the project). Each observer of a file, or one
 * constant observer, is vouched for, so that every row counts. They have names and places alone: no contacts, and no references.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import type { AssetType } from "../../src/contract/enums.ts";
import type { Classifier } from "../../src/intake/matching/classify.ts";
import { nameKey } from "../../src/kernel/text/name-key.ts";
import type { MatchLine, MatchSet } from "./feed.ts";

interface RealSet {
  readonly name: string;
  readonly file: string;
  readonly lat: number;
  readonly lng: number;
}

const RADIUS_KM = 45;
const MAX_BYTES = 200_000_000;

export const REAL_SETS: readonly RealSet[] = [
  { name: "toronto", file: "toronto_dinesafe_2001-2012_2020-2021.csv.gz", lat: 43.7, lng: -79.4 },
  { name: "chicago", file: "chicago_food_inspections_2011-2014.csv.gz", lat: 41.85, lng: -87.65 },
  { name: "san-francisco", file: "sanfrancisco_lives_2012-2015.csv.gz", lat: 37.77, lng: -122.42 },
  {
    name: "san-francisco-vehicles",
    file: "sanfrancisco_mobile_food_permits_2024.csv.gz",
    lat: 37.77,
    lng: -122.42,
  },
];

const Place = {
  name: z.string().min(1),
  lat: z.coerce.number().min(-90).max(90),
  lon: z.coerce.number().min(-180).max(180),
  address: z.string(),
};
const Visit = z.object({ ...Place, asset_key: z.string(), observed_on: z.iso.date(), observer: z.string() });
const Permit = z.object({ ...Place, facility_type: z.string(), received_on: z.iso.date() });

/** What the truth knows of one row. A permit names an applicant, not a vehicle: its record is known, and no asset is. */
interface Seen {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
  readonly address: string;
  readonly date: string;
  readonly observer: string;
  readonly key: string;
  readonly assetType: AssetType;
}

/** Undefined where the file is not at hand. `share` keeps one asset in so many, with all its rows. */
export function readRealSet(
  folder: string,
  real: RealSet,
  brands: Pick<Classifier, "isBrand">,
  share = 1,
): MatchSet | undefined {
  const path = join(folder, real.file);
  if (!existsSync(path)) return undefined;
  const text = gunzipSync(readFileSync(path), { maxOutputLength: MAX_BYTES });
  const rows: unknown[] = parse(text, { columns: true, skip_empty_lines: true });
  const seen = rows
    .flatMap((row) => seenIn(row))
    .filter(({ lat, lon }) => lat !== 0 && lon !== 0) // intake refuses the others
    .filter(({ address }) => share === 1 || checksum(address) % share === 0);
  const truthOf = trueAssets(seen);
  const lines = seen.map((each): MatchLine => {
    const asset = truthOf(each);
    const key = nameKey(each.name);
    return {
      input: {
        source_type: "scout",
        observer: each.observer,
        observed_at: each.date,
        lat: each.lat,
        lng: each.lon,
        name: each.name,
        asset_type: each.assetType,
      },
      isBuiltIn: false,
      truth: { asset, record: brands.isBrand(key) ? `brand ${key}` : asset },
      address: each.address,
    };
  });
  const { name, lat, lng } = real;
  return {
    name: share === 1 ? name : `${name}, one address in ${share}`,
    lat,
    lng,
    radiusKm: RADIUS_KM,
    vouched: [...new Set(seen.map(({ observer }) => observer))],
    lines: lines.sort((a, b) => (a.input.observed_at < b.input.observed_at ? -1 : 1)),
  };
}

function seenIn(row: unknown): Seen[] {
  const visit = Visit.safeParse(row).data;
  if (visit !== undefined)
    return [
      {
        ...visit,
        date: visit.observed_on,
        observer: `inspector ${visit.observer}`,
        key: visit.asset_key,
        assetType: "storefront",
      },
    ];
  const permit = Permit.safeParse(row).data;
  if (permit === undefined) return [];
  const key = nameKey(permit.name);
  return [{ ...permit, date: permit.received_on, observer: "clerk", key, assetType: "vehicle_wrap" }];
}

/** The asset key, where keys of equal name and address are one. */
function trueAssets(seen: readonly Seen[]): (one: Seen) => string {
  const parents = new Map<string, string>();
  const root = (id: string): string => {
    const parent = parents.get(id) ?? id;
    return parent === id ? id : root(parent);
  };
  for (const { key, name, address, assetType } of seen)
    if (assetType === "storefront")
      parents.set(root(`key ${key}`), root(`at ${nameKey(name)} ${addressKey(address)}`));
  return ({ key }) => root(`key ${key}`);
}

export function addressKey(address: string): string {
  return address
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

function checksum(text: string): number {
  return [...text].reduce((sum, letter) => (31 * sum + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);
}
