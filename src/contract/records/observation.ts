import { z } from "zod";
import { PresenceKind, SourceType, TimePrecision, VerificationState } from "../enums.ts";
import { envelopeFields } from "../envelope.ts";
import { Count, Day, Ratio, Sha256Hex, Timestamp, Uri } from "../fields.ts";
import { pageFields } from "../paging.ts";

const Precisions = z
  .looseObject({
    observed_at: TimePrecision.describe(
      "`hour` for fixed assets, `day` (the city's solar day) for mobile ones.",
    ),
    accepted_at: TimePrecision,
    published_at: TimePrecision,
    reprocessed_at: TimePrecision,
  })
  .meta({
    id: "TimePrecision",
    description: "How exact the times of an observation are.",
  });

export const Observation = z
  .looseObject({
    id: z.int().positive().describe("The ledger row."),
    asset_id: z.int().nullable(),
    asset_public_id: z.string().nullable(),
    observer_tag: z
      .string()
      .describe(
        "Keyed hash of the observer: tells observers of this record apart and cannot be followed elsewhere.",
      ),
    source_type: SourceType,
    observed_on: Day.describe("The day of `observed_at` in the city's solar time."),
    observed_at: Timestamp.describe(
      "Cut to the hour for fixed assets, to the city's solar day for mobile ones.",
    ),
    accepted_at: Timestamp.describe(
      "The UTC day of acceptance, or `observed_at` where that is later: no row was accepted before it was observed.",
    ),
    published_at: Timestamp.describe("When the seal that covers the row was made."),
    reprocessed_at: Timestamp.nullable().describe("The UTC day, or `accepted_at` where that is later."),
    derived_from_archive: z.boolean(),
    recognition_model_version: z.string().nullable(),
    methodology_version: z.string(),
    h3_cell: z
      .string()
      .regex(/^[0-9a-f]{15}$/)
      .describe("Privacy-safe place: an H3 cell of resolution 8, or 7 for mobile assets."),
    observation_verification_state: VerificationState,
    verif_state: VerificationState.describe("The same as `observation_verification_state`."),
    city: z.string(),
    region: z.string(),
    country: z.string(),
    presence_kind: PresenceKind,
    physical_citation: z.boolean().describe("False only for rejected observations."),
    ledger_schema_version: z.int(),
    trust_weight: Ratio,
    ledger_hash: Sha256Hex.describe("RFC 6962 leaf hash of the row; chains into daily Merkle roots."),
    proof_url: Uri.describe("Inclusion proof of the row up to a signed tree head (C2SP tlog-proof)."),
    // Last: who splits the list into rows at its braces, as docs/verify-by-hand.md does, has all other members in one piece.
    time_precision: Precisions,
  })
  .meta({ id: "Observation", description: "One accepted observation, as the ledger discloses it." });
export type Observation = z.infer<typeof Observation>;

export const ObservationsResponse = z
  .looseObject({
    public_id: z.string(),
    is_synthetic: z.boolean(),
    count: Count.describe("Rows on this page."),
    ...pageFields,
    note: z.string(),
    observations: z
      .array(Observation)
      .describe("Newest first; rejected rows are listed, redacted ones are left out."),
    ...envelopeFields,
  })
  .meta({
    id: "ObservationsResponse",
    description: "A record's ledger rows, one page of a frozen snapshot.",
  });
export type ObservationsResponse = z.infer<typeof ObservationsResponse>;
