import { IndustryOptionsResponse } from "../../contract/cities/industry-options.ts";
import { IndustryOptionsParams } from "../../contract/params.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { defineResource } from "../define.ts";

const SOURCE = "UN ISIC Revision 5";

export const industries = defineResource({
  operationId: "listIndustries",
  path: "/api/v1/taxonomy/industries",
  summary: "Search the UN ISIC Revision 5 industries",
  description: "Returns the codes for industry filters. A filter matches a code and everything below it.",
  pathParams: {},
  query: IndustryOptionsParams.shape,
  wire: IndustryOptionsResponse,
  example: { path: {}, query: { query: "plumbing", level: "class" } },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }, _path, { query, section, level, limit }) {
    return {
      schema: SCHEMA.industryOptions,
      source: SOURCE,
      query: query ?? null,
      industries: snapshot.industries({ query, section, level, limit }),
    };
  },
});
