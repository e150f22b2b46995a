import {
  CITATION_NOTE,
  CLAIM_BOUNDARY_VERSION,
  DOES_NOT_PROVE,
  LICENSE,
  NO_RESULT,
  POSITIVE_RESULT,
  PRESENCE_KIND_TEXT,
  PROVES,
  suggestedCitation,
  VERIFICATION_NOTE,
} from "../claim-boundary.ts";
import type { EvidenceClaimBoundary, EvidencePacket } from "../evidence.ts";
import { SCHEMA } from "../versions.ts";
import { AS_OF, BASE_URL, cityRef, exampleOnly } from "./base.ts";
import { bakery, entityExample } from "./entity.ts";
import { observations } from "./observation.ts";

const statements = { what_this_proves: [...PROVES], what_this_does_not_prove: [...DOES_NOT_PROVE] };

const claimBoundary: EvidenceClaimBoundary = {
  schema: SCHEMA.claimBoundary,
  contract_version: CLAIM_BOUNDARY_VERSION,
  positive_result: { summary: POSITIVE_RESULT, presence_kinds: PRESENCE_KIND_TEXT },
  no_result: NO_RESULT,
  ...statements,
};

const { stats, assets } = entityExample;

export const evidenceExample: EvidencePacket = {
  schema: SCHEMA.evidencePacket,
  generated_at: AS_OF,
  record: {
    public_id: bakery.public_id,
    name: bakery.name,
    city: cityRef.slug,
    city_name: cityRef.name,
    industry: bakery.industry,
    record_status: bakery.record_status,
    identity_status: bakery.identity_status,
    status: bakery.status,
    is_synthetic: bakery.is_synthetic,
    first_observed: bakery.first_observed,
    last_observed: bakery.last_observed,
    urls: { record: bakery.record_url },
  },
  ...statements,
  evidence_claim_boundary: claimBoundary,
  observations: {
    total_public: stats.observation_count,
    unique_assets: stats.unique_assets,
    unique_cells: stats.unique_cells,
    source_mix: [
      { value: "scout", count: 6, share: 0.6667 },
      { value: "fleet_cam", count: 3, share: 0.3333 },
    ],
    verification_mix: [
      { value: "corroborated", count: 7, share: 0.7778 },
      { value: "provisional", count: 2, share: 0.2222 },
    ],
    presence_mix: [
      { value: "location_presence", count: 7, share: 0.7778 },
      { value: "mobile_presence", count: 2, share: 0.2222 },
    ],
    recent: observations,
  },
  assets,
  verification: {
    tree_size: 25,
    checkpoint_url: `${BASE_URL}/ledger/checkpoints/25`,
    keys_url: `${BASE_URL}/ledger/keys.json`,
    verify_url: `${BASE_URL}/verify/`,
    note: VERIFICATION_NOTE,
  },
  citations: {
    note: CITATION_NOTE,
    location_presence: 7,
    mobile_presence: 2,
    brand_mention: 0,
    suggested_citation: suggestedCitation({
      name: bakery.name,
      city: cityRef.name,
      citations: stats.observation_count,
      firstDate: "2026-02-03",
      lastDate: "2026-06-18",
      asOfDate: "2026-06-30",
      url: bakery.record_url,
    }),
    license: LICENSE,
  },
  ...exampleOnly,
};
