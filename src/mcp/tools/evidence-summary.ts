import { PresenceKind } from "../../contract/enums.ts";
import { NO_RESULT, NOTHING_COUNTS, PRESENCE_KIND_LIMIT } from "../../contract/records/claim-boundary.ts";
import type { EvidencePacket } from "../../contract/records/evidence.ts";
import { evidenceStateWords } from "../../contract/records/evidence-state.ts";
import type { Observation } from "../../contract/records/observation.ts";
import type { City } from "../release-facts.ts";

/** Number of accepted physical citations of all kinds. */
export function citationCount({ citations }: EvidencePacket): number {
  return PresenceKind.options.reduce((sum, kind) => sum + citations[kind], 0);
}

/** The cited row, if it is among the packet's rows: those published last, all of which may be newer. */
export function newestAccepted({ observations, citations }: EvidencePacket): Observation | undefined {
  return observations.recent.find(({ id }) => id === citations.cited_row);
}

/** Summarizes the accepted citations, their certainty and their limits. */
export function evidenceSummary(packet: EvidencePacket, city: City): string {
  const { name } = packet.record;
  const citations = citationCount(packet);
  const { newest: state, independent_observers: observers } = packet.citations.evidence_state;
  if (state === null)
    return `The record "${name}" in ${city.name} has no accepted physical citation, which proves nothing about the business. ${whatFollows(city)}`;
  const count =
    citations === 1 ? "One accepted physical citation" : `${citations} accepted physical citations`;
  const certainty = evidenceStateWords({ state, observers, citations });
  const newest = newestAccepted(packet);
  const kind = newest === undefined ? "" : ` ${kindText(newest.presence_kind)}`;
  const counts = packet.observations.counting === 0 ? ` ${NOTHING_COUNTS}` : "";
  return `${count} of "${name}" in ${city.name}: ${certainty}.${counts}${kind}`;
}

/** What a missing record or citation means in this city. */
export function whatFollows({ coverage }: City): string {
  return `${NO_RESULT.limitation} ${coverage.note}`;
}

function kindText(kind: PresenceKind): string {
  return `The newest is a ${kind.replace("_", " ")}. ${PRESENCE_KIND_LIMIT[kind]}`;
}
