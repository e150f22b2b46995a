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
 * What one way of looking came to. `found` with what it found; `absent`: looked, and there is nothing; `failed`: it cannot be told, and looking
 * again later may tell. `note` says why in words of our own, without names, numbers or what a stranger's server wrote.
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
  /** Never throws for what the web does; throws ProviderUnavailable when it can answer nobody any more tonight. */
  check(subject: OnlineSubject, signal: Signal): Promise<Finding>;
}

/** A provider as a whole is out of order, refuses us or has given all that it gives in a day: no fault of the record that was asked about. */
export class ProviderUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProviderUnavailable";
  }
}

/** What there is to ask about a subject. */
export function signalsOf({ website, phone }: OnlineSubject): Signal[] {
  return SIGNALS.filter((signal) => {
    if (signal === "website") return website !== null;
    return signal === "name_search" || phone !== undefined;
  });
}
