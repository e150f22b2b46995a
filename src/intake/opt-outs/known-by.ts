/** What an opted-out record is known by, and which of it others share. */
import type { IntakeTraces } from "../../ledger/matching/intake-traces.ts";
import type { LiveRows } from "../../ledger/rows/live-rows.ts";
import type { RecordContacts } from "../../ledger/rows/private-details.ts";
import { addressKey, contactKeys, parseWebsite, phoneKey } from "../lines/contact.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { assetRefKey } from "../places/anchors.ts";

export interface KnownValue {
  readonly value: string; // as in `FactKeys`
  readonly isShared: boolean; // another live record or asset has it, too
}

export interface KnownBy {
  readonly contacts: readonly KnownValue[];
  readonly addresses: readonly KnownValue[];
  readonly refs: readonly KnownValue[];
}

export interface DetailSources {
  readonly live: LiveRows;
  readonly traces: IntakeTraces;
  readonly hashes: IntakeHashes;
}

/** Records that opt out together, and of which of them the addresses and of which assets the references are meant. */
export interface KnownSubject {
  readonly group: readonly number[];
  readonly withAddress: readonly number[];
  readonly assets: ReadonlySet<number>;
}

/** Reads the ledger through. */
export function knownBy(
  { group, withAddress, assets }: KnownSubject,
  { live, traces, hashes }: DetailSources,
): KnownBy {
  const contacts = new Tally();
  const addresses = new Tally();
  const refs = new Tally();
  for (const record of live.contacts()) {
    const { id, address } = record;
    const isOwn = group.includes(id);
    for (const key of contactsOf(record, hashes)) contacts.note(key, isOwn);
    if (address !== null && (withAddress.includes(id) || !isOwn)) addresses.note(addressKey(address), isOwn);
  }
  // Later sightings of a record brought more contacts than its row shows.
  for (const { key } of traces.contactsOf(group)) contacts.note(key.toString("hex"), true);
  for (const { id, ref } of live.assetRefs()) refs.note(assetRefKey(ref, hashes.sourceRef), assets.has(id));
  return { contacts: contacts.own(), addresses: addresses.own(), refs: refs.own() };
}

function contactsOf({ website, phone }: RecordContacts, { contact }: IntakeHashes): string[] {
  const site = website === null ? undefined : parseWebsite(website).matchKey;
  return contactKeys(site, phone === null ? undefined : phoneKey(phone), contact);
}

/** Notes who has a value. */
class Tally {
  readonly #own = new Set<string>();
  readonly #others = new Set<string>();

  note(value: string, isOwn: boolean): void {
    (isOwn ? this.#own : this.#others).add(value);
  }

  own(): KnownValue[] {
    return [...this.#own].sort().map((value) => ({ value, isShared: this.#others.has(value) }));
  }
}
