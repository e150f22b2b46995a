import { z } from "zod";
import { PresenceKind, SetAsideReason, SourceType, TimePrecision, VerificationState } from "../enums.ts";
import { envelopeFields, pageFields } from "../envelope.ts";
import { Count, cityFields, Day, Month, Ratio, Sha256Hex, Timestamp, Uri } from "../fields.ts";

/** How precisely the service publishes the place and the time of an observation: each limit is defined only here. */

/** H3 resolution of the published cell of fixed assets and brand mentions (about 0.7 km²). */
export const FIXED_RESOLUTION = 8;

/** H3 resolution of the published cell of mobile assets: the size of a city (about 250 km²). */
export const MOBILE_RESOLUTION = 5;

/** The name as sentences have it: what is made up says so wherever it is quoted. */
export function markedName({
  name,
  isSynthetic,
}: {
  readonly name: string;
  readonly isSynthetic: boolean;
}): string {
  return isSynthetic ? `${name} (made up)` : name;
}

/** Facts about a record's accepted observations. Counts are at least 0. */
export interface EvidenceState {
  /** State of the newest accepted observation. */
  readonly state: VerificationState;
  /** Independent observers within the counting window; 0 where no observation counts as independent evidence. */
  readonly observers: number;
  readonly citations: number;
  /** True when another observer corroborated them after the time of the counts. */
  readonly isCorroboratedSince?: boolean;
}

/** Describes the certainty of the evidence as a clause to put after a colon: `seen by 3 independent observers`. */
export function evidenceStateWords(evidence: EvidenceState): string {
  return evidence.citations === 1 ? onceSeen(evidence) : oftenSeen(evidence);
}

function onceSeen({ state, observers, isCorroboratedSince = false }: EvidenceState): string {
  const link = state === "corroborated" && isCorroboratedSince ? ", since" : " and";
  return observers === 0
    ? `seen once${link} ${newestWords(state, observers)}`
    : `seen once by one observer${link} ${NEWEST[state]}`;
}

function oftenSeen({ state, observers, isCorroboratedSince = false }: EvidenceState): string {
  if (observers < 2) {
    const since = state === "corroborated" && isCorroboratedSince ? "since " : "";
    const seen = state === "provisional" && observers === 1 ? "seen by one observer and " : since;
    return `the newest one ${seen}${newestWords(state, observers)}`;
  }
  const seen = `seen by ${observers} independent observers`;
  return state === "corroborated" ? seen : `${seen}, the newest time ${NEWEST[state]}`;
}

function newestWords(state: VerificationState, observers: number): string {
  return state === "provisional" && observers === 0 ? "not yet independently corroborated" : NEWEST[state];
}

const NEWEST: Readonly<Record<VerificationState, string>> = {
  provisional: "not yet corroborated",
  corroborated: "corroborated by another observer",
  verified: "verified in review",
  rejected: "rejected in review",
};

const Precisions = z
  .looseObject({
    observed_at: TimePrecision.describe("Always `day`: the city's solar day."),
    accepted_at: TimePrecision,
    published_at: TimePrecision,
    reprocessed_at: TimePrecision,
  })
  .meta({
    id: "TimePrecision",
    description: "Precision of an observation's times.",
  });

/**
 * What a source says of an observation, and the service hands on unchanged: these are members of the row in the ledger, of the read model
 * and of the answer.
 */
export const StatedFacts = z.object({
  recognition_model_version: z
    .string()
    .nullable()
    .describe("Version of the model that read the sign; null unless the operator allowed it for the source."),
});
export type StatedFacts = z.infer<typeof StatedFacts>;

/** Facts that rows of existing ledgers lack for ever, with the value that such a row has: null. */
export const FACTS_OF_OLDER_ROWS: Partial<StatedFacts> = {};

export const Observation = z
  .looseObject({
    id: z.int().positive().describe("Ledger row."),
    asset_id: z.int().nullable().describe("`id` of the observed asset; null without one."),
    asset_public_id: z.string().nullable().describe("Public id of the observed asset; null without one."),
    observer_tag: z
      .string()
      .describe(
        "Stands for the principal, who controls one or more observers: a keyed hash that differs between principals of this record and cannot be linked across records, or `built-in` for the built-in sources, which together are one principal.",
      ),
    source_type: SourceType.describe("Kind of source that made the observation."),
    source: z
      .string()
      .nullable()
      .describe(
        "Id of the registered source (see `/api/v1/independence`), or `built-in` for a row that names none. Null where naming the source could identify the observer: sources with observers of their own are named from five active ones on.",
      ),
    counts_as_independent: z
      .boolean()
      .describe(
        "Whether the observation counts as independent evidence: for gate, score and corroboration. False for rejected observations and those with `set_aside`.",
      ),
    set_aside: SetAsideReason.nullable().describe(
      "Why the observation does not count as independent evidence; null when it is not set aside. `private_trace` stands for every reason that rests on private values; other codes are decided from public data, and anyone can check them.",
    ),
    observed_on: Day.describe("Day of the observation, in the city's solar time."),
    observed_at: Timestamp.describe(
      "First instant of `observed_on` in UTC. The time of day is never published.",
    ),
    accepted_at: Timestamp.describe(
      "UTC day of acceptance, or `observed_at` if that is later, because acceptance never precedes observation.",
    ),
    published_at: Timestamp.describe("Time of the seal that covers the row."),
    reprocessed_at: Timestamp.nullable().describe(
      "Always null, because rows are never reprocessed. Kept for clients of version 1.",
    ),
    derived_from_archive: z
      .boolean()
      .describe("True when the observation was taken from an archive of earlier recordings."),
    ...StatedFacts.shape,
    methodology_version: z.string().describe("Methodology that the row was written under."),
    h3_cell: z
      .string()
      .regex(/^[0-9a-f]{15}$/)
      .describe(
        `Privacy-safe place: an H3 cell at resolution ${FIXED_RESOLUTION} (about 0.7 km²), or ${MOBILE_RESOLUTION} (the size of a city) for mobile assets.`,
      ),
    observation_verification_state: VerificationState,
    verif_state: VerificationState.describe("Same as `observation_verification_state`."),
    city: z.string().describe("Display name of the city."),
    region: z.string(),
    country: z.string(),
    presence_kind: PresenceKind.describe(
      "The kind of observation: a fixed asset, a mobile asset, or visible branding. None of them implies ownership or operation.",
    ),
    physical_citation: z.boolean().describe("True unless the observation is rejected."),
    ledger_schema_version: z.int(),
    trust_weight: Ratio.describe(
      "Weight of the observation in the score, from `source_type` and `verif_state`; 0 for a rejected one.",
    ),
    changed_by: z
      .array(z.int().positive())
      .describe(
        "Ledger rows that changed the observation since its own row, in order: reviews, later decisions on whether it counts, moves to another record or asset, and the merges that determined its record and tag. Other differences from the row follow from rows of other observations.",
      ),
    ledger_hash: Sha256Hex.describe("RFC 6962 leaf hash of the row; chains into daily Merkle roots."),
    proof_url: Uri.describe("URL of the row's inclusion proof in a signed tree (C2SP tlog-proof)."),
    // Last field, so that docs/verify-by-hand.md can split the list at its braces and keep all other fields in one piece.
    time_precision: Precisions,
  })
  .meta({ id: "Observation", description: "One accepted observation, as the ledger discloses it." });
export type Observation = z.infer<typeof Observation>;

/** What is counted in the days of a request. */
export const ObservedPeriod = z
  .looseObject({
    from: Day.nullable().describe("First day; null where the request names none."),
    to: Day.nullable().describe("Last day; null where the request names none."),
    sightings: Count.describe("Accepted observations."),
    independent: Count.describe("Of these, those that count as independent evidence."),
    independent_observers: Count.describe("Independent observers of these."),
    first_observed_on: Day.nullable().describe("Day of the first accepted observation; null without one."),
    last_observed_on: Day.nullable(),
    citation: z
      .looseObject({ from: Month, to: Month, citation_id: z.string(), citation_url: Uri, quote: z.string() })
      .nullable()
      .describe(
        "The citation of the whole months that these days are in, up to the last one with an observation where `to` is absent. Null without an accepted observation in them.",
      ),
  })
  .meta({ id: "ObservedPeriod", description: "A record's accepted observations between two days." });
export type ObservedPeriod = z.infer<typeof ObservedPeriod>;

export const ObservationsResponse = z
  .looseObject({
    public_id: z.string(),
    ...cityFields,
    is_synthetic: z.boolean(),
    count: Count.describe("Rows on this page."),
    ...pageFields,
    note: z.string(),
    period: ObservedPeriod.nullable().describe("Of all pages; null without `from` and `to`."),
    observations: z
      .array(Observation)
      .describe("Newest first. Rejected rows are listed; redacted ones are omitted."),
    ...envelopeFields,
  })
  .meta({
    id: "ObservationsResponse",
    description: "One page of a record's ledger rows, from a frozen snapshot.",
  });
export type ObservationsResponse = z.infer<typeof ObservationsResponse>;
