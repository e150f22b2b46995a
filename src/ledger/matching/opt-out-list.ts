/**
 * What intake remembers of opt-outs: keyed hashes alone, so the list names nobody. A fact is a name, a contact, an address, a
 * reference or a place; the words of an opted-out name are hashed under its opt-out's own id, so that equal words of two
 * opt-outs have nothing in common.
 */

/**
 * The effect of a fact that a line shares with an opt-out: `all` refuses the line whatever else it says, `own` refuses it if its name
 * is near, and `place` makes it wait for review if its name is near.
 */
export type OptOutWeight = "all" | "own" | "place";

export interface OptOutFact {
  readonly key: Buffer; // keyed hash of city, kind and value
  readonly optOut: Buffer;
  readonly weight: OptOutWeight;
  readonly assetType: string | null; // the only type of asset that it is about; null for all
  readonly expiresAt: number | null; // ms; null: it lasts
}

export interface OptOutWord {
  readonly optOut: Buffer;
  readonly name: number; // of the opt-out's names, from 0
  readonly word: number; // of the name's words, from 0; -1 for all of them written as one
  readonly key: Buffer; // keyed hash of the opt-out's id and a spelling of the word
}

/** What one opt-out adds to the list. */
export interface OptOutEntries {
  readonly names: readonly Buffer[]; // keyed hashes of (city, name key) that are refused in the whole city
  readonly facts: readonly OptOutFact[];
  readonly words: readonly OptOutWord[];
}

/** Where opt-outs are looked up: the ledger's tables, or the entries of one opt-out that is being planned. */
export interface OptOutSource {
  isOptedOut(key: Buffer): boolean;
  /** Without those that have expired at `now` (ms). */
  optOutFacts(key: Buffer, now: number): readonly OptOutFact[];
  optOutWords(optOut: Buffer): readonly OptOutWord[];
  hasOptOuts(): boolean;
}
