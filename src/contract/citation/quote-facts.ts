import type { PresenceKind, VerificationState } from "../enums.ts";

/** States of an accepted observation: all but `rejected`. */
export type AcceptedState = Exclude<VerificationState, "rejected">;

/** The accepted observation of a record that was observed last. */
export interface NewestRow {
  readonly row: number | string; // of the ledger; a text in templates only
  readonly kind: PresenceKind;
  readonly date: string; // YYYY-MM-DD, the city's day
  readonly state: AcceptedState;
}

/** Everything that the words of a citation depend on. Rejected observations are in none of the counts. */
export interface QuoteFacts {
  readonly name: string;
  readonly city: string; // display name
  readonly isSynthetic: boolean;
  readonly accepted: number; // observations
  readonly states: Readonly<Record<AcceptedState, number>>; // add up to `accepted`
  readonly observers: number; // independent ones
  readonly firstDate: string | null; // YYYY-MM-DD, the city's day; null without an accepted observation
  readonly lastDate: string | null;
  readonly newest: NewestRow | null;
  readonly treeSize: number; // of the signed tree that the release rests on
  readonly asOfDate: string; // YYYY-MM-DD, UTC
}
