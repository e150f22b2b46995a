import type { DrawSample } from "../intake/sources/tally.ts";
import type { RecordState } from "../ledger/decisions/ledger-state.ts";
import type { DeskRows } from "../ledger/rows/desk-rows.ts";
import type { DeskState } from "./desk-state.ts";

/** A task for a reviewer. Ids are stable: they name the row, or for a held line the keyed hash of its reference. */
export interface Item {
  readonly item: string;
  readonly kind: ItemKind;
  readonly waits_since: string; // ISO, UTC
  readonly city: string | null; // slug
  /** The last row about its subject, for `--expect`; null for a held line, which has no row. */
  readonly version: number | null;
  readonly why: string;
  readonly known: Readonly<Record<string, unknown>>;
}

export const ITEM_KINDS = [
  "match",
  "industry",
  "generic-name",
  "damaged-name",
  "private-name",
  "opt-out",
  "integrity",
  "retire",
  "set-aside",
  "independence",
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** After how many days without a sighting an asset counts as stale (docs/methodology.md). */
export interface StaleDays {
  readonly staleFixedDays: number;
  readonly staleMobileDays: number;
}

export interface ItemSources {
  readonly state: DeskState;
  readonly rows: DeskRows;
  readonly now: number; // ms
  readonly stale: StaleDays;
  /** Which of the set-aside observations are listed: a random sample of each month, or all of them. */
  readonly setAside: DrawSample | "all";
}

export function recordFacts({
  id,
  body,
  name,
  website,
  naming,
}: RecordState): Readonly<Record<string, unknown>> {
  const { industry = null, industry_method = "unclassified" } = naming ?? {};
  return { row: id, public_id: body.public_id, name, website, industry, industry_method };
}
