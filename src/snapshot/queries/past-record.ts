import type { PresenceKind, SourceType } from "../../contract/enums.ts";
import { solarDayNumber, solarOffsetHours } from "../../kernel/time.ts";
import type { Merges } from "../../ledger/decisions/merges.ts";
import { type CitedEvidence, citedEvidence } from "../../method/citation.ts";
import { judge } from "../../method/standing/verification.ts";
import type { Sighting } from "../../method/types.ts";

/** An observation as in its ledger row, with the last verdict that the release knew. */
export interface PastObservation {
  readonly id: number;
  readonly record: number;
  readonly asset: number;
  readonly source: SourceType;
  readonly observer: string;
  readonly observedAt: number; // ms
  readonly kind: PresenceKind;
  readonly verdict: Sighting["verdict"];
}

/** The record's evidence in a release of those observations: its accepted rows, newest observed first, and the cited counts. */
export function pastEvidence(
  observations: readonly PastObservation[],
  merges: Merges,
  lng: number,
): { readonly cited: CitedEvidence; readonly rows: readonly number[] } {
  const offset = solarOffsetHours(lng);
  const judged = judge(
    observations.map((observation) => ({
      ...observation,
      observer: merges.rootTag(observation.record, observation.observer),
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
