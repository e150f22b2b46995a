import type { GateStatus, IndustryState, MissingRequirement } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";
import type { Industry, Sighting } from "../types.ts";
import { countEvidence, type EvidenceCounts } from "./counting.ts";

export interface Requirement {
  readonly current: number;
  readonly required: number;
  readonly met: boolean;
}

/** The ranking gate of a record (interface 2.3). `missing` is empty if and only if the status is `eligible`. */
export interface Gate {
  readonly status: GateStatus;
  readonly observers: Requirement;
  readonly observations: Requirement;
  readonly days: Requirement;
  readonly missing: readonly MissingRequirement[];
}

/** Computes the gate from one record's countable sightings. `flagged`: a review flagged the record. */
export function rankingGate(countable: readonly Sighting[], industry: Industry, flagged: boolean): Gate {
  return gateOf(countEvidence(countable), industry, flagged);
}

export function gateOf(counts: EvidenceCounts, industry: Industry, flagged: boolean): Gate {
  const { gate } = PARAMETERS;
  const observers = requirement(counts.observers, gate.observers);
  const observations = requirement(counts.observations, gate.observations);
  const days = requirement(counts.days, gate.days);
  const missing: MissingRequirement[] = [];
  if (!observers.met) missing.push("independent_observers");
  if (!observations.met) missing.push("independent_observations");
  if (!days.met) missing.push("observation_days");
  if (!industry.authoritative) missing.push("industry_classification_review");
  if (flagged) missing.push("integrity_review");
  const status = flagged ? "integrity_review" : missing.length === 0 ? "eligible" : "evidence_building";
  return { status, observers, observations, days, missing };
}

/** The gate of a dissolved or merged record, which keeps its counts but is never ranked. */
export function outsideRanking(gate: Gate): Gate {
  return { ...gate, status: "outside_ranking", missing: [...gate.missing, "active_record"] };
}

/** Published state of an industry classification. A name rule stays under review until a reviewer decides. */
export function industryState({ method }: Industry): IndustryState {
  return method === "name_rule" ? "review" : method;
}

function requirement(current: number, required: number): Requirement {
  return { current, required, met: current >= required };
}

interface Reasoned {
  readonly gate: Gate;
  readonly rank: number | undefined;
  readonly cohortSize: number;
  readonly isCounted: boolean; // something of the record counts as independent evidence
}

/** Explains in one sentence why a record is ranked or not. */
export function rankingReason({ gate, rank, cohortSize, isCounted }: Reasoned): string {
  if (gate.status === "outside_ranking") return OUTSIDE_RANKING;
  if (gate.status === "integrity_review") return FLAGGED;
  if (gate.status === "evidence_building")
    return `Not ranked yet: ${isCounted ? "" : NOTHING_COUNTS}${missingText(gate)}.`;
  if (rank === undefined) {
    return `Eligible but not ranked yet: the city has ${cohortSize} eligible records, and a ranking needs ${PARAMETERS.cohort.minimum}.`;
  }
  return `Rank ${rank} among ${cohortSize} eligible records of the city.`;
}

const NOTHING_COUNTS = "its observations do not count as independent evidence yet, ";

const OUTSIDE_RANKING = "Not ranked: the record is dissolved or merged into another.";

const FLAGGED = "Not ranked: a reviewer flagged the evidence for an integrity review.";

function missingText(gate: Gate): string {
  const { observers, observations, days } = gate;
  const texts: Record<MissingRequirement, string> = {
    independent_observers: `${observers.current} of ${observers.required} independent observers`,
    independent_observations: `${observations.current} of ${observations.required} countable observations`,
    observation_days: `${days.current} of ${days.required} observation days`,
    industry_classification_review: "the industry classification awaits review",
    integrity_review: "the observations await an integrity review",
    active_record: "the record is not active",
  };
  return gate.missing.map((requirement) => texts[requirement]).join(", ");
}
