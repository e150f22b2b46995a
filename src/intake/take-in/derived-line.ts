import type { RandomBytes } from "../../kernel/ids.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { PendingLine, PendingReview } from "../../ledger/matching/pending-lines.ts";
import { commitValues } from "../../ledger/rows/digests.ts";
import { LineFault } from "../lines/fault.ts";
import { type IntakeHashes, readSighting, type Sighting } from "../lines/sighting.ts";

/** A pending line with its sighting. Plain data: it may come from a thread. */
export interface DerivedLine {
  readonly id: number;
  readonly batch: string;
  readonly key: string; // keyed hash of its source's reference, hexadecimal
  readonly review: PendingReview | undefined;
  readonly sighting: Sighting | undefined; // undefined for a line that this version refuses
}

export interface Derivation {
  readonly hashes: IntakeHashes;
  /** With it private values are committed here, and the ledger's writer has less to do. */
  readonly random?: RandomBytes;
}

/** The sightings of lines of a UTC day (ms), as they were when the lines were accepted. */
export function deriveLines(
  lines: readonly PendingLine[],
  day: number,
  derivation: Derivation,
): DerivedLine[] {
  return lines.map((line) => ({
    id: line.id,
    batch: line.batch,
    key: line.key.toString("hex"),
    review: line.review,
    sighting: sightingOf(line, day, derivation),
  }));
}

function sightingOf(
  { line, input }: PendingLine,
  day: number,
  { hashes, random }: Derivation,
): Sighting | undefined {
  try {
    // It was checked when it was accepted, on that day or before.
    const sighting = readSighting(line, JSON.parse(input), hashes, day + DAY_MS - 1);
    return random === undefined
      ? sighting
      : { ...sighting, hidden: {}, committed: commitValues(sighting.hidden, random) };
  } catch (error) {
    if (error instanceof LineFault) return undefined;
    throw error;
  }
}
