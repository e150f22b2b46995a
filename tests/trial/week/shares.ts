/** Spreads real observations over a week: this week's on their own day, older ones late, in seeded shares. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { z } from "zod";
import { parseColumnMap } from "../../../src/intake/lines/column-map.ts";
import { sha256Hex } from "../../../src/kernel/hash.ts";
import { type SeededRandom, seededRandom } from "../../../src/kernel/seeded.ts";
import { DAY_MS, isoDate } from "../../../src/kernel/time.ts";
import { benchObserverIds } from "../../support/towns/observations.ts";
import { registerSourcesOf } from "../../support/towns/sources.ts";
import { ndjson } from "../../support/towns/town.ts";
import { DATA_SETS, type DataFolders, type DataSet } from "../real/data-sets.ts";
import { waitingPairs } from "./pairs.ts";
import type { Batch, World } from "./world.ts";

/** The last whole week in which inspectors of Toronto went out on six days. */
const FIRST_DAY = "2021-12-06";
/** Of the invented pairs, which stand in Toronto: a name seen elsewhere asks nothing of anybody, and the records have no contacts. */
const PAIRS_AT = { lat: 43.65, lng: -79.42 };
const LATE = 0.03; // of what was observed before the week
const AGAIN = 0.002; // sent twice, the second time in the week

export interface ShareOptions {
  readonly folder: string; // where the files go
  readonly share: number; // of the places, 0..1
  readonly days: number;
  readonly seed: number;
}

const Lines = z.array(z.object({ record: z.record(z.string(), z.string()), raw: z.string() }));

/** Writes the real records as one file for each set and day. What is of a later time comes on the last day, too early. */
export function realWorld(folders: DataFolders, options: ShareOptions): World {
  const random = seededRandom(options.seed);
  const days = Array.from({ length: options.days }, (_, at) => at + 1);
  const batches = DATA_SETS.map((set) => splitSet(set, folders, options, random));
  const cities = new Map(DATA_SETS.map(({ geonameId, outline }) => [geonameId, outline]));
  return {
    cities: [...cities].map(([id, outline]) => [
      ...["--geoname", String(id)],
      ...["--boundary", join(folders.boundaries, outline)],
    ]),
    firstDay: FIRST_DAY,
    register: (home, at) => registerSourcesOf({ home }, benchObserverIds(1), at),
    before: [...batches.flatMap(([first]) => first ?? []), pairsFile(options.folder)],
    days: days.map((day) => batches.flatMap((set) => set[day] ?? [])),
    nights: days,
  };
}

function pairsFile(folder: string): Batch {
  const file = join(folder, "pairs.ndjson");
  writeFileSync(file, ndjson(waitingPairs(PAIRS_AT, isoDate(Date.parse(FIRST_DAY) - DAY_MS))));
  return { file };
}

/** A file for what is known before the week, and one for each day. */
function splitSet(set: DataSet, folders: DataFolders, options: ShareOptions, random: SeededRandom): Batch[] {
  const { folder, days, share } = options;
  const bytes = gunzipSync(readFileSync(join(folders.observations, set.file))).toString("utf8");
  const map = join(import.meta.dirname, "../real", set.map);
  const { columns } = parseColumnMap(readFileSync(map, "utf8"), map);
  const dateColumn = Object.keys(columns).find((column) => columns[column] === "observed_at") ?? "";
  const header = bytes.slice(0, bytes.indexOf("\n") + 1);
  const lines = Lines.parse(parse(bytes, { columns: true, raw: true }));
  const texts = Array.from({ length: days + 1 }, () => [header]);
  const put = (day: number, raw: string) => texts[day]?.push(raw.endsWith("\n") ? raw : `${raw}\n`);
  for (const { record, raw } of lines) {
    if (!isIn(share, record["name"] ?? "")) continue;
    const day = dayOf(record[dateColumn] ?? "", days, random);
    put(day, raw);
    if (day === 0 && random() < AGAIN) put(lateDay(days, random), raw);
  }
  return texts.map((parts, day) => {
    const place = join(folder, `day-${day}`);
    mkdirSync(place, { recursive: true });
    const file = join(place, set.file.replace(/\.gz$/, ""));
    writeFileSync(file, parts.join(""));
    return { file, map };
  });
}

/** Which day a line comes in, from 1; 0 is before the week. */
function dayOf(date: string, days: number, random: SeededRandom): number {
  const first = Date.parse(FIRST_DAY);
  if (date >= isoDate(first + days * DAY_MS)) return days;
  if (date >= FIRST_DAY) return (Date.parse(date) - first) / DAY_MS + 1;
  return random() < LATE ? lateDay(days, random) : 0;
}

function lateDay(days: number, random: SeededRandom): number {
  return 1 + Math.floor(random() * days);
}

/** All lines of a name, or none: what is seen twice shall be seen twice in a part of the data, too. */
function isIn(share: number, name: string): boolean {
  return Number.parseInt(sha256Hex(name).slice(0, 8), 16) / 0x1_0000_0000 < share;
}
