import type { ConfidenceLabel } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/canonical-json.ts";
import { isoDate } from "../../kernel/time.ts";
import type { AsOf } from "../as-of.ts";
import { accepted } from "../citation.ts";
import { isLive } from "../live.ts";
import { LookedMonths } from "../looks.ts";
import { PARAMETERS } from "../parameters.ts";
import { industryState } from "../standing/gate.ts";
import type { JudgedSighting, LookRow } from "../types.ts";
import { eventText } from "./event-text.ts";
import type { ChangeEventFacts, EventRecord, Occurrence } from "./event-types.ts";
import { staleOccurrences } from "./stale-events.ts";

/**
 * Returns a city's change events detected by `asOf`, newest first, ties by id. Existence and time of an event follow from
 * publications. A later rejection reduces its evidence and confidence; only a redaction removes it.
 */
export function cityEvents(
  records: readonly EventRecord[],
  lookRows: readonly LookRow[],
  asOf: AsOf,
): ChangeEventFacts[] {
  const looks = new LookedMonths(lookRows);
  const events = new Map<string, ChangeEventFacts>();
  for (const record of records) {
    for (const occurrence of occurrences(record, looks, asOf)) {
      const event = eventOf(record, occurrence);
      if (occurrence.detectedAt <= asOf.ms && !events.has(event.id)) events.set(event.id, event);
    }
  }
  return [...events.values()].sort((a, b) => b.detectedAt - a.detectedAt || (a.id < b.id ? -1 : 1));
}

function occurrences(record: EventRecord, looks: LookedMonths, asOf: AsOf): Occurrence[] {
  return [
    ...newRecord(record, asOf),
    ...newAssets(record, asOf),
    ...staleOccurrences(record, looks, asOf),
    ...digitalGaps(record),
  ];
}

function newRecord({ publishedAt, sightings }: EventRecord, asOf: AsOf): Occurrence[] {
  const evidence = sightings.filter((sighting) => sighting.publishedAt === publishedAt);
  if (!evidence.some((sighting) => isLive(sighting, asOf))) return [];
  return [{ type: "new_public_record", detectedAt: publishedAt, asset: undefined, evidence }];
}

/** One event per asset: always for vehicle wraps, otherwise only if the record was already public. */
function newAssets(record: EventRecord, asOf: AsOf): Occurrence[] {
  const byAsset = Map.groupBy(record.sightings, ({ asset }) => asset);
  return record.assets.flatMap((asset) => {
    const detectedAt = asset.publishedAt;
    const wrap = asset.assetType === "vehicle_wrap";
    if (!wrap && detectedAt <= record.publishedAt) return [];
    const evidence = (byAsset.get(asset.id) ?? []).filter(({ publishedAt }) => publishedAt === detectedAt);
    if (!evidence.some((sighting) => isLive(sighting, asOf))) return [];
    const type = wrap ? "new_wrapped_fleet_asset" : "new_observed_asset";
    return [{ type, detectedAt, asset, evidence }];
  });
}

/** Detects a gap when a check returns `none` and the previous definite one did not. */
function digitalGaps({ publishedAt, sightings, checks }: EventRecord): Occurrence[] {
  const definite = checks
    .filter(({ verdict }) => verdict !== "unknown")
    .sort((a, b) => a.checkedAt - b.checkedAt);
  return definite.flatMap(({ checkedAt, verdict }, index) => {
    if (verdict !== "none" || definite[index - 1]?.verdict === "none") return [];
    const detectedAt = Math.max(checkedAt, publishedAt); // no events before the record is public
    const evidence = sightings.filter((sighting) => sighting.publishedAt <= detectedAt);
    return [{ type: "digital_gap_detected", detectedAt, asset: undefined, evidence }];
  });
}

function eventOf(record: EventRecord, occurrence: Occurrence): ChangeEventFacts {
  const { type, detectedAt, asset } = occurrence;
  const evidence = accepted(occurrence.evidence);
  return {
    id: eventId(type, asset?.publicId ?? record.publicId, isoDate(detectedAt)),
    type,
    detectedAt,
    record: record.id,
    recordPublicId: record.publicId,
    recordName: record.name,
    industry: record.industry.code,
    asset: asset?.id ?? null,
    assetPublicId: asset?.publicId ?? null,
    assetType: asset?.assetType ?? null,
    ...confidenceIn(record, occurrence, evidence),
    evidenceCount: evidence.length,
    ...eventText(record.name, occurrence, evidence),
  };
}

/** Id of an event from type, subject and UTC day, so it is the same in every release. */
function eventId(type: string, subject: string, day: string): string {
  return `evt_${sha256Hex(canonicalJson([type, subject, day])).slice(0, 24)}`;
}

function confidenceIn(
  record: EventRecord,
  { type }: Occurrence,
  evidence: readonly JudgedSighting[],
): { confidence: number; label: ConfidenceLabel } {
  const { events } = PARAMETERS;
  const underReview = record.matchUnderReview || industryState(record.industry) === "review";
  if (underReview || evidence.length === 0)
    return { confidence: events.reviewConfidence, label: "review_needed" };
  if (type === "stale_asset" || type === "digital_gap_detected") {
    return { confidence: events.derivedConfidence, label: "derived" };
  }
  const confirmed = evidence.some(({ state }) => state === "corroborated" || state === "verified");
  return { confidence: confirmed ? events.corroboratedConfidence : events.ledgerConfidence, label: "ledger" };
}
