import type { AssetType, PresenceKind, SourceType } from "../../contract/enums.ts";
import { solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import { type CitedEvidence, citedEvidence } from "../../method/citation.ts";
import { setAsideReason } from "../../method/standing/counting.ts";
import { judge } from "../../method/standing/verification.ts";
import type { Sighting } from "../../method/types.ts";

/** An observation as in its ledger row, with the last decisions that the release knew. */
export interface PastObservation {
  readonly id: number;
  readonly record: number;
  readonly asset: number;
  readonly assetType: AssetType;
  readonly source: SourceType;
  readonly tag: string; // of the row
  readonly counts: boolean;
  readonly observedAt: number; // ms
  readonly kind: PresenceKind;
  readonly verdict: Sighting["verdict"];
}

/** How a release counted the observations of a record. */
interface PastCounting {
  readonly merges: Merges;
  readonly lng: number; // degrees
}

/**
 * The record's evidence in a release of those observations: its accepted rows, newest observed first, and the cited counts. Undefined
 * without observations.
 */
export function pastEvidence(
  observations: readonly PastObservation[],
  { merges, lng }: PastCounting,
): { readonly cited: CitedEvidence; readonly rows: readonly number[] } | undefined {
  if (observations.length === 0) return undefined;
  const offset = solarOffsetHours(lng);
  const judged = judge(
    observations.map((observation) => ({
      ...observation,
      observer: merges.rootTag(observation.record, observation.tag),
      setAside: setAsideReason(observation),
      day: solarDayNumber(observation.observedAt, offset),
    })),
  );
  const kinds = new Map(observations.map(({ id, kind }) => [id, kind]));
  const accepted = judged
    .filter(({ state }) => state !== "rejected")
    .sort((a, b) => b.observedAt - a.observedAt || b.id - a.id);
  return {
    cited: citedEvidence(judged, (row) => kinds.get(row) ?? "brand_mention"),
    rows: accepted.map(({ id }) => id),
  };
}
