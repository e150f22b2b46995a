import type { MissingRequirement } from "../../contract/enums.ts";
import { PARAMETERS } from "../parameters.ts";
import type { Gate } from "./gate.ts";

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
