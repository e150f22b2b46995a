import type { SourceType } from "../../contract/enums.ts";
import { type IntakeHashes, namedSource } from "../lines/sighting.ts";
import { cellsOfLook, type LookInput, parseLook } from "./look-input.ts";
import type { LookedCell } from "./walk.ts";

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

const KEY_DIGITS = 32;
const CONTENT_DIGITS = 16;

/** Throws LineFault. `now` in ms decides what is in the future. */
export function readLook(line: number, value: unknown, hashes: IntakeHashes, now: number): Look {
  const input = parseLook(value);
  const cells = cellsOfLook(input, now);
  const { source_type, source_ref, observer } = input;
  const source = namedSource(input);
  return {
    line,
    // A visit and an observation of it may have the same reference.
    key: hashes.sourceRef(JSON.stringify(["look", source ?? source_type, source_ref])).slice(0, KEY_DIGITS),
    content: hashes.sourceRef(contentText(input)).slice(0, CONTENT_DIGITS),
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
