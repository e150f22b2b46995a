import { z } from "zod";
import { WebhookContract } from "../accounts/delivery.ts";
import { AssetType, ConfidenceLabel, EventType, VerificationState } from "../enums.ts";
import { carriedFields, envelopeFields, pageFields } from "../envelope.ts";
import {
  Count,
  cityFields,
  MONTHS_LOOKED_SINCE,
  MonthsLookedSince,
  Ratio,
  Timestamp,
  Uri,
} from "../fields.ts";
import { SCHEMA } from "../versions.ts";
import { CityRef } from "./coverage.ts";

export const ChangeEvent = z
  .looseObject({
    id: z.string().describe("Stable: an event has the same id in every release."),
    type: EventType.describe("What changed. `stale_asset` and `digital_gap_detected` never prove absence."),
    detected_at: Timestamp.describe(
      "Time when evidence was published, an asset went stale, or an online check was made.",
    ),
    headline: z.string().describe("Short form of the event, without its certainty."),
    summary: z.string().describe("The event as a quotable sentence, with its certainty."),
    ...cityFields,
    entity_public_id: z.string().describe("Public id of the record."),
    entity_name: z.string().describe("Name of the record."),
    is_synthetic: z.boolean().describe("True for demonstration data: the record is made up."),
    record_url: Uri.describe("Page of the record."),
    entity_row: z
      .int()
      .positive()
      .describe("Ledger row of the record. When `/api/v1/withdrawals` lists it, delete this event."),
    asset_row: z.int().positive().nullable().describe("Ledger row of the asset; null without one."),
    industry: z.string().nullable().describe("ISIC Rev. 5 code."),
    asset_public_id: z.string().nullable().describe("Public id of the asset; null without one."),
    asset_type: AssetType.nullable().describe("Type of the asset; null without one."),
    corridor: z.string().nullable().describe("Always null: no streets or routes are published."),
    confidence: Ratio.describe(
      "Certainty of the event: stronger evidence never lowers it (see the methodology). 0 when no evidence counts any more.",
    ),
    confidence_label: ConfidenceLabel.describe(
      "Basis of the event: `ledger` rows, or `derived` from dates or an online check; `review_needed` while a review is open.",
    ),
    evidence_count: Count.describe("Observations behind the event that still count as independent evidence."),
    verif_state: VerificationState.nullable().describe(
      "State of the newest of these observations; null without any.",
    ),
    strongest_verif_state: VerificationState.nullable().describe(
      "Strongest state among these observations; null without any.",
    ),
    independent_observer_count: Count.describe("Independent observers of these observations."),
    months_looked_since: MonthsLookedSince.describe(
      `${MONTHS_LOOKED_SINCE} For \`stale_asset\`: until it was seen again. Null for events without an asset.`,
    ),
  })
  .meta({ id: "ChangeEvent", description: "A change event derived from published data." });
export type ChangeEvent = z.infer<typeof ChangeEvent>;

const EventCounts = z.looseObject({
  new_public_record: Count,
  new_observed_asset: Count,
  new_wrapped_fleet_asset: Count,
  stale_asset: Count,
  digital_gap_detected: Count,
} satisfies Record<EventType, typeof Count>);

export const PulseResponse = z
  .looseObject({
    schema: z.literal(SCHEMA.pulse),
    city: CityRef,
    since: Timestamp.describe("Start of the window, inclusive."),
    status: z.enum(["active"]),
    ...pageFields,
    summary: z.looseObject({
      total_events: Count.describe("Events in the window. Same as `total_count`."),
      returned_events: Count.describe("Events on this page."),
      by_type: EventCounts.describe("Events in the window by type. All types are listed."),
      window_start: Timestamp,
      window_end: Timestamp,
    }),
    feeds: z.looseObject({ json: Uri, rss: Uri, atom: Uri, json_feed: Uri.describe("JSON Feed 1.1.") }),
    webhook_contract: WebhookContract.describe("How change events are delivered to webhook endpoints."),
    unavailable_event_classes: z.array(
      z.looseObject({ event_class: z.string(), reason: z.string(), available_when: z.string() }),
    ),
    events: z.array(ChangeEvent).describe("Newest first."),
    ...envelopeFields,
    ...carriedFields,
  })
  .meta({ id: "PulseResponse", description: "One page of a city's change feed, from a frozen snapshot." });

/** The subset of JSON Feed 1.1 (jsonfeed.org) that the service writes. */

const JsonFeedItem = z.strictObject({
  id: z.string().min(1),
  url: Uri,
  title: z.string().min(1),
  content_text: z.string().min(1), // an item has content_text or content_html
  date_published: Timestamp, // RFC 3339
  tags: z.array(z.string()),
});

export const JsonFeed = z.strictObject({
  version: z.literal("https://jsonfeed.org/version/1.1"),
  title: z.string().min(1),
  home_page_url: Uri,
  feed_url: Uri,
  description: z.string(),
  user_comment: z.string(), // for a person who sees the JSON
  favicon: Uri,
  language: z.literal("en"), // RFC 5646
  items: z.array(JsonFeedItem),
});
export type JsonFeed = z.infer<typeof JsonFeed>;
