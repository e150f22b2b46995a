import type { ExplorerRow } from "../explorer.ts";
import { cityRef, coverageConfidence } from "./base.ts";

export const explorerExample: ExplorerRow[] = [
  {
    city: cityRef.slug,
    industry: "1071",
    asset_type: "storefront",
    claim_state: "unclaimed",
    entities: 4,
    observations: 31,
    observed_cells: 5,
    coverage_level: coverageConfidence.level,
    assets: 4,
    avg_pps: 54.2,
    avg_percentile: 58.33,
    first_observed: "2026-02-03",
    last_observed: "2026-06-18",
  },
];
