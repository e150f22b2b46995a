import { getPhysicalPresence as contract } from "../../contract/mcp/tools.ts";
import { NO_RESULT } from "../../contract/records/claim-boundary.ts";
import type { ReadContext } from "../../resources/define.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { type Answered, askedFor, findAsked } from "./asked-record.ts";
import { defineTool } from "./define-tool.ts";
import { evidenceSummary } from "./evidence-summary.ts";
import { severalText } from "./find-record.ts";
import { recordInShort } from "./record-in-short.ts";

export const getPhysicalPresence = defineTool(
  contract,
  (context, { business_name, public_id, city: cityText }) => {
    const asked = askedFor(contract, "business_name", business_name, public_id);
    const answered = findAsked(context, asked, cityText);
    return {
      ...recordInShort(context, answered.lookup),
      note: noteOf(context, answered),
      coverage_context: answered.city.coverage,
      data_as_of: answered.city.dataAsOf,
    };
  },
);

function noteOf(context: ReadContext, { city, lookup }: Answered): string {
  if (lookup.kind === "none") return `${NO_RESULT.meaning} ${NO_RESULT.limitation}`;
  if (lookup.kind === "several") return severalText(lookup, city.name);
  const { public_id } = lookup.record;
  return evidenceSummary(evidence.read(context, { public_id }, {}), city);
}
