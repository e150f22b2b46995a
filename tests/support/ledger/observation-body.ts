import { StatedFacts } from "../../../src/contract/records/observation.ts";
import type { ObservationBody } from "../../../src/ledger/rows/rows.ts";

/** The facts of an observation of which its source says nothing. */
export const NOTHING_STATED = StatedFacts.parse(
  Object.fromEntries(StatedFacts.keyof().options.map((name) => [name, null])),
);

/** The body of an observation of a storefront; `changes` say what is special about it. */
export function observationBody(
  changes: Pick<ObservationBody, "record" | "asset" | "observer_tag"> & Partial<ObservationBody>,
): ObservationBody {
  return {
    accepted_at: "2026-05-01T00:00:00Z",
    asset_type: "storefront",
    city: "toronto",
    counts: true,
    derived_from_archive: false,
    h3_cell: "882b9bc711fffff",
    is_synthetic: false,
    legibility: null,
    methodology_version: "test",
    observed_at: "2026-05-01T00:00:00Z",
    presence_kind: "location_presence",
    source: null,
    source_type: "scout",
    ...NOTHING_STATED,
    ...changes,
  };
}
