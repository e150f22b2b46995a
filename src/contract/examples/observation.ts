import { sha256Hex } from "../../kernel/hash.ts";
import { OBSERVATIONS_NOTE } from "../claim-boundary.ts";
import type { Observation, ObservationsResponse } from "../observation.ts";
import { LEDGER_SCHEMA_VERSION, SCORE_VERSION } from "../versions.ts";
import { storefront, van } from "./asset.ts";
import { BASE_URL, cityRef, envelope, exampleOnly, SEALED_AT } from "./base.ts";
import { cityObject } from "./city-object.ts";
import { bakery } from "./entity.ts";

const atStorefront: Observation = {
  id: 24,
  asset_id: storefront.id,
  asset_public_id: storefront.public_id,
  observer_tag: "ex_observer_a",
  source_type: "scout",
  observed_at: "2026-06-18T16:00:00Z",
  accepted_at: "2026-06-19T00:00:00Z",
  published_at: SEALED_AT,
  reprocessed_at: null,
  derived_from_archive: false,
  recognition_model_version: null,
  methodology_version: SCORE_VERSION,
  h3_cell: "887c619313fffff",
  observation_verification_state: "corroborated",
  verif_state: "corroborated",
  city: cityRef.name,
  region: cityObject.region,
  country: cityObject.country,
  presence_kind: "location_presence",
  physical_citation: true,
  ledger_schema_version: LEDGER_SCHEMA_VERSION,
  trust_weight: 0.9,
  ledger_hash: sha256Hex("example row 24"),
  proof_url: `${BASE_URL}/ledger/proof/24`,
};

const ofVan: Observation = {
  ...atStorefront,
  id: 21,
  asset_id: van.id,
  asset_public_id: van.public_id,
  observer_tag: "ex_observer_b",
  source_type: "fleet_cam",
  observed_at: "2026-06-11T00:00:00Z",
  accepted_at: "2026-06-12T00:00:00Z",
  recognition_model_version: "ex_model_1",
  h3_cell: "877c61931ffffff",
  observation_verification_state: "provisional",
  verif_state: "provisional",
  presence_kind: "mobile_presence",
  trust_weight: 0.56,
  ledger_hash: sha256Hex("example row 21"),
  proof_url: `${BASE_URL}/ledger/proof/21`,
};

export const observations = [atStorefront, ofVan];

export const observationsExample: ObservationsResponse = {
  public_id: bakery.public_id,
  is_synthetic: bakery.is_synthetic,
  count: observations.length,
  note: OBSERVATIONS_NOTE,
  observations,
  ...envelope,
  ...exampleOnly,
};
