import { NO_RESULT } from "../contract/claim-boundary.ts";
import { comparePresence as contract } from "../contract/mcp/tools.ts";
import { defineTool } from "./define-tool.ts";
import { findRecord } from "./find-record.ts";
import { recordInShort } from "./record-in-short.ts";
import { findCity } from "./release-facts.ts";

const NOTE = `Missing evidence is not treated as absence. ${NO_RESULT.limitation} Scores are relative to the ranked records of this city.`;

export const comparePresence = defineTool(contract, (context, { business_names, city: cityText }) => {
  const city = findCity(context, cityText);
  return {
    city: city.name,
    comparison: business_names.map((query) => ({
      query,
      ...recordInShort(context, findRecord(context, city.slug, query)),
    })),
    note: NOTE,
    coverage_context: city.coverage,
    data_as_of: city.dataAsOf,
  };
});
