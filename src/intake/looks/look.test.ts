import { cellToLatLng, gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { LOOK_PARAMETERS } from "../../contract/params.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { LineFault } from "../lines/fault.ts";
import { cellsOfLook, parseLook } from "./look.ts";

const NOW = Date.parse("2026-05-10T12:00:00Z");
const CENTER = latLngToCell(40, -75, 8);

const look = (changes: Readonly<Record<string, unknown>> = {}) => ({
  kind: "look",
  source_type: "scout",
  source_ref: "walk-1",
  observer: "scout-7",
  from: "2026-05-01T14:00:00Z",
  until: "2026-05-01T16:00:00Z",
  asset_types: ["storefront", "billboard"],
  cells: [CENTER],
  ...changes,
});

/** Walks north along a meridian, one point a minute, `step` meters apart. */
const track = (points: number, step = 80) => ({
  type: "LineString",
  coordinates: Array.from({ length: points }, (_, at) => [-75, 40 + (at * step) / 111_195]),
  times: Array.from({ length: points }, (_, at) =>
    new Date(Date.parse("2026-05-01T14:00:00Z") + at * 60_000).toISOString(),
  ),
});
const walk = (points: number, step?: number) => look({ cells: undefined, track: track(points, step) });

const cellsOf = (value: unknown) => cellsOfLook(parseLook(value), NOW).map(({ cell }) => cell);

/** Reason and field of the refusal. */
function refused(value: unknown): string {
  try {
    cellsOf(value);
    return "accepted";
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    return `${error.reason} ${error.field}`;
  }
}

test("cells count once, in the hour in the middle of the span", () => {
  const hour = Math.floor(Date.parse("2026-05-01T15:00:00Z") / HOUR_MS);
  const input = parseLook(look({ cells: [CENTER, CENTER] }));
  expect(cellsOfLook(input, NOW)).toEqual([{ cell: CENTER, hour }]);
});

test("a track gives the cells along it, those between two points too", () => {
  const every = cellsOf(walk(120, 80));
  const sparse = track(120, 80);
  const keep = (_: unknown, at: number) => at % 10 === 0 || at === 119;
  const thin = { ...sparse, coordinates: sparse.coordinates.filter(keep), times: sparse.times.filter(keep) };
  expect(every.length).toBeGreaterThan(8);
  expect(cellsOf(look({ cells: undefined, track: thin })).length).toBeGreaterThan(every.length - 3);
});

test("both ends of a track are cut off: where it began and ended cannot be told from its cells", () => {
  const { cutMeters } = LOOK_PARAMETERS;
  const home = cellToLatLng(CENTER);
  const meters = (count: number) => home[0] + count / 111_195;
  // Out of the home cell at a sprint: without the cut its points there would name it.
  const coordinates = [0, 60, 120, 180, 1_500, 1_600, 1_700, 1_800, 1_900, 2_000].map((north) => [
    home[1],
    meters(north),
  ]);
  const times = coordinates.map((_, at) =>
    new Date(Date.parse("2026-05-01T14:00:00Z") + at * 180_000).toISOString(),
  );
  expect(cutMeters).toBe(200);
  const cells = cellsOf(look({ cells: undefined, track: { type: "LineString", coordinates, times } }));
  expect(cells).not.toContain(CENTER);
  expect(cells).not.toContain(latLngToCell(meters(2_000) + 0.001, home[1], 9));
  expect(cells.length).toBeGreaterThan(0);
});

test("whoever stands still for minutes, or never leaves the first meters, leaves nothing", () => {
  expect(refused(walk(30, 0))).toBe("track_too_short track");
  expect(refused(walk(5, 80))).toBe("track_too_short track"); // 320 meters
  const quick = track(8, 80);
  const times = quick.times.map((_, at) =>
    new Date(Date.parse("2026-05-01T14:00:00Z") + at * 20_000).toISOString(),
  );
  expect(refused(look({ cells: undefined, track: { ...quick, times } }))).toBe("track_too_short track"); // 140 seconds
});

test("nothing is taken as looked at between points that are far apart", () => {
  const far = track(30, 80);
  const jump = {
    ...far,
    coordinates: far.coordinates.map(([lng = 0, lat = 0], at) => [lng, at < 15 ? lat : lat + 0.03]),
  };
  const cells = cellsOf(look({ cells: undefined, track: jump }));
  expect(cells).not.toContain(latLngToCell(40 + (15 * 80) / 111_195 + 0.015, -75, 8));
});

// Four points, 450 meters apart, from 40, -75 to the north.
const POLYLINE = "_pfsFfzzhMiXAiXAiXA";

test("a polyline gives cells without times, its ends cut off by distance", () => {
  expect(cellsOf(look({ cells: undefined, polyline: POLYLINE })).length).toBeGreaterThan(0);
  expect(refused(look({ cells: undefined, polyline: "_p~iF~ps|U" }))).toBe("not_allowed polyline"); // one point
});

test.each([
  ["nothing looked at", look({ cells: undefined }), "missing_field cells"],
  ["null for all", look({ cells: null, track: null, polyline: null }), "missing_field cells"],
  ["two ways at once", look({ polyline: POLYLINE }), "not_allowed polyline"],
  ["no cells", look({ cells: [] }), "out_of_range cells"],
  ["too many cells", look({ cells: gridDisk(CENTER, 26) }), "out_of_range cells"],
  ["a cell of another resolution", look({ cells: [latLngToCell(40, -75, 9)] }), "not_allowed cells"],
  ["a cell in capitals", look({ cells: [CENTER.toUpperCase()] }), "not_allowed cells"],
  ["no cell at all", look({ cells: ["zzz"] }), "not_allowed cells"],
  ["a number for a cell", look({ cells: [7] }), "wrong_type cells"],
  ["only vehicles", look({ asset_types: ["vehicle_wrap"] }), "not_allowed asset_types"],
  ["no asset types", look({ asset_types: [] }), "out_of_range asset_types"],
  ["an unknown asset type", look({ asset_types: ["tree"] }), "not_allowed asset_types"],
  ["no observer", look({ observer: undefined }), "missing_field observer"],
  ["half a surrogate", look({ source_ref: "\ud800" }), "invalid_encoding source_ref"],
  ["a bare date", look({ from: "2026-05-01" }), "invalid_date from"],
  ["no zone", look({ until: "2026-05-01T16:00:00" }), "invalid_date until"],
  ["the future", look({ until: "2026-05-12T00:00:00Z" }), "future_date until"],
  ["backwards", look({ until: "2026-05-01T13:00:00Z" }), "out_of_range until"],
  ["more than a day", look({ until: "2026-05-02T14:00:01Z" }), "out_of_range until"],
  [
    "a city in a second",
    look({ cells: gridDisk(CENTER, 5), until: "2026-05-01T14:00:01Z" }),
    "too_fast cells",
  ],
  ["a walk at the speed of a jet", look({ cells: undefined, track: track(100, 10_000) }), "too_fast track"],
  [
    "fewer times than points",
    look({ cells: undefined, track: { ...track(9), times: track(8).times } }),
    "not_allowed track",
  ],
  [
    "times that run back",
    look({ cells: undefined, track: { ...track(9), times: track(9).times.toReversed() } }),
    "out_of_range track",
  ],
  [
    "times outside the span",
    look({ cells: undefined, track: track(9), until: "2026-05-01T14:05:00Z" }),
    "out_of_range track",
  ],
  [
    "latitude first",
    look({
      cells: undefined,
      track: {
        ...track(2),
        coordinates: [
          [0, 95],
          [0, 96],
        ],
      },
    }),
    "out_of_range track",
  ],
  ["a polygon", look({ cells: undefined, track: { ...track(9), type: "Polygon" } }), "not_allowed track"],
  ["one point", look({ cells: undefined, track: track(1) }), "out_of_range track"],
  [
    "more points than a track may have",
    look({ cells: undefined, track: track(LOOK_PARAMETERS.maxPoints + 1, 1), until: "2026-05-02T14:00:00Z" }),
    "out_of_range track",
  ],
  [
    "a polyline with other characters",
    look({ cells: undefined, polyline: "_p~iF\u0000" }),
    "not_allowed polyline",
  ],
  [
    "a polyline that leaves the globe",
    look({ cells: undefined, polyline: "~~~~~^~~~~~^" }),
    "not_allowed polyline",
  ],
  [
    "a polyline without an end",
    look({ cells: undefined, polyline: "~".repeat(50_000) }),
    "not_allowed polyline",
  ],
  [
    "a polyline of too many points",
    look({ cells: undefined, polyline: "??".repeat(LOOK_PARAMETERS.maxPoints + 1) }),
    "not_allowed polyline",
  ],
])("%s is refused by name", (_, value, expected) => {
  expect(refused(value)).toBe(expected);
});
