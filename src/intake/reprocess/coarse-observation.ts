import { cellToParent, getResolution } from "h3-js";
import { MOBILE_RESOLUTION } from "../../contract/records/public-precision.ts";
import { cityDayStart, isoTime } from "../../kernel/time.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import { isMobile } from "../matching/asset-kind.ts";

/** The body with the precision that intake publishes today. `lng` is the city's, in degrees. */
export function coarseObservation(body: ObservationBody, lng: number): ObservationBody {
  const { asset_type, h3_cell, legibility, observed_at } = body;
  const isFine = isMobile(asset_type) && getResolution(h3_cell) > MOBILE_RESOLUTION;
  return {
    ...body,
    observed_at: isoTime(cityDayStart(Date.parse(observed_at), lng)),
    h3_cell: isFine ? cellToParent(h3_cell, MOBILE_RESOLUTION) : h3_cell,
    legibility: legibility === null ? null : Math.round(legibility * 10) / 10,
  };
}

/** Whether a row says more than intake would publish of it today. */
export function isTooFine(body: ObservationBody, lng: number): boolean {
  const coarse = coarseObservation(body, lng);
  return (
    coarse.observed_at !== body.observed_at ||
    coarse.h3_cell !== body.h3_cell ||
    coarse.legibility !== body.legibility
  );
}
