/** The short form of `npm run attack:privacy`: the same attacks on rows made here, so that they find a leak where there is one. */

import { cellToParent, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/kernel/hash.ts";
import {
  DAY_MS,
  HOUR_MS,
  isoTime,
  solarDayNumber,
  solarDayStart,
  solarOffsetHours,
} from "../../../src/kernel/time.ts";
import { moveLines } from "./changes.ts";
import type { PublicRelease } from "./public-reader.ts";
import { linkageLines } from "./run.ts";
import { attackTable } from "./score.ts";
import { type Sight, sightOf } from "./sight.ts";
import { makeWorld, type Visit, type World } from "./world.ts";

interface Publication {
  readonly order: (visit: Visit) => string;
  readonly time: (visit: Visit) => number;
  readonly vanResolution: number;
  readonly saysModel: boolean;
  readonly decimals: number | undefined;
}

const day = ({ instant, city }: Visit) => {
  const offset = solarOffsetHours(city.place.lng);
  return solarDayStart(solarDayNumber(instant, offset), offset);
};
const keyed = ({ line }: Visit) => sha256Hex(`a key ${line.source_ref}`);

/** What version 1.1 published. */
const LEAKY: Publication = {
  order: ({ arrival }) => String(arrival),
  time: (visit) => (visit.van ? day(visit) : Math.floor(visit.instant / HOUR_MS) * HOUR_MS),
  vanResolution: 7,
  saysModel: true,
  decimals: undefined,
};
const CLOSED: Publication = { order: keyed, time: day, vanResolution: 5, saysModel: false, decimals: 1 };

function published({ visits }: World, publication: Publication): Sight[] {
  const ordered = visits
    .map((visit) => ({ visit, accepted: Math.floor(visit.arrival / DAY_MS) * DAY_MS }))
    .sort(
      (a, b) => a.accepted - b.accepted || (publication.order(a.visit) < publication.order(b.visit) ? -1 : 1),
    );
  return ordered.map(({ visit, accepted }, at) =>
    sightOf(rowOf(at + 1, visit, accepted, publication), visit),
  );
}

function rowOf(id: number, visit: Visit, accepted: number, publication: Publication): Sight["row"] {
  const { line, city, van, business } = visit;
  const cell = latLngToCell(line.lat, line.lng, 8);
  const legibility = line.legibility ?? 0;
  return {
    id,
    accepted_at: isoTime(accepted),
    asset: van === undefined ? id : 1_000_000 + 100 * city.place.geonameId + city.vans.indexOf(van),
    asset_type: line.asset_type,
    city: city.slug,
    counts: true,
    h3_cell: van === undefined ? cell : cellToParent(cell, publication.vanResolution),
    legibility:
      publication.decimals === undefined ? legibility : Number(legibility.toFixed(publication.decimals)),
    observed_at: isoTime(publication.time(visit)),
    observer_tag: sha256Hex(`tag ${line.observer} ${business}`).slice(0, 16),
    recognition_model_version: publication.saysModel ? (line.recognition_model_version ?? null) : null,
    record: id,
    source_type: line.source_type,
  };
}

const world = makeWorld(7, Date.UTC(2026, 4, 4), 4);
const attack = (publication: Publication) => {
  const sights = published(world, publication);
  return linkageLines(sights, [sights.map(({ row }) => row.id).reverse()], new Map());
};

test("what version 1.1 published gives hours, homes and observers away", () => {
  const missed = attack(LEAKY).filter(({ isMet }) => isMet === false);
  expect(missed.map(({ attack: name, method }) => `${name}: ${method}`)).toEqual([
    "hours: published time",
    "hours: median of the nearest known rows",
    "hours: order of row numbers",
    "hours: order in lists",
    "home cells: most frequent cell",
    "home cells: cell at the edges of the day",
    "observers: model version",
    "observers: decimals of the legibility",
    "observers: model and legibility",
    "observers: neighbors by row number, followed by tags",
  ]);
});

test("days, a keyed order, cells of the size of a city and plain devices meet every goal", () => {
  const lines = attack(CLOSED);
  expect(
    lines.filter(({ isMet }) => isMet === false),
    attackTable(lines),
  ).toEqual([]);
  expect(lines.every(({ tried }) => tried > 0)).toBe(true);
});

test("each closed leak is needed: the order alone gives hours away", () => {
  const lines = attack({ ...CLOSED, order: LEAKY.order });
  expect(lines.find(({ method }) => method === "order of row numbers")?.isMet).toBe(false);
});

test("a tag that a principal has at all records links a moved row to a third record", () => {
  const [row] = published(world, CLOSED).map((sight) => sight.row);
  const visit = world.visits[0];
  if (row === undefined || visit === undefined) throw new Error("the world is empty");
  const at = (id: number, record: number) => ({ ...row, id, record, observer_tag: `tag ${record}` });
  const moved = { id: 9, target: 1, record: 3, observer_tag: "tag 3" };
  const release = (third: string): PublicRelease => ({
    ...{ folder: "", records: new Map(), erasures: [], mergedTags: new Map(), lists: [], reasonCounts: "" },
    observations: [at(1, 1), at(2, 1), { ...at(3, 2), observer_tag: third }],
    changed: [moved],
  });
  const truth = new Map([1, 2, 3].map((id) => [id, visit]));
  const missed = (third: string, linksForeseen: number) =>
    moveLines({ releases: [release(third)], truth, linksForeseen }).filter(({ isMet }) => isMet === false);
  expect(missed("tag 2", 1)).toEqual([]);
  expect(missed("tag 3", 0).map(({ method }) => method)).toEqual([
    "a tag of a moved row at a third record",
    "principals beyond those that the previews count",
  ]);
});
