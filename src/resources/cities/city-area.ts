import { cellToParent } from "h3-js";
import { CityAreaResponse } from "../../contract/cities/city.ts";
import { MAX_CELL_RECORDS } from "../../contract/limits.ts";
import { CityAreaParams } from "../../contract/params.ts";
import { CELL_BOUNDARY, LICENSE } from "../../contract/records/claim-boundary.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { cityDate } from "../../kernel/time.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { defineResource, type PathValues } from "../define.ts";
import { cityEnvelope } from "../envelope.ts";
import { recordUrl } from "../links.ts";
import { cityCells, cityRef, coveredCity } from "./cities.ts";

const AREA_RESOLUTION = 6;

export const cityArea = defineResource({
  operationId: "getCityArea",
  path: "/api/v1/city/{city}/cells/{area}",
  summary: "Get a part of a city's map: its cells with their counts and records",
  description: `Returns the eligible and observed cells of the city within one H3 cell of resolution ${AREA_RESOLUTION}, each with its counts and the ${MAX_CELL_RECORDS} records that were observed most often in it. /exports/cells/{city}.geojson has all cells of the city; the area of each is its parent. A cell without records is not evidence of absence.`,
  pathParams: CityAreaParams.shape,
  query: {},
  wire: CityAreaResponse,
  example: { path: { city: "exampleville", area: "86d360707ffffff" }, query: {} },
  errors: [400, 404],
  enumerate: cityAreas,
  load({ snapshot }, { city: slug, area }) {
    const city = coveredCity(snapshot, slug);
    const own = cityCells({ snapshot }, slug).filter(({ h3_cell }) => areaOf(h3_cell) === area);
    if (own.length === 0) return undefined;
    const release = snapshot.release();
    const observed = snapshot.cellRecordsOf(slug);
    return {
      schema: SCHEMA.cityArea,
      city: cityRef(city),
      area,
      cells: own.map((cell) => {
        const records = observed.get(cell.h3_cell) ?? [];
        const first = records.toSorted((a, b) => b.observations - a.observations).slice(0, MAX_CELL_RECORDS);
        return {
          ...cell,
          records: records.length,
          first_records: first.map(({ publicId, name, isSynthetic, observations, lastObserved }) => ({
            public_id: publicId,
            name,
            is_synthetic: isSynthetic,
            record_url: recordUrl(release.baseUrl, publicId),
            observations,
            last_observed: cityDate(lastObserved, city.lng),
          })),
        };
      }),
      license: LICENSE,
      claim_boundary: CELL_BOUNDARY,
      ...cityEnvelope(release, [city]),
    };
  },
});

function areaOf(cell: string): string {
  return cellToParent(cell, AREA_RESOLUTION);
}

function* cityAreas(snapshot: Snapshot): Iterable<PathValues> {
  for (const { slug } of snapshot.cities()) {
    const areas = new Set(cityCells({ snapshot }, slug).map(({ h3_cell }) => areaOf(h3_cell)));
    for (const area of [...areas].sort()) yield { city: slug, area };
  }
}
