import { cellToParent, getResolution } from "h3-js";
import { MOBILE_RESOLUTION } from "../../contract/records/public-precision.ts";
import { cityDayStart, isoTime } from "../../kernel/time.ts";
import type { ObservationBody } from "../../ledger/rows/rows.ts";
import { isMobile } from "../matching/asset-kind.ts";
import type { ModelAllowList } from "../matching/recognition-models.ts";

/** What decides how precise a row may be. */
export interface Precision {
  readonly lng: number; // of the city, in degrees
  readonly isModelAllowed: ModelAllowList;
}

/** The body with the precision that intake publishes today. */
export function coarseObservation(
  body: ObservationBody,
  { lng, isModelAllowed }: Precision,
): ObservationBody {
  const {
    asset_type,
    h3_cell,
    legibility,
    observed_at,
    source_type,
    recognition_model_version: model,
  } = body;
  const isFine = isMobile(asset_type) && getResolution(h3_cell) > MOBILE_RESOLUTION;
  return {
    ...body,
    observed_at: isoTime(cityDayStart(Date.parse(observed_at), lng)),
    h3_cell: isFine ? cellToParent(h3_cell, MOBILE_RESOLUTION) : h3_cell,
    legibility: legibility === null ? null : Math.round(legibility * 10) / 10,
    recognition_model_version: model !== null && isModelAllowed(source_type, model) ? model : null,
  };
}

/** Whether a row says more than intake would publish of it today. */
export function isTooFine(body: ObservationBody, precision: Precision): boolean {
  const coarse = coarseObservation(body, precision);
  return (
    coarse.observed_at !== body.observed_at ||
    coarse.h3_cell !== body.h3_cell ||
    coarse.legibility !== body.legibility ||
    coarse.recognition_model_version !== body.recognition_model_version
  );
}
