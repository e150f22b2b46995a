import { citation } from "./citations/citation.ts";
import { cityAccuracy } from "./cities/accuracy.ts";
import { cities, gazetteer } from "./cities/cities.ts";
import { cityIndex } from "./cities/city-index.ts";
import { coverageStatus } from "./cities/coverage-status.ts";
import { explorerCsv } from "./cities/explorer.ts";
import { industries } from "./cities/industries.ts";
import { pulse } from "./cities/pulse.ts";
import type { Resource } from "./define.ts";
import { entity } from "./records/entity.ts";
import { evidence } from "./records/evidence.ts";
import { observations } from "./records/observations.ts";
import { presenceScore } from "./records/presence-score.ts";
import { search } from "./records/search.ts";
import { independence } from "./service/independence.ts";
import { ledgerCheckpoints, withdrawals } from "./service/ledger.ts";
import { machineActivity } from "./service/machine-activity.ts";
import { methodologyMetrics } from "./service/methodology-metrics.ts";
import { searchAiReadiness } from "./service/search-ai-readiness.ts";
import { systemStatus } from "./service/system-status.ts";

/** All public read operations, in the order of the interface (section 4). */
export const resources: readonly Resource[] = [
  search,
  entity,
  evidence,
  citation,
  presenceScore,
  observations,
  cityIndex,
  coverageStatus,
  cityAccuracy,
  explorerCsv,
  gazetteer,
  industries,
  cities,
  methodologyMetrics,
  independence,
  searchAiReadiness,
  machineActivity,
  pulse,
  systemStatus,
  ledgerCheckpoints,
  withdrawals,
];
