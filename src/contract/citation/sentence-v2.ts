/**
 * Version 2 of the words of a citation. Published citations are computed again from this file, so it never changes and imports no
 * wording: other words are a new version. Version 1, which had no address of its own, said nothing of the state of the evidence.
 */

import type { AcceptedState, NewestRow, QuoteFacts } from "./quote-facts.ts";

const SERVICE = "Physical Presence Evidence Service";
const SYNTHETIC = "Demonstration data, not a real observation: ";

/** The words without the address. Each sentence that speaks of an observation says how certain it is. */
export function sentenceV2(facts: QuoteFacts): string {
  const { newest, treeSize, asOfDate } = facts;
  if (newest === null) return `${nothingAccepted(facts)} ${SERVICE}, signed tree of ${treeSize} rows.`;
  const source = `${SERVICE}, data as of ${asOfDate}, ledger row ${newest.row}, signed tree of ${treeSize} rows.`;
  return `${facts.isSynthetic ? SYNTHETIC : ""}${observed(facts, newest)} ${source}`;
}

function nothingAccepted({ name, city, asOfDate }: QuoteFacts): string {
  return `No accepted physical citation of "${name}" in ${city} is published as of ${asOfDate}, which proves nothing about it.`;
}

function observed(facts: QuoteFacts, newest: NewestRow): string {
  const { name, city, accepted, observers } = facts;
  const seen = `"${name}" was physically observed in ${city}`;
  const by = observers === 1 ? "by one observer" : `by ${observers} independent observers`;
  if (accepted === 1)
    return `${seen} once, on ${newest.date} (local solar date), ${by} (${kindWords(newest)}), and this observation is ${STATE[newest.state]}.`;
  const last = `The newest observation (${kindWords(newest)}), of ${newest.date} (local solar date), is ${STATE[newest.state]}.`;
  return `${seen} ${accepted} times ${span(facts)} ${by}${states(facts)}. ${last}`;
}

function span({ firstDate, lastDate }: QuoteFacts): string {
  if (firstDate === lastDate) return `on ${lastDate} (local solar date)`;
  return `between ${firstDate} and ${lastDate} (local solar dates)`;
}

const STATE: Readonly<Record<AcceptedState, string>> = {
  provisional: "not yet corroborated",
  corroborated: "corroborated by another observer",
  verified: "verified in review",
};

/** What holds of more than one observation, the surest first. */
function states({ states, accepted }: QuoteFacts): string {
  const found = (["verified", "corroborated", "provisional"] as const).filter((state) => states[state] > 0);
  const only = found.find((state) => states[state] === accepted);
  if (only !== undefined) return `, all of them ${STATE[only]}`;
  return `; of these observations ${found.map((state) => `${verb(states[state])} ${STATE[state]}`).join(", ")}`;
}

function verb(count: number): string {
  return count === 1 ? "1 is" : `${count} are`;
}

function kindWords({ kind }: NewestRow): string {
  return kind.replace("_", " ");
}
