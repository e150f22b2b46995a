import { citation } from "./citation.ts";
import { cities } from "./cities.ts";
import { cityIndex } from "./city-index.ts";
import { coverageStatus } from "./coverage-status.ts";
import type { Resource } from "./define.ts";
import { entity } from "./entity.ts";
import { evidence } from "./evidence.ts";
import { explorerCsv } from "./explorer.ts";
import { gazetteer } from "./gazetteer.ts";
import { industries } from "./industries.ts";
import { ledgerCheckpoints } from "./ledger-checkpoints.ts";
import { machineActivity } from "./machine-activity.ts";
import { methodologyMetrics } from "./methodology-metrics.ts";
import { observations } from "./observations.ts";
import { presenceScore } from "./presence-score.ts";
import { pulse } from "./pulse.ts";
import { search } from "./search.ts";
import { searchAiReadiness } from "./search-ai-readiness.ts";
import { systemStatus } from "./system-status.ts";

/** Every public read operation, in the order of the interface (section 4). */
export const resources: readonly Resource[] = [
  search,
  entity,
  evidence,
  citation,
  presenceScore,
  observations,
  cityIndex,
  coverageStatus,
  explorerCsv,
  gazetteer,
  industries,
  cities,
  methodologyMetrics,
  searchAiReadiness,
  machineActivity,
  pulse,
  systemStatus,
  ledgerCheckpoints,
];
