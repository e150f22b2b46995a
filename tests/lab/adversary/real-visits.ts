/**
 * Public records of real visits, where they are at hand (../shared/observations beside the project): bare dates, sources that are
 * known only as a whole. No check may set such a row aside.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { latLngToCell } from "h3-js";
import { z } from "zod";
import { judge } from "../../../src/independence/judge.ts";
import type { Registry, Trace } from "../../../src/independence/trace.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";

export interface RealCity {
  readonly name: string;
  readonly file: string;
}

export const REAL_CITIES: readonly RealCity[] = [
  { name: "Toronto", file: "toronto_dinesafe_2001-2012_2020-2021.csv.gz" },
  { name: "Chicago", file: "chicago_food_inspections_2011-2014.csv.gz" },
  { name: "San Francisco", file: "sanfrancisco_lives_2012-2015.csv.gz" },
];

const Visit = z.object({
  asset_key: z.string().min(1),
  observed_on: z.iso.date(),
  name: z.string(),
  lat: z.coerce.number().min(-90).max(90),
  lon: z.coerce.number().min(-180).max(180),
  observer: z.string(),
});
type Visit = z.infer<typeof Visit>;

const MAX_BYTES = 200_000_000;
const SOURCE = "city-inspections";

/** How the visits are taken: all as one principal, or each observer of the file as a principal that is vouched for. */
export type Vetting = "collective" | "individual";

export interface RealResult {
  readonly rows: number;
  readonly setAside: number;
}

/** Rows set aside of one city's file; undefined where the file is not at hand. */
export function judgeRealCity(folder: string, { file }: RealCity, vetting: Vetting): RealResult | undefined {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  const visits = readVisits(path);
  const traces = tracesOf(visits, vetting);
  const observers = new Map(
    traces.map(({ observer, principal }) => [observer, { principal, isSuspended: false, isVouched: true }]),
  );
  const registry: Registry = { observers, isAffiliated: () => false, canSee: () => true };
  const { setAside } = judge(traces, registry, (traces.at(-1)?.acceptedDay ?? 0) + DAY_MS);
  return { rows: traces.length, setAside: setAside.size };
}

function readVisits(path: string): Visit[] {
  const text = gunzipSync(readFileSync(path), { maxOutputLength: MAX_BYTES });
  const lines: unknown[] = parse(text, { columns: true, skip_empty_lines: true });
  return lines.flatMap((line) => {
    const { success, data } = Visit.safeParse(line);
    return success && (data.lat !== 0 || data.lon !== 0) ? [data] : []; // intake refuses the others
  });
}

function tracesOf(visits: readonly Visit[], vetting: Vetting): Trace[] {
  const ids = new Map<string, number>();
  const published = new Map<number, number>();
  const ordered = visits.toSorted((a, b) =>
    a.observed_on < b.observed_on ? -1 : a.observed_on > b.observed_on ? 1 : 0,
  );
  return ordered.map((visit, at): Trace => {
    const instant = Date.parse(visit.observed_on);
    const acceptedDay = instant + DAY_MS;
    const asset = ids.get(visit.asset_key) ?? ids.size + 1;
    ids.set(visit.asset_key, asset);
    const assetPublishedDay = published.get(asset) ?? acceptedDay;
    published.set(asset, assetPublishedDay);
    const observer = `inspector ${visit.observer}`;
    return {
      row: at + 1,
      observer,
      principal: vetting === "collective" ? SOURCE : observer,
      source: SOURCE,
      isCollective: vetting === "collective",
      assetType: "storefront",
      record: asset,
      asset,
      cell: latLngToCell(visit.lat, visit.lon, 8),
      lat: visit.lat,
      lng: visit.lon,
      instant,
      isBareDate: true,
      isArchive: false,
      acceptedDay,
      assetPublishedDay,
      media: null,
      mediaLook: null,
      verdict: undefined,
      isRestored: false,
    };
  });
}
