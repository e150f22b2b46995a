import type { SearchResponse } from "../search.ts";
import { cityRef, envelope, exampleOnly } from "./base.ts";
import { COVERAGE_MESSAGE, coverage } from "./coverage.ts";
import { bakery } from "./entity.ts";

export const searchExample: SearchResponse = {
  query: { name: "bakery", city: cityRef.slug, industry: null, online_presence: null },
  count: 1,
  results: [bakery],
  coverage_status: coverage.tier,
  coverage_message: COVERAGE_MESSAGE,
  demand: null,
  ...envelope,
  ...exampleOnly,
};
