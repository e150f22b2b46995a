import type { CityInList } from "../../contract/mcp/fields.ts";
import { activeRecords, cityObject } from "../../resources/cities/cities.ts";
import type { ReadContext } from "../../resources/define.ts";
import { pageStart, pagingFields } from "../../resources/paging.ts";
import { allCities } from "../release-facts.ts";

type CityRow = ReturnType<ReadContext["snapshot"]["cities"]>[number];

interface Page {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** The covered cities in order of registration, in the form of a city's index without a row. Throws like `pageStart`. */
export function cityList(context: ReadContext, { limit, cursor }: Page) {
  const list = {
    filters: ["city list"],
    earlierSnapshot: (id: string) => context.releaseSnapshot(id),
  };
  const { snapshot, offset } = pageStart(context, list, cursor);
  const { releaseId, baseUrl } = snapshot.release();
  const all = snapshot.cities();
  const cities = all.slice(offset, offset + limit).map((city) => cityInList(city, baseUrl));
  const place = { snapshotId: releaseId, filters: list.filters, offset };
  const { has_more, next_cursor } = pagingFields(place, cities.length, offset + cities.length < all.length);
  const { coverage, dataAsOf } = allCities({ ...context, snapshot });
  return {
    filters: { industry: null, online_presence: null, ranking_state: null, claim_status: null },
    returned_count: cities.length,
    total_count: all.length,
    has_more,
    ...(next_cursor === null ? {} : { next_cursor }),
    snapshot_id: releaseId,
    cities,
    rankings: [],
    ranking_summary: {
      eligible: sum(all, "eligible"),
      evidence_building: sum(all, "evidence_building"),
      integrity_review: sum(all, "integrity_review"),
    },
    coverage_context: coverage,
    data_as_of: dataAsOf,
  };
}

function cityInList(city: CityRow, baseUrl: string): CityInList {
  const { slug, name, display_label, public_index_url } = cityObject(city, baseUrl);
  const { tier, level } = city.coverage;
  return { slug, name, display_label, public_index_url, record_count: activeRecords(city), tier, level };
}

function sum(cities: readonly CityRow[], status: keyof CityRow["rankingSummary"]): number {
  return cities.reduce((total, { rankingSummary }) => total + rankingSummary[status], 0);
}
