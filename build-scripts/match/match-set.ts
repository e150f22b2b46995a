/** A town to match: its lines with the truth about them, which goes to the measures and never into a line. */
import type { ObservationInput } from "../../src/intake/lines/observation-input.ts";

export interface MatchLine {
  readonly input: Omit<ObservationInput, "source_ref" | "source">;
  /** Whether a registered source sends it; else it belongs to the built-in source of its type. */
  readonly isBuiltIn: boolean;
  readonly truth: Truth;
  readonly address: string;
}

/** Ids of the asset and of the business that was seen. */
export interface Truth {
  readonly asset: string;
  readonly record: string;
}

export interface MatchSet {
  readonly name: string;
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
  /** Observers that the operator vouches for: the rows of others do not count. */
  readonly vouched: readonly string[];
  readonly lines: readonly MatchLine[]; // by time
}
