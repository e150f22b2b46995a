import type { ChangeEvent, PulseResponse } from "../pulse.ts";
import { UNAVAILABLE_EVENT_CLASSES } from "../unavailable-events.ts";
import { SCHEMA } from "../versions.ts";
import { van } from "./asset.ts";
import { AS_OF, BASE_URL, cityRef, envelope, exampleOnly } from "./base.ts";
import { bakery, signmaker } from "./entity.ts";

const SINCE = "2026-05-31T00:00:00Z";

const newVan: ChangeEvent = {
  id: "ex_event_van",
  type: "new_wrapped_fleet_asset",
  detected_at: "2026-06-12T00:00:00Z",
  headline: `${bakery.name}: new wrapped vehicle`,
  summary: "A vehicle with this branding was observed for the first time.",
  entity_public_id: bakery.public_id,
  entity_name: bakery.name,
  record_url: bakery.record_url,
  industry: bakery.industry,
  asset_public_id: van.public_id,
  asset_type: van.asset_type,
  corridor: null,
  confidence: 0.9,
  confidence_label: "ledger",
  evidence_count: van.observation_count,
};

const offline: ChangeEvent = {
  ...newVan,
  id: "ex_event_offline",
  type: "digital_gap_detected",
  detected_at: "2026-06-21T00:00:00Z",
  headline: `${signmaker.name}: no online presence detected`,
  summary: "Physically observed, but the last online check found nothing.",
  entity_public_id: signmaker.public_id,
  entity_name: signmaker.name,
  record_url: signmaker.record_url,
  industry: signmaker.industry,
  asset_public_id: null,
  asset_type: null,
  confidence: 0.5,
  confidence_label: "review_needed",
  evidence_count: signmaker.independent_observation_count,
};

export const pulseExample: PulseResponse = {
  schema: SCHEMA.pulse,
  city: cityRef,
  since: SINCE,
  status: "active",
  summary: {
    total_events: 2,
    returned_events: 2,
    by_type: {
      new_public_record: 0,
      new_observed_asset: 0,
      new_wrapped_fleet_asset: 1,
      stale_asset: 0,
      digital_gap_detected: 1,
    },
    window_start: SINCE,
    window_end: AS_OF,
  },
  feeds: {
    json: `${BASE_URL}/api/v1/pulse/${cityRef.slug}`,
    rss: `${BASE_URL}/pulse/${cityRef.slug}/rss.xml`,
  },
  webhook_contract: {
    available: false,
    signing: "Standard Webhooks, HMAC-SHA256.",
    note: "Deliveries stay queued until verification is enabled.",
  },
  unavailable_event_classes: [...UNAVAILABLE_EVENT_CLASSES],
  events: [offline, newVan],
  ...envelope,
  ...exampleOnly,
};
