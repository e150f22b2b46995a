import type { RankedEntity } from "../../contract/cities/city.ts";
import { cityIndexTool as contract } from "../../contract/mcp/tools.ts";
import { cityIndex as resource } from "../../resources/cities/city-index.ts";
import { findCity } from "../release-facts.ts";
import { definedOnly, defineTool } from "./define-tool.ts";

export const cityIndex = defineTool(contract, (context, { city: cityText, limit, ...query }) => {
  const city = findCity(context, cityText);
  const page = resource.read(context, { city: city.slug }, { ...definedOnly(query), limit: String(limit) });
  return {
    city: { slug: city.slug, name: city.name },
    filters: {
      industry: page.industry,
      online_presence: query.online_presence ?? null,
      ranking_state: page.ranking_state,
      claim_status: page.claim_status,
    },
    returned_count: page.returned_count,
    total_count: page.total_count,
    has_more: page.has_more,
    ...(page.next_cursor === null ? {} : { next_cursor: page.next_cursor }),
    snapshot_id: page.snapshot_id,
    rankings: page.rankings.map(ranked),
    ranking_summary: page.ranking_summary,
    coverage_context: city.coverage,
    data_as_of: page.data_as_of,
  };
});

function ranked(record: RankedEntity) {
  const { rank, public_id, name, record_type, record_url, pps, ranking_gate, identity_hierarchy } = record;
  const { pps_without_any_one_observer, gate_holds_without_any_one_observer } = record;
  return {
    rank,
    public_id,
    name,
    record_type,
    record_url,
    pps,
    pps_without_any_one_observer,
    gate_holds_without_any_one_observer,
    ranking_gate,
    identity_hierarchy,
  };
}
