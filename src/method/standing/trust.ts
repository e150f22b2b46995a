import type { SourceType, VerificationState } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";

/** How much one observation weighs, 0..1 with three decimals: the source's weight times the state's (design 7). */
export function trustWeight(source: SourceType, state: VerificationState): number {
  return Math.round(PARAMETERS.trust.source[source] * PARAMETERS.trust.state[state] * 1000) / 1000;
}
