import { z } from "zod";
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
  readonly service?: string; // the service's name; absent: the one that it has where its operator gives none
  readonly period?: CitedMonths | null; // v2: the months that all counts and dates are of (v1: not used)
}

/** Whole months of the city's solar time, both included. */
export interface CitedMonths {
  readonly from: string; // YYYY-MM
  readonly to: string;
}

/**
 * Version 1 of the words of a citation: only observations that count as independent evidence have observers. Published citations
 * are computed again from this file, so it never changes and imports no wording: other words are a new version.
 */

const SERVICE = "Physical Presence Evidence Service";
const SYNTHETIC = "Demonstration data, not a real observation: ";

/** The words without the address. Each sentence that speaks of an observation says how certain it is. */
export function sentenceV1(facts: QuoteFacts): string {
  const { newest, treeSize, service = SERVICE } = facts;
  if (newest === null) return `${nothingAccepted(facts)} ${service}, signed tree of ${treeSize} rows.`;
  return seenWords(facts, newest, NO_PERIOD);
}

/** What version 2 adds to the words of version 1. */
interface PeriodWords {
  readonly before: string;
  readonly after: string;
}

const NO_PERIOD: PeriodWords = { before: "", after: "" };

function seenWords(facts: QuoteFacts, newest: NewestRow, period: PeriodWords): string {
  const { treeSize, asOfDate, service = SERVICE, isSynthetic } = facts;
  const source = `${service}, data as of ${asOfDate}, ledger row ${newest.row}, signed tree of ${treeSize} rows.`;
  return `${isSynthetic ? SYNTHETIC : ""}${period.before}${observed(facts, newest, period)} ${source}`;
}

function nothingAccepted({ name, city, asOfDate }: QuoteFacts): string {
  return `No accepted physical citation of "${name}" in ${city} is published as of ${asOfDate}, which proves nothing about it.`;
}

function observed(facts: QuoteFacts, newest: NewestRow, { after }: PeriodWords): string {
  const { name, city, accepted } = facts;
  const seen = `"${name}" was physically observed in ${city}`;
  const state = stateWords(newest.state, facts);
  if (accepted === 1)
    return `${seen} once, on ${newest.date} (local solar date), ${onceBy(facts)} (${kindWords(newest)}), and this observation is ${state}.`;
  const last = `The newest observation${after} (${kindWords(newest)}), of ${newest.date} (local solar date), is ${state}.`;
  return `${seen} ${accepted} times ${span(facts)}${often(facts)}${states(facts)}. ${last}`;
}

function span({ firstDate, lastDate }: QuoteFacts): string {
  if (firstDate === lastDate) return `on ${lastDate} (local solar date)`;
  return `between ${firstDate} and ${lastDate} (local solar dates)`;
}

function onceBy({ counted }: QuoteFacts): string {
  return counted === 0 ? "by an observer not counted as independent" : "by one observer";
}

function often({ accepted, counted, observers }: QuoteFacts): string {
  const by = observers === 1 ? "by one observer" : `by ${observers} independent observers`;
  if (counted === accepted) return ` ${by}`;
  if (counted === 0) return ", of which none counts as independent evidence";
  return `, of which ${counted} ${counted === 1 ? "counts" : "count"} as independent evidence, ${by}`;
}

const STATE: Readonly<Record<AcceptedState, string>> = {
  provisional: "not yet corroborated",
  corroborated: "corroborated by another observer",
  verified: "verified in review",
};

/** Others may have seen the same; where none of them counts, nothing is corroborated independently. */
function stateWords(state: AcceptedState, { counted, accepted }: QuoteFacts): string {
  return state === "provisional" && counted < accepted ? "not yet independently corroborated" : STATE[state];
}

/** What holds of more than one observation, the surest first. */
function states(facts: QuoteFacts): string {
  const { states, accepted, counted } = facts;
  const isMixed = counted < accepted;
  const found = (["verified", "corroborated", "provisional"] as const).filter((state) => states[state] > 0);
  const only = found.find((state) => states[state] === accepted);
  if (only !== undefined)
    return `${isMixed ? "; all observations are" : ", all of them"} ${stateWords(only, facts)}`;
  return `; of ${isMixed ? "all" : "these"} observations ${found.map((state) => `${verb(states[state])} ${stateWords(state, facts)}`).join(", ")}`;
}

function verb(count: number): string {
  return count === 1 ? "1 is" : `${count} are`;
}

function kindWords({ kind }: NewestRow): string {
  return kind.replace("_", " ");
}

/**
 * Version 2: the words of version 1 about whole months in which the record was observed. There is none about months without an
 * observation, because nothing follows from these.
 */
export function sentenceV2(facts: QuoteFacts): string {
  const { newest, period } = facts;
  return newest === null || period == null
    ? sentenceV1(facts)
    : seenWords(facts, newest, monthsWords(period));
}

function monthsWords({ from, to }: CitedMonths): PeriodWords {
  const isOne = from === to;
  const months = isOne ? `the month ${from}` : `the months ${from} to ${to}`;
  return { before: `In ${months}, `, after: isOne ? " of that month" : " of these months" };
}

/**
 * Every published version of the citation wording. Versions never change and are never removed, because the service
 * recomputes each citation in its own version.
 */
const SENTENCES = { v1: sentenceV1, v2: sentenceV2 } as const satisfies Readonly<
  Record<string, (facts: QuoteFacts) => string>
>;

export const SentenceVersion = z.enum(["v1", "v2"]);
export type SentenceVersion = keyof typeof SENTENCES & z.infer<typeof SentenceVersion>;

/** Version used for new citations of a record. */
export const CURRENT_SENTENCE: SentenceVersion = "v1";

/** Version used for new citations of months of a record. */
export const CURRENT_PERIOD_SENTENCE: SentenceVersion = "v2";

/** Returns the citation without its URL. */
export function sentenceOf(version: SentenceVersion, facts: QuoteFacts): string {
  return SENTENCES[version](facts);
}
