import type { PresenceKind, VerificationState } from "../enums.ts";

/** Verification states of an accepted observation: all but `rejected`. */
export type AcceptedState = Exclude<VerificationState, "rejected">;

/** The most recent accepted observation of a record. */
export interface NewestRow {
  readonly row: number | string; // ledger row; a string only in templates
  readonly kind: PresenceKind;
  readonly date: string; // YYYY-MM-DD, the city's day
  readonly state: AcceptedState;
}

/** Everything that a citation's wording depends on. No count includes rejected observations. */
export interface QuoteFacts {
  readonly name: string;
  readonly city: string; // display name
  readonly isSynthetic: boolean;
  readonly accepted: number; // observations
  readonly states: Readonly<Record<AcceptedState, number>>; // sums to `accepted`
  readonly observers: number; // independent observers: those of the observations that count
  readonly counted: number; // accepted observations that count as independent evidence (v2: not used)
  readonly firstDate: string | null; // YYYY-MM-DD, the city's day; null without an accepted observation
  readonly lastDate: string | null;
  readonly newest: NewestRow | null;
  readonly treeSize: number; // size of the release's signed tree
  readonly asOfDate: string; // YYYY-MM-DD, UTC
}
