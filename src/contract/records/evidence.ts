import { z } from "zod";
import { PresenceKind, SetAsideReason, SourceType, VerificationState } from "../enums.ts";
import { Count, cityFields, Month, observedSpanFields, Ratio, Timestamp, Uri } from "../fields.ts";
import { RecordRows } from "../ledger/ledger.ts";
import { SCHEMA } from "../versions.ts";
import { Asset, EntitySummary, LastSeen, UNIQUE_CELLS } from "./entity.ts";
import { Observation } from "./observation.ts";

const Statements = z.array(z.string()).min(1);

const KindTexts = z.looseObject({
  location_presence: z.string(),
  mobile_presence: z.string(),
  brand_mention: z.string(),
} satisfies Record<PresenceKind, z.ZodString>);

export const EvidenceClaimBoundary = z
  .looseObject({
    schema: z.literal(SCHEMA.claimBoundary),
    contract_version: z.string(),
    positive_result: z.looseObject({
      summary: z.string(),
      presence_kinds: KindTexts.describe("Meaning and limits of each kind."),
    }),
    no_result: z.looseObject({ meaning: z.string(), limitation: z.string() }),
    what_this_proves: Statements,
    what_this_does_not_prove: Statements,
  })
  .meta({
    id: "EvidenceClaimBoundary",
    description: "Claims that a response supports, and claims that it does not support.",
  });
export type EvidenceClaimBoundary = z.infer<typeof EvidenceClaimBoundary>;

const summary = EntitySummary.shape;

const EvidenceRecord = z.looseObject({
  public_id: summary.public_id,
  name: summary.name,
  ...cityFields,
  industry: summary.industry,
  record_status: summary.record_status,
  identity_status: summary.identity_status,
  status: summary.status,
  is_synthetic: summary.is_synthetic,
  ...observedSpanFields,
  place_precision: summary.place_precision,
  urls: z.looseObject({ record: Uri }),
});

const mixOf = <Value extends z.ZodType>(value: Value, total: string) =>
  z.array(z.looseObject({ value, count: Count, share: Ratio.describe(`count / ${total}.`) }));

export const RecordMonth = z
  .looseObject({
    month: Month.describe("In the city's solar time."),
    sightings: Count.describe("Accepted observations of the month."),
    independent: Count.describe("Of these, those that count as independent evidence."),
    area_visited: z
      .boolean()
      .describe(
        "Whether two or more principals looked for fixed signs that month in a cell where a fixed asset of the record was ever seen, by the ledger's row of the month. False where no visit is known, until that row is written, and for vehicles.",
      ),
  })
  .meta({ id: "RecordMonth", description: "Sightings and visits of a record in one month." });
export type RecordMonth = z.infer<typeof RecordMonth>;

export const EvidencePacket = z
  .looseObject({
    schema: z.literal(SCHEMA.evidencePacket),
    generated_at: Timestamp,
    record: EvidenceRecord,
    what_this_proves: Statements,
    what_this_does_not_prove: Statements,
    evidence_claim_boundary: EvidenceClaimBoundary,
    observations: z.looseObject({
      total_public: Count.describe("Accepted observations only."),
      total_rows: Count.describe("Listed rows, rejected ones included."),
      unique_assets: Count.describe("Assets with an accepted observation."),
      unique_cells: Count.describe(UNIQUE_CELLS),
      source_mix: mixOf(SourceType, "total_public"),
      verification_mix: mixOf(VerificationState, "total_rows").describe("By share of all listed rows."),
      presence_mix: mixOf(PresenceKind, "total_public"),
      counting: Count.describe("Accepted observations that count as independent evidence."),
      set_aside_mix: mixOf(SetAsideReason, "total_public").describe(
        "Accepted observations that do not count as independent evidence, by reason.",
      ),
      recent: z.array(Observation).describe("Newest first."),
    }),
    months: z
      .array(RecordMonth)
      .describe(
        "Months with a sighting or a visit to the record's area, oldest first. Other months are unknown. A visit without a sighting does not show that the asset was gone.",
      ),
    assets: z.array(Asset),
    last_seen: LastSeen.nullable().describe("Null without an accepted observation."),
    rows: RecordRows,
    verification: z
      .looseObject({
        tree_size: z.int().positive().describe("Ledger rows covered by the newest checkpoint."),
        checkpoint_url: Uri.describe("The signed tree head."),
        keys_url: Uri.describe("Signing keys of the ledger with their spans."),
        verify_url: Uri.describe("Page that verifies a row in the browser."),
        note: z.string(),
      })
      .describe(
        "Sources for checking the listed rows without trusting this service. Each row also has a `proof_url`.",
      ),
    citations: z.looseObject({
      note: z.string(),
      location_presence: Count,
      mobile_presence: Count,
      brand_mention: Count,
      evidence_state: z
        .looseObject({
          strongest: z
            .enum(["provisional", "corroborated", "verified"])
            .nullable()
            .describe("Strongest state of an accepted observation; null when there is none."),
          newest: z
            .enum(["provisional", "corroborated", "verified"])
            .nullable()
            .describe("State of `cited_row`; null when there is none."),
          independent_observers: Count.describe(
            "Independent observers (principals) of the accepted observations that count as independent evidence.",
          ),
          provisional: Count.describe(
            "Accepted observations that are not yet corroborated by a second independent observer.",
          ),
          corroborated: Count.describe("Accepted observations corroborated by another independent observer."),
          verified: Count.describe("Accepted observations verified in review."),
          note: z.string(),
        })
        .describe("Certainty of the accepted observations; `suggested_citation` states it in words."),
      suggested_citation: z
        .string()
        .describe(
          "A sentence that is ready to quote and states how certain the evidence is. Ends with `citation_url`.",
        ),
      citation_id: z
        .string()
        .describe(
          "Encodes the record, newest accepted row (0: none), tree size, as-of day, wording version and a checksum of the sentence.",
        ),
      citation_url: Uri.describe("Page that shows the citation as published and its status today."),
      cited_row: z
        .int()
        .positive()
        .nullable()
        .describe("The most recent accepted observation; null when there is none."),
      license: z.string(),
    }),
  })
  .meta({ id: "EvidencePacket", description: "All public evidence for one record, and its limits." });
export type EvidencePacket = z.infer<typeof EvidencePacket>;

/** Event classes that the service never raises (interface 4.15), because no observation could prove them. */

const AVAILABLE_WHEN = "Reviewed lifecycle transitions exist.";

export const UNAVAILABLE_EVENT_CLASSES = [
  {
    event_class: "closure",
    reason: "An asset that is no longer seen does not prove a closure.",
    available_when: AVAILABLE_WHEN,
  },
  {
    event_class: "rebrand",
    reason: "A new sign does not prove that the old brand ended.",
    available_when: AVAILABLE_WHEN,
  },
  {
    event_class: "vacancy",
    reason: "A place without a sign does not prove that it is empty.",
    available_when: AVAILABLE_WHEN,
  },
] as const;
