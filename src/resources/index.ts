import { citation } from "./citations/citation.ts";
import { cities, gazetteer, industries } from "./cities/cities.ts";
import { cityArea } from "./cities/city-area.ts";
import { cityIndex } from "./cities/city-index.ts";
import { cityAccuracy, coverageStatus } from "./cities/coverage.ts";
import { pulse } from "./cities/pulse.ts";
import { explorerCsv } from "./cities/tables.ts";
import type { Resource } from "./define.ts";
import { entity, presenceScore } from "./records/entity.ts";
import { evidence } from "./records/evidence.ts";
import { observations } from "./records/observations.ts";
import { search } from "./records/search.ts";
import { independence } from "./service/independence.ts";
import { ledgerCheckpoints, withdrawals } from "./service/ledger.ts";
import { machineActivity } from "./service/machine-activity.ts";
import { methodologyMetrics } from "./service/methodology.ts";
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
  cityArea,
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
