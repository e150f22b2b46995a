import { type OnlinePresence, SignalType } from "../contract/enums.ts";
import type { Finding } from "./provider.ts";

export interface OnlineVerdict {
  readonly verdict: OnlinePresence;
  readonly signalTypes: SignalType[]; // each once, in the order of the contract
  readonly matchCount: number;
}

/**
 * `detected` if any way to look found something. `none` only if the name was searched for and every way that was tried ended without
 * a result: a dead website alone proves nothing. Everything else is `unknown`.
 */
export function verdictOf(findings: readonly Finding[]): OnlineVerdict {
  const hits = findings.filter((finding) => finding.outcome === "found");
  if (hits.length > 0) {
    const types = new Set(hits.flatMap((finding) => finding.types));
    return {
      verdict: "detected",
      signalTypes: SignalType.options.filter((type) => types.has(type)),
      matchCount: hits.reduce((sum, { matches }) => sum + matches, 0),
    };
  }
  const wasSearched = findings.some(({ signal }) => signal === "name_search");
  const isComplete = findings.every(({ outcome }) => outcome === "absent");
  return { verdict: wasSearched && isComplete ? "none" : "unknown", signalTypes: [], matchCount: 0 };
}
