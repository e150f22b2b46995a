import type { SourceType, VerificationState } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";

/** Weight of one observation, 0..1 with three decimals: source weight times state weight (design 7). */
export function trustWeight(source: SourceType, state: VerificationState): number {
  return Math.round(PARAMETERS.trust.source[source] * PARAMETERS.trust.state[state] * 1000) / 1000;
}
