import { SearchParams } from "../contract/params.ts";
import { SearchResponse } from "../contract/search.ts";
import type { RecordRow } from "../snapshot/rows.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { defineResource } from "./define.ts";
import { demandOf } from "./demand-wire.ts";
import { entitySummary } from "./entity-summary.ts";
import { coverageStatus, envelope } from "./envelope.ts";

export const search = defineResource({
  operationId: "searchEntities",
  path: "/api/v1/search",
  summary: "Find Presence Records by name, city, industry or online presence",
  description:
    "Lists records whose canonical name contains the text, or is the same as it, most observed first; without filters, the most observed records. An empty result never proves absence.",
  pathParams: {},
  query: SearchParams.shape,
  wire: SearchResponse,
  example: { path: {}, query: { name: "bakery", city: "exampleville" } },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _path, { name, name_match, city, industry, online_presence, limit }) {
    const release = snapshot.release();
    const records = snapshot.search({
      name,
      nameMatch: name_match,
      city,
      industry,
      onlinePresence: online_presence,
      limit,
    });
    const cities = citiesOf(snapshot, city, records);
    return {
      query: {
        name: name ?? null,
        name_match: name === undefined ? null : name_match,
        city: city ?? null,
        industry: industry ?? null,
        online_presence: online_presence ?? null,
      },
      count: records.length,
      results: records.map((record) => entitySummary(record, snapshot.city(record.city), release.baseUrl)),
      ...coverageStatus(cities),
      demand: demandOf(snapshot, city),
      ...envelope(release, cities),
    };
  },
});

/** The cities that an answer speaks of: the one asked for, or else those of the records found. */
function citiesOf(snapshot: Snapshot, asked: string | undefined, records: readonly RecordRow[]) {
  const slugs = asked === undefined ? records.map((record) => record.city) : [asked];
  return [...new Set(slugs)].flatMap((slug) => snapshot.city(slug) ?? []);
}
