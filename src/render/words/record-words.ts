import type { EntitySummary } from "../../contract/records/entity.ts";
import { cityDay, count, number } from "./format.ts";

/** What a record's page and the rows about it say first: how often it was seen, its state, and why it has no rank. */

type Standing = Pick<
  EntitySummary,
  "record_status" | "ranking_gate" | "ranking_state" | "independent_observer_count"
> &
  Counts;

type Counts = Pick<EntitySummary, "set_aside_count" | "counting_observation_count">;

interface StateWords {
  readonly label: string;
  readonly meaning: string;
  readonly isGood?: boolean;
}

/** Every state of a record in words. None of them says that something is not there. */
const STATES = {
  merged: { label: "Merged", meaning: "Another record now counts its observations." },
  dissolved: {
    label: "Dissolved",
    meaning: "A review marked this record as dissolved. Its observations stay listed.",
  },
  under_review: {
    label: "Under review",
    meaning: "The independence of its observations is questioned, so it has no rank until the review ends.",
  },
  nothing_accepted: {
    label: "Rejected",
    meaning:
      "No observation of it is accepted: a review rejected them, or they were withdrawn. That does not mean it does not exist.",
  },
  nothing_counts: {
    label: "Nothing counts yet",
    meaning: "No observation of it counts as independent evidence yet. That says nothing about the business.",
  },
  seen_once: {
    label: "Seen once",
    meaning: "One observer saw it once; no second observer has confirmed it.",
  },
  not_recent: {
    label: "Not seen lately",
    meaning: "No independent observer saw it in the last 365 days. It may still be there.",
  },
  one_observer: {
    label: "One observer",
    meaning: "All that counts in the last 365 days comes from one observer; no second one has confirmed it.",
  },
  gathering: {
    label: "Gathering evidence",
    meaning: "Several independent observers saw it. It does not meet all requirements for a rank yet.",
  },
  confirmed: {
    label: "Several observers",
    meaning: "Several independent observers saw it. It meets all requirements for a rank.",
    isGood: true,
  },
  unseen_later: {
    label: "Not seen on later visits",
    meaning: "Its area was visited in later months without a sighting. It may still be there.",
  },
} as const satisfies Readonly<Record<string, StateWords>>;

type State = keyof typeof STATES;

/** The state that stands first: in rows it stands alone. */
export function recordState(record: Standing): StateWords {
  return STATES[isUnderReview(record) ? "under_review" : evidenceState(record)];
}

/** All that is to be said of a record's state. `monthsUnseen`: later months with a visit and without a sighting. */
export function recordStates(record: Standing, monthsUnseen: number): readonly StateWords[] {
  const evidence = evidenceState(record);
  const says = isUnderReview(record) && evidence === "gathering" ? [] : [STATES[evidence]];
  return [
    ...(isUnderReview(record) ? [STATES.under_review] : []),
    ...says,
    ...(monthsUnseen > 0 ? [STATES.unseen_later] : []),
  ];
}

export function isUnderReview({ ranking_gate }: Pick<EntitySummary, "ranking_gate">): boolean {
  return ranking_gate.status === "integrity_review";
}

function evidenceState(record: Standing): State {
  const {
    record_status,
    counting_observation_count: counting,
    independent_observer_count: observers,
  } = record;
  if (record_status !== "active") return record_status;
  if (accepted(record) === 0) return "nothing_accepted";
  if (counting === 0) return "nothing_counts";
  if (accepted(record) === 1) return "seen_once";
  if (observers === 0) return "not_recent";
  if (observers === 1) return "one_observer";
  return record.ranking_gate.status === "eligible" ? "confirmed" : "gathering";
}

function accepted({ set_aside_count, counting_observation_count }: Counts): number {
  return set_aside_count + counting_observation_count;
}

type Seen = Counts &
  Pick<EntitySummary, "first_observed_on" | "last_observed_on" | "independent_observer_count">;

/**
 * `Seen 187 times, 185 of them independently from 10 Nov 2025 to 29 Oct 2026; 12 independent observers in the last 365 days.`
 * Where some observations count and others do not, the published days are of those that count.
 */
export function seenText(record: Seen): string {
  const times = accepted(record);
  const { first_observed_on: first, last_observed_on: last } = record;
  if (times === 0) return "No accepted sighting is published.";
  const often = times === 1 ? "once" : `${number(times)} times`;
  const days = first === last ? `on ${cityDay(last)}` : `from ${cityDay(first)} to ${cityDay(last)}`;
  const observers = `${observersText(record)} in the last 365 days`;
  const { counting_observation_count: counting, set_aside_count: setAside } = record;
  if (setAside === 0) return `Seen ${often} ${days}; ${observers}.`;
  if (counting === 0) return `Seen ${often} ${days}, never independently; ${observers}.`;
  return `Seen ${often}, ${number(counting)} of them independently ${days}; ${observers}.`;
}

function observersText({ independent_observer_count: observers }: Seen): string {
  return observers === 0
    ? "no independent observer"
    : count(observers, "independent observer", "independent observers");
}

/** Why a record has no rank, and what it needs for one; undefined for a ranked one. */
export function unrankedText({
  ranking_state: state,
  ranking_gate: gate,
}: UnrankedFacts): string | undefined {
  switch (state) {
    case "ranked":
      return undefined;
    case "awaiting_cohort":
      return "Not ranked yet: too few records of the city meet the requirements";
    case "integrity_review":
      return "Not ranked while under review";
    case "outside_ranking":
      return "Not ranked: dissolved or merged";
    case "insufficient_evidence":
      return `Not ranked yet: needs ${listed(needs(gate))}`;
  }
}

type UnrankedFacts = Pick<EntitySummary, "ranking_state" | "ranking_gate">;

function needs(gate: UnrankedFacts["ranking_gate"]): string[] {
  const counted = [
    { one: "more observer", many: "more observers", ...gate.independent_observers },
    { one: "more observation", many: "more observations", ...gate.countable_observations },
    { one: "more day", many: "more days", ...gate.observation_days },
  ];
  const missing = counted
    .filter(({ met }) => !met)
    .map(({ one, many, current, required }) => count(required - current, one, many));
  return gate.industry_classification.authoritative_for_ranking
    ? missing
    : [...missing, "a reviewed industry"];
}

function listed(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} and ${last}`;
}
