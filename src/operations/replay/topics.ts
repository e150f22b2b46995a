/** Topics of published values, by which a replay counts its comparisons. */

const BY_NAME: Readonly<Record<string, string>> = {
  verif_state: "verification states and weights",
  observation_verification_state: "verification states and weights",
  trust_weight: "verification states and weights",
  ranking_gate: "gates",
  ranking_state: "gates",
  ranking_reason: "gates",
  score_state: "gates",
  ranking_summary: "gates",
  provisional_pps: "raw scores and their parts",
  components: "raw scores and their parts",
  pps: "cohort scores and percentiles",
  pps_without_any_one_observer: "cohort scores and percentiles",
  gate_holds_without_any_one_observer: "gates",
  cohort_percentile: "cohort scores and percentiles",
  cohort: "cohort scores and percentiles",
  pbi_cohort: "cohort scores and percentiles",
  pbi_cohort_size: "cohort scores and percentiles",
  rank: "ranks",
  pbi_rank: "ranks",
  history: "histories",
  assets: "assets and their states",
  events: "events",
  coverage: "coverage",
  coverage_confidence: "coverage",
  coverage_status: "coverage",
  coverage_message: "coverage",
  features: "coverage",
  measurement: "measurements by visits",
  plans: "measurements by visits",
  plans_without_result: "measurements by visits",
  checkpoints: "seals",
  observations: "observations",
  observer_tag: "what counts as independent",
  source: "what counts as independent",
  counts_as_independent: "what counts as independent",
  set_aside: "what counts as independent",
  set_aside_count: "what counts as independent",
  set_aside_mix: "what counts as independent",
  counting: "what counts as independent",
  sources: "what counts as independent",
  months: "what counts as independent",
  false_alarms: "what counts as independent",
};

export const OTHER = "other values";
const TOPICS: ReadonlyMap<string, string> = new Map(Object.entries(BY_NAME));

/** The topic that a name has by itself. */
export function ownTopic(name: string): string | undefined {
  return TOPICS.get(name);
}

/** The topic of a value: by its own name, otherwise by its outermost ancestor's. */
export function topicOf(names: readonly string[]): string {
  const own = ownTopic(names.at(-1) ?? "");
  return own ?? names.map(ownTopic).find((topic) => topic !== undefined) ?? OTHER;
}

/**
 * Values that cannot be replayed: a city's scouts are counted by private principals, which public files do not tell across records. The
 * same holds for everything derived from such a count, such as an id made from a city's whole content.
 */
export const NOT_REPLAYABLE: ReadonlySet<string> = new Set([
  "independent_scout_observers_180d",
  "dense_gate",
  "tier_since",
  "snapshot_id",
  "next_cursor",
  "demand", // counted requests, which no public file holds
]);

/** Words that go with a tier or level; they differ where the tier does, which only scouts can make `dense`. */
const WITH_TIER: ReadonlySet<string> = new Set([
  "tier",
  "status", // the tier, where a document is about coverage
  "level",
  "confidence",
  "label",
  "message",
  "note",
  "limitations",
  "coverage_status",
  "coverage_message",
  "coverage_level",
]);
const DENSE_OR_NOT = [
  ["dense", "building"],
  ["high", "medium"],
] as const;

/** Whether a differing member may come from scouts alone: its object says `dense` or `high` on one side and less on the other. */
export function mayComeFromScouts(name: string, published: Members, replayed: Members): boolean {
  return (
    WITH_TIER.has(name) && [...WITH_TIER].some((member) => isTierStep(published[member], replayed[member]))
  );
}

export type Members = Readonly<Record<string, unknown>>;

function isTierStep(a: unknown, b: unknown): boolean {
  return DENSE_OR_NOT.some(([more, less]) => (a === more && b === less) || (a === less && b === more));
}
