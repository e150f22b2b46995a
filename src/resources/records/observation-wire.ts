import type { Observation } from "../../contract/records/observation.ts";
import { LEDGER_SCHEMA_VERSION } from "../../contract/versions.ts";
import { cityDate, isoTime } from "../../kernel/time.ts";
import type { CityRow, ObservationRow } from "../../snapshot/rows.ts";
import { proofUrl } from "../links.ts";

/** One ledger row for the observations list and the evidence packet (interface 2.8). */
export function observationWire(row: ObservationRow, city: CityRow, baseUrl: string): Observation {
  // The ledger has only the day of acceptance, which starts before most observations of that day.
  const acceptedAt = Math.max(row.acceptedAt, row.observedAt);
  return {
    id: row.id,
    asset_id: row.asset,
    asset_public_id: row.assetPublicId,
    observer_tag: row.observerTag,
    source_type: row.source,
    source: row.sourceId,
    counts_as_independent: row.setAside === null && row.state !== "rejected",
    set_aside: row.setAside,
    observed_on: cityDate(row.observedAt, city.lng),
    observed_at: isoTime(row.observedAt),
    accepted_at: isoTime(acceptedAt),
    published_at: isoTime(row.publishedAt),
    reprocessed_at: null,
    derived_from_archive: row.derivedFromArchive,
    recognition_model_version: row.recognitionModelVersion,
    methodology_version: row.methodologyVersion,
    h3_cell: row.cell,
    observation_verification_state: row.state,
    verif_state: row.state,
    city: city.name,
    region: city.region,
    country: city.country,
    presence_kind: row.presenceKind,
    physical_citation: row.state !== "rejected",
    ledger_schema_version: LEDGER_SCHEMA_VERSION,
    trust_weight: row.trust,
    changed_by: [...row.changedBy],
    ledger_hash: row.ledgerHash,
    proof_url: proofUrl(baseUrl, row.id),
    time_precision: {
      observed_at: "day",
      accepted_at: "day",
      published_at: "second",
      reprocessed_at: "day",
    },
  };
}
