import { NO_RESULT, POSITIVE_RESULT } from "../contract/claim-boundary.ts";
import { getPhysicalPresence as contract } from "../contract/mcp/tools.ts";
import { defineTool } from "./define-tool.ts";
import { ASK_AGAIN, type Found, findRecord } from "./find-record.ts";
import { recordInShort } from "./record-in-short.ts";
import { findCity } from "./release-facts.ts";

const NOTES: Readonly<Record<Found["kind"], string>> = {
  one: POSITIVE_RESULT,
  several: `The name fits several records. ${ASK_AGAIN}`,
  none: `${NO_RESULT.meaning} ${NO_RESULT.limitation}`,
};

export const getPhysicalPresence = defineTool(contract, (context, { business_name, city: cityText }) => {
  const city = findCity(context, cityText);
  const found = findRecord(context, city.slug, business_name);
  return {
    ...recordInShort(context, found),
    note: NOTES[found.kind],
    coverage_context: city.coverage,
    data_as_of: city.dataAsOf,
  };
});
