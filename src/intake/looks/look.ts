import { getResolution, isValidCell } from "h3-js";
import { z } from "zod";
import { AssetType, SourceType } from "../../contract/enums.ts";
import { LOOK_PARAMETERS } from "../../contract/params.ts";
import { HOUR_MS, solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import type { NewLook } from "../../ledger/looks.ts";
import { faultOf, LineFault } from "../lines/fault.ts";
import { observedInstant } from "../lines/observation-input.ts";
import { type IntakeHashes, lineKeys, namedSource } from "../lines/sighting.ts";
import { isMobile } from "../matching/keyed-hash.ts";
import { CITY_RESOLUTION, type CityOfCell } from "../places/place.ts";
import {
  decodePolyline,
  type LookedCell,
  type Position,
  type TimedPosition,
  walkedCells,
  walkLength,
  withoutEnds,
} from "./walk.ts";

const { maxPoints, maxCells, maxHours, maxKilometersAnHour } = LOOK_PARAMETERS;
const MAX_POLYLINE = 60_000; // a line holds no more
const text = (max: number) => z.string().max(max);

const Coordinate = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)], z.number()); // lng, lat

const Track = z.object({
  type: z.literal("LineString"),
  coordinates: z.array(Coordinate).min(2).max(maxPoints),
  times: z.array(text(40)).min(2).max(maxPoints),
});

/** One look as sources send it: where somebody looked for fixed signs, whether or not there were any. */
export const LookInput = z.object({
  kind: z.literal("look"),
  source: text(100).min(1).nullish(),
  source_type: SourceType,
  source_ref: text(200).min(1),
  observer: text(200).min(1),
  from: text(40).min(1),
  until: text(40).min(1),
  asset_types: z.array(AssetType).min(1).max(AssetType.options.length),
  cells: z.array(text(16)).min(1).max(maxCells).nullish(),
  track: Track.nullish(),
  polyline: text(MAX_POLYLINE).min(1).nullish(),
});
export type LookInput = z.infer<typeof LookInput>;

export const LOOK_FIELDS = LookInput.keyof().options;

/** Whether a line is a look. All other lines are observations, whatever else they name. */
export function isLook(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "look";
}

/** Checks shape, types and ranges of one line's value. Throws LineFault naming the field. */
export function parseLook(value: unknown): LookInput {
  const parsed = LookInput.safeParse(value);
  if (!parsed.success) throw faultOf(parsed.error.issues[0]);
  const input = parsed.data;
  for (const field of ["source", "source_ref", "observer"] as const) {
    if (input[field]?.isWellFormed() === false)
      throw new LineFault("invalid_encoding", field, "has half of a surrogate pair");
  }
  const ways = (["cells", "track", "polyline"] as const).filter((way) => (input[way] ?? null) !== null);
  if (ways.length === 0) throw new LineFault("missing_field", "cells", "give cells, track or polyline");
  if (ways.length > 1)
    throw new LineFault("not_allowed", ways[1] ?? "cells", "give only one of cells, track and polyline");
  if (input.asset_types.every(isMobile))
    throw new LineFault(
      "not_allowed",
      "asset_types",
      "names no fixed asset type: looks count for fixed signs only",
    );
  return input;
}

/** The cells that a look says were looked at, without the ends of its walk. `now` in ms. Throws LineFault. */
export function cellsOfLook(input: LookInput, now: number): LookedCell[] {
  const span = spanOfLook(input, now);
  const { cells, track, polyline } = input;
  if (cells) return listedCells(cells, span);
  const isTimed = track !== null && track !== undefined;
  const walk = isTimed ? timedWalk(track, span, now) : untimedWalk(polyline ?? "", span);
  assertSpeed("length", walkLength(walk), span, isTimed ? "track" : "polyline");
  const looked = walkedCells(withoutEnds(walk, isTimed));
  if (looked.length === 0)
    throw new LineFault(
      "track_too_short",
      isTimed ? "track" : "polyline",
      "nothing is left of the walk without its two ends",
    );
  if (looked.length > maxCells)
    throw new LineFault("out_of_range", isTimed ? "track" : "polyline", `passes more than ${maxCells} cells`);
  return looked;
}

interface Span {
  readonly from: number; // ms
  readonly until: number;
}

function spanOfLook(input: LookInput, now: number): Span {
  const from = instantOf(input.from, "from", now);
  const until = instantOf(input.until, "until", now);
  if (until < from) throw new LineFault("out_of_range", "until", "is before from");
  if (until - from > maxHours * HOUR_MS)
    throw new LineFault("out_of_range", "until", `is more than ${maxHours} hours after from`);
  return { from, until };
}

/** An instant with its zone: what has no hour cannot say on which day somebody looked. */
function instantOf(value: string, field: string, now: number): number {
  if (!value.includes("T"))
    throw new LineFault("invalid_date", field, "is not a date and time with its UTC offset");
  try {
    return observedInstant(value, 0, now);
  } catch (error) {
    if (error instanceof LineFault) throw new LineFault(error.reason, field, error.message);
    throw error;
  }
}

const CELL_TEXT = /^[0-9a-f]{15}$/; // the one way to write a cell
const CELL_KILOMETERS = 0.9; // between the centers of neighbors

/** Which of the cells was looked at when is not said: all count for the middle of the span. */
function listedCells(cells: readonly string[], span: Span): LookedCell[] {
  const distinct = [...new Set(cells)];
  for (const cell of distinct) {
    if (!CELL_TEXT.test(cell) || !isValidCell(cell) || getResolution(cell) !== CITY_RESOLUTION)
      throw new LineFault(
        "not_allowed",
        "cells",
        `has a text that is no H3 cell of resolution ${CITY_RESOLUTION}`,
      );
  }
  assertSpeed("number of cells", (distinct.length - 1) * CELL_KILOMETERS, span, "cells");
  const hour = Math.floor((span.from + span.until) / 2 / HOUR_MS);
  return distinct.map((cell) => ({ cell, hour }));
}

function timedWalk({ coordinates, times }: z.infer<typeof Track>, span: Span, now: number): TimedPosition[] {
  if (times.length !== coordinates.length)
    throw new LineFault("not_allowed", "track", "has not as many times as coordinates");
  let last = span.from;
  return coordinates.map(([lng, lat], index) => {
    const at = instantOf(times[index] ?? "", "track", now);
    if (at < last || at > span.until)
      throw new LineFault(
        "out_of_range",
        "track",
        "has a time before the one above it, or outside from and until",
      );
    last = at;
    return { lat, lng, at };
  });
}

/** Without times the walk is taken to be even. */
function untimedWalk(polyline: string, { from, until }: Span): TimedPosition[] {
  const positions = decodePolyline(polyline, maxPoints);
  if (positions === undefined || positions.length < 2)
    throw new LineFault(
      "not_allowed",
      "polyline",
      `is not an encoded polyline (precision 5) of 2 to ${maxPoints} positions`,
    );
  const each = (until - from) / (positions.length - 1);
  return positions.map((position: Position, index) => ({ ...position, at: from + each * index }));
}

const ROOM_KILOMETERS = 2; // that a span of no length may say

function assertSpeed(what: string, kilometers: number, { from, until }: Span, field: string): void {
  const hours = (until - from) / HOUR_MS;
  if (kilometers > ROOM_KILOMETERS + hours * maxKilometersAnHour)
    throw new LineFault(
      "too_fast",
      field,
      `its ${what} would take more than ${maxKilometersAnHour} km/h in the time from \`from\` to \`until\``,
    );
}

/** A look that passed every check which needs the line alone. Its walk is dropped; it is never stored as a whole. */
export interface Look {
  readonly line: number;
  /** Keyed hashes in hexadecimal, as those of a sighting. */
  readonly key: string;
  readonly content: string;
  readonly source: string | undefined;
  readonly source_type: SourceType;
  readonly observer: string; // as the source names it
  readonly cells: readonly LookedCell[];
}

/** Throws LineFault. `now` in ms decides what is in the future. */
export function readLook(line: number, value: unknown, hashes: IntakeHashes, now: number): Look {
  const input = parseLook(value);
  const cells = cellsOfLook(input, now);
  const { source_type, source_ref, observer } = input;
  const source = namedSource(input);
  return {
    line,
    // A visit and an observation of it may have the same reference.
    ...lineKeys(["look", source ?? source_type, source_ref], contentText(input), hashes),
    source,
    source_type,
    observer,
    cells,
  };
}

/** Equal for equal looks. */
function contentText(input: LookInput): string {
  const { observer, from, until, asset_types, cells, track, polyline } = input;
  return JSON.stringify([
    "look",
    observer,
    from,
    until,
    asset_types,
    cells ?? null,
    track ? [track.coordinates, track.times] : null,
    polyline ?? null,
  ]);
}

export type LookedPlace = Pick<NewLook, "city" | "cell" | "day">;

/** The cells of a look with their cities and solar days, each once. Throws LineFault when no cell is in a registered city. */
export function placedLook({ cells }: Pick<Look, "cells">, cityOf: CityOfCell): LookedPlace[] {
  const places = new Map<string, LookedPlace>();
  for (const { cell, hour } of cells) {
    const city = cityOf(cell);
    if (city === undefined) continue;
    const day = solarDayNumber(hour * HOUR_MS, solarOffsetHours(city.details.lng));
    places.set(`${cell} ${day}`, { city: city.slug, cell, day });
  }
  if (places.size === 0)
    throw new LineFault("outside_registered_cities", null, "no cell of the look is in a registered city");
  return [...places.values()];
}
