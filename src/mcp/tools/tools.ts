import { checkBusinessReality } from "./check-business-reality.ts";
import { checkPhysicalEvidence } from "./check-physical-evidence.ts";
import { cityIndex } from "./city-index.ts";
import { comparePresence } from "./compare-presence.ts";
import type { Tool } from "./define-tool.ts";
import { getPhysicalPresence } from "./get-physical-presence.ts";
import { getPulse } from "./get-pulse.ts";

/** All tools, in the order of interface 4.21. */
export const tools: readonly Tool[] = [
  getPhysicalPresence,
  comparePresence,
  cityIndex,
  checkPhysicalEvidence,
  checkBusinessReality,
  getPulse,
];
