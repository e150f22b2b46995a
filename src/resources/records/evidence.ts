import { PresenceKind, SetAsideReason, SourceType, VerificationState } from "../../contract/enums.ts";
import {
  CITATION_NOTE,
  CLAIM_BOUNDARY_VERSION,
  DOES_NOT_PROVE,
  EVIDENCE_STATE_TEXT,
  LICENSE,
  NO_RESULT,
  POSITIVE_RESULT,
  PRESENCE_KIND_TEXT,
  PROVES,
  VERIFICATION_NOTE,
} from "../../contract/records/claim-boundary.ts";
import { type EvidenceClaimBoundary, EvidencePacket } from "../../contract/records/evidence.ts";
import { SCHEMA } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import type { CityRow, EvidenceMix, RecordRow, ReleaseRow } from "../../snapshot/rows.ts";
import { recordQuote } from "../citations/citation.ts";
import { observedSpan } from "../envelope.ts";
import { checkpointUrl, keysUrl, recordUrl, verifyUrl } from "../links.ts";
import { placePrecision } from "./entity.ts";
import { assetWire, observationWire } from "./observations.ts";
import { recordMonths } from "./period.ts";
import { defineRecordDocument, lastSeen, recordRows } from "./record.ts";

const RECENT_OBSERVATIONS = 20;

export const evidence = defineRecordDocument({
  operationId: "getEvidencePacket",
  path: "/api/v1/entity/{public_id}/evidence",
  summary: "Get all public evidence for a record, with its limits",
  description:
    "Returns one document to keep or cite: the record, its latest observations and their verification, its assets, and what the evidence does and does not prove.",
  wire: EvidencePacket,
  load(snapshot, { record, city }) {
    const release = snapshot.release();
    const assets = snapshot.assetsOf(record.id);
    const mix = snapshot.evidenceMix(record.id);
    const recent = snapshot.observationsOf(record.id, { limit: RECENT_OBSERVATIONS });
    return {
      schema: SCHEMA.evidencePacket,
      generated_at: isoTime(release.asOf),
      record: evidenceRecord(record, city, release.baseUrl),
      ...boundaryLists(),
      evidence_claim_boundary: claimBoundary(),
      observations: {
        total_public: record.observationCount,
        total_rows: record.rowCount,
        unique_assets: record.assetCount,
        unique_cells: record.cellCount,
        source_mix: shares(SourceType.options, mix.source),
        verification_mix: shares(VerificationState.options, mix.verification),
        presence_mix: shares(PresenceKind.options, mix.citations),
        counting: mix.cited.counted,
        set_aside_mix: shares(SetAsideReason.options, mix.setAside, record.observationCount),
        recent: recent.map((row) => observationWire(row, city, release.baseUrl)),
      },
      months: recordMonths(snapshot, record, city),
      assets: assets.map((asset) => assetWire(asset, city)),
      last_seen: lastSeen(record, assets, city, mix.cited),
      rows: recordRows(snapshot, record, assets),
      verification: verification(release),
      citations: citations(record, city, release, mix),
    };
  },
});

function evidenceRecord(record: RecordRow, city: CityRow, baseUrl: string) {
  return {
    public_id: record.publicId,
    name: record.name,
    city: city.slug,
    city_name: city.name,
    industry: record.industry,
    record_status: record.recordStatus,
    identity_status: record.identityStatus,
    status: record.status,
    is_synthetic: record.isSynthetic,
    ...observedSpan(record, city.lng),
    place_precision: placePrecision(record),
    urls: { record: recordUrl(baseUrl, record.publicId) },
  };
}

/** URLs of everything needed to check the rows without this service. */
function verification({ baseUrl, treeSize }: ReleaseRow): EvidencePacket["verification"] {
  return {
    tree_size: treeSize,
    checkpoint_url: checkpointUrl(baseUrl, treeSize),
    keys_url: keysUrl(baseUrl),
    verify_url: verifyUrl(baseUrl),
    note: VERIFICATION_NOTE,
  };
}

function boundaryLists() {
  return { what_this_proves: [...PROVES], what_this_does_not_prove: [...DOES_NOT_PROVE] };
}

function claimBoundary(): EvidenceClaimBoundary {
  return {
    schema: SCHEMA.claimBoundary,
    contract_version: CLAIM_BOUNDARY_VERSION,
    positive_result: { summary: POSITIVE_RESULT, presence_kinds: PRESENCE_KIND_TEXT },
    no_result: NO_RESULT,
    ...boundaryLists(),
  };
}

type Counts = EvidenceMix["source"];

/** Counts occurring values in enum order, with their `share` of the total (four decimals): by default their sum. */
function shares<Value extends string>(
  values: readonly Value[],
  counts: Counts,
  total = counts.reduce((sum, { count }) => sum + count, 0),
) {
  return values.flatMap((value) => {
    const count = countOf(counts, value);
    return count === 0 ? [] : [{ value, count, share: Math.round((count / total) * 10_000) / 10_000 }];
  });
}

function countOf(counts: Counts, value: string): number {
  return counts.find((entry) => entry.value === value)?.count ?? 0;
}

/** Counts the accepted observations by certainty. */
function evidenceState({ states, observers, newest }: EvidenceMix["cited"]) {
  const strongest = (["verified", "corroborated", "provisional"] as const).find((state) => states[state] > 0);
  return {
    strongest: strongest ?? null,
    newest: newest?.state ?? null,
    independent_observers: observers,
    ...states,
    note: EVIDENCE_STATE_TEXT[strongest ?? "none"],
  };
}

function citations(record: RecordRow, city: CityRow, release: ReleaseRow, mix: EvidenceMix) {
  const quote = recordQuote(record, city, release, mix.cited);
  return {
    note: CITATION_NOTE,
    location_presence: countOf(mix.citations, "location_presence"),
    mobile_presence: countOf(mix.citations, "mobile_presence"),
    brand_mention: countOf(mix.citations, "brand_mention"),
    evidence_state: evidenceState(mix.cited),
    suggested_citation: quote.text,
    citation_id: quote.id,
    citation_url: quote.url,
    cited_row: quote.row,
    license: LICENSE,
  };
}
