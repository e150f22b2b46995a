/** Looking for a business on the public web (interface 1, 2.5). Nothing here knows the ledger: subjects come in, results go out. */
import type { OnlinePresence, SignalType } from "../contract/enums.ts";

/** The three ways to look. */
export const SIGNALS = ["website", "name_search", "phone_lookup"] as const;
export type Signal = (typeof SIGNALS)[number];

/** A Presence Record, as far as it is needed for looking. */
export interface OnlineSubject {
  readonly record: number; // ledger row
  readonly name: string;
  readonly city: string; // display name
  readonly website: string | null; // as published
  /** Private: a number is looked for only where the operator wants it, and is in no log. `digits` are those that are compared. */
  readonly phone: { readonly number: string; readonly digits: string } | undefined;
  readonly lastCheck: { readonly checkedAt: number; readonly verdict: OnlinePresence } | undefined; // ms
}

/**
 * The outcome of one way to look. `found`: with what was found; `absent`: there is nothing; `failed`: unknown, a later attempt may
 * succeed. `note` gives the reason in our own words, without names, numbers or text from a foreign server.
 */
export type Finding =
  | {
      readonly signal: Signal;
      readonly outcome: "found";
      readonly types: readonly SignalType[];
      readonly matches: number;
    }
  | { readonly signal: Signal; readonly outcome: "absent" | "failed"; readonly note: string };

export interface OnlineProvider {
  readonly name: string;
  readonly signals: readonly Signal[];
  /** Never throws for a failure of the web. Throws ProviderUnavailable when it cannot answer any further request tonight. */
  check(subject: OnlineSubject, signal: Signal): Promise<Finding>;
}

/** A provider as a whole is down, refuses requests, or its daily quota is used up; the record is not the cause. */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProviderUnavailable";
  }
}

/** The ways in which a subject can be looked for. */
export function signalsOf({ website, phone }: OnlineSubject): Signal[] {
  return SIGNALS.filter((signal) => {
    if (signal === "website") return website !== null;
    return signal === "name_search" || phone !== undefined;
  });
}
