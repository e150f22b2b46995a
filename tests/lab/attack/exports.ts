/** Attacks on the files to download and on those of maps: whether any of them has a value that only a source or an owner knows. */

import { join } from "node:path";
import { type ExportRow, exportRows, type NamedValue } from "./export-reader.ts";
import type { PublicRelease } from "./public-reader.ts";
import { type AttackLine, countLine } from "./score.ts";
import type { World } from "./world.ts";

const MINUTE_MS = 60_000;
/** Minutes that are public anyway: days begin, and nights are sealed and decided, at full thirds of an hour. */
const PUBLIC_GRID = 20;
const PLACE_DECIMALS = 5; // about a meter
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Folders of a release in which every row is looked into: the exports, and the cities with the parts of their maps. */
const READ = ["exports", "api/v1/city"];

type Finder = (values: readonly NamedValue[]) => boolean;

/** By what would be given away. */
function findersOf({ visits }: Pick<World, "visits">): Readonly<Record<string, Finder>> {
  const ids = new Set(visits.flatMap(({ scout, van }) => [scout.id, ...(van ? [van.ref] : [])]));
  const named = new RegExp([...ids].join("|"));
  const minutes = new Set(
    visits.map(({ instant }) => Math.floor(instant / MINUTE_MS)).filter((minute) => minute % PUBLIC_GRID > 0),
  );
  const longitudes = Map.groupBy(visits, ({ line }) => rounded(line.lat));
  return {
    "ids of observers, lines, devices and vehicles": (values) =>
      values.some(([, value]) => typeof value === "string" && named.test(value)),
    "minute of an observation": (values) =>
      values.some(([, value]) => momentsOf(value).some((ms) => minutes.has(Math.floor(ms / MINUTE_MS)))),
    "place of an observation": (values) => {
      const numbers = values.flatMap(([, value]) => (typeof value === "number" ? [rounded(value)] : []));
      const all = new Set(numbers);
      return numbers.some((lat) => longitudes.get(lat)?.some(({ line }) => all.has(rounded(line.lng))));
    },
  };
}

function rounded(degrees: number): string {
  return degrees.toFixed(PLACE_DECIMALS);
}

/** What a text or a number may say as a time: seconds, or thousandths, since 1970. */
function momentsOf(value: string | number): readonly number[] {
  if (typeof value === "number") return Number.isInteger(value) ? [value, value * 1000] : [];
  return TIME.test(value) ? [Date.parse(value)] : [];
}

/** `websites` are those of businesses that opted out before the newest release. */
export async function exportLines(
  releases: readonly Pick<PublicRelease, "folder">[],
  world: Pick<World, "visits">,
  websites: ReadonlySet<string>,
): Promise<AttackLine[]> {
  const hosts = [...websites].map((website) => new URL(website).hostname);
  const left: Finder = (values) =>
    values.some(
      ([, value]) => typeof value === "string" && hosts.some((host) => value.toLowerCase().includes(host)),
    );
  const finders = findersOf(world);
  const newest = releases.at(-1);
  return [
    ...(await found(releases, finders)),
    ...(newest === undefined ? [] : await found([newest], { "websites that opted out": left })),
  ];
}

async function found(
  releases: readonly Pick<PublicRelease, "folder">[],
  finders: Readonly<Record<string, Finder>>,
): Promise<AttackLine[]> {
  const counts = new Map(Object.keys(finders).map((method) => [method, 0]));
  let tried = 0;
  for (const { folder } of releases) {
    for await (const { values } of allRows(folder)) {
      tried += 1;
      for (const [method, isFound] of Object.entries(finders))
        if (isFound(values)) counts.set(method, (counts.get(method) ?? 0) + 1);
    }
  }
  return [...counts].map(([method, count]) =>
    countLine({ attack: "rows of exports", method, tried, found: count }),
  );
}

async function* allRows(folder: string): AsyncGenerator<ExportRow> {
  for (const below of READ) yield* exportRows(join(folder, below));
}

/** Row numbers of observations in the order of each table that has them: an order that tells the hour would be a leak. */
export async function exportedLists(folder: string): Promise<readonly (readonly number[])[]> {
  const lists = new Map<string, number[]>();
  for await (const row of exportRows(join(folder, "exports"))) {
    const id = observationId(row);
    if (id !== undefined) lists.set(row.path, [...(lists.get(row.path) ?? []), id]);
  }
  return [...lists.values()];
}

function observationId({ path, values }: ExportRow): number | undefined {
  if (!/(^|\/)observations\.[^/]*$/.test(path)) return undefined;
  const [, id] = values.find(([name]) => name === "id") ?? [];
  return typeof id === "number" ? id : undefined;
}
