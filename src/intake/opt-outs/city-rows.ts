/** The live rows of a city as opt-outs see them: whose they are, what they say, and whether they teach. */
import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { Seen } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { contactKeys, parseWebsite, phoneKey } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { anchorPlace, type IntakeHashes } from "../lines/sighting.ts";
import { type Lesson, Teaching } from "../sources/teaching.ts";
import type { OptOutSubject } from "./fact-keys.ts";

export interface CityRow extends Lesson, OptOutSubject {
  readonly row: number;
  readonly asset: number;
  readonly name: string; // cleaned
  readonly seen: Seen;
  /** Keyed hashes. */
  readonly website: string | undefined;
  readonly phone: string | undefined;
  readonly exact: { readonly lat: number; readonly lng: number };
}

/** Rows that lost their private values are left out: they teach nothing. Reads the ledger through. */
export function* cityRows(
  ledger: Pick<LedgerWriter, "live" | "sources" | "storedObservations">,
  city: string,
  state: LedgerState,
  hashes: IntakeHashes,
): Generator<CityRow> {
  const teaching = new Teaching(ledger, state);
  const refs = new Map(Array.from(ledger.live.assetRefs(), ({ id, ref }) => [id, ref]));
  for (const stored of ledger.storedObservations()) {
    const { row, body, hidden } = stored;
    if (body.city !== city) continue;
    const { seen, exact } = hidden;
    const { asset, asset_type } = body;
    const input = { asset_type, asset_ref: refs.get(asset), address: seen.address };
    const name = checkedName(seen.name);
    const contacts = contactsOf(seen, hashes);
    yield {
      ...teaching.of(stored),
      ...{ row, asset, name, seen, exact, input, ...contacts },
      nameKey: nameKey(name),
      contacts: [contacts.website, contacts.phone].filter((key) => key !== undefined),
      place: anchorPlace({ ...input, ...exact }, hashes),
    };
  }
}

function contactsOf({ website, phone }: Seen, { contact }: IntakeHashes) {
  const site = website === undefined ? undefined : parseWebsite(website).matchKey;
  return {
    website: contactKeys(site, undefined, contact)[0],
    phone: contactKeys(undefined, phone === undefined ? undefined : phoneKey(phone), contact)[0],
  };
}
