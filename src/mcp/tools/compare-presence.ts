import { comparePresence as contract } from "../../contract/mcp/tools.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import { findCity } from "../release-facts.ts";
import { defineTool } from "./define-tool.ts";
import { ASK_AGAIN, findRecord, type Lookup } from "./find-record.ts";
import { recordInShort } from "./record-in-short.ts";

const NOTE = `Missing evidence is not treated as absence. ${NO_RESULT.limitation} Scores are relative to the ranked records of this city.`;
const SEVERAL = `A name with candidates matches several records. ${ASK_AGAIN}`;

export const comparePresence = defineTool(contract, (context, { business_names, city: cityText }) => {
  const city = findCity(context, cityText);
  const compared = business_names.map((query) => ({ query, lookup: findRecord(context, city.slug, query) }));
  return {
    city: city.name,
    comparison: compared.map(({ query, lookup }) => ({ query, ...recordInShort(context, lookup) })),
    note: noteOf(compared.map(({ lookup }) => lookup)),
    coverage_context: city.coverage,
    data_as_of: city.dataAsOf,
  };
});

function noteOf(lookups: readonly Lookup[]): string {
  return lookups.some(({ kind }) => kind === "several") ? `${NOTE} ${SEVERAL}` : NOTE;
}
