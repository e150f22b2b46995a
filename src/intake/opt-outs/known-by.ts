import type { AssetType } from "../../contract/enums.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type {
  OptOutEntries,
  OptOutFact,
  OptOutSource,
  OptOutWeight,
} from "../../ledger/matching/opt-outs.ts";
import type { NamingBody } from "../../ledger/rows/rows.ts";
import type { Seen } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { addressKey, contactKey, nonBlank } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { anchorPlace, type IntakeHashes } from "../lines/sighting.ts";
import { REVIEWER } from "../matching/match.ts";
import { MIN_TEACHERS } from "../naming/choose-naming.ts";
import { assetRefKey } from "../places/anchors.ts";
import { type Lesson, Teaching } from "../sources/teaching.ts";
import { factKeys, nameWords, type OptOutSubject, placeOf, wordHash } from "./judge.ts";

/** What an opted-out record is known by, as rows that count taught it, and which of it others are known by, too. */

export interface KnownValue {
  readonly value: string; // as in `FactKeys`
  readonly text: string; // as a line had it
  readonly isShared: boolean; // another record, or another asset, was taught it, too
}

export interface KnownBy {
  readonly websites: readonly KnownValue[];
  readonly phones: readonly KnownValue[];
  readonly addresses: readonly KnownValue[];
  readonly refs: readonly KnownValue[];
}

/** Whose a row is. */
export interface Whose {
  /** Whether a record is one that opts out. */
  isOwn(record: number): boolean;
  isGone(row: number): boolean;
}

export interface Point {
  readonly lat: number;
  readonly lng: number;
}

/** What was taught of the records that opt out, and of all others of their city. */
export class CityFacts {
  readonly #whose: Whose;
  readonly #hashes: IntakeHashes;
  /** Name key -> whether it was taught, of the records that opt out. */
  readonly #ownNames = new Map<string, boolean>();
  readonly #names = new Set<string>();
  readonly #websites = new Claims();
  readonly #phones = new Claims();
  readonly #addresses = new Claims();
  readonly #refs = new Claims();
  readonly #places = { taught: new Map<string, Point>(), all: new Map<string, Point>() };

  constructor(whose: Whose, hashes: IntakeHashes) {
    this.#whose = whose;
    this.#hashes = hashes;
  }

  add(row: CityRow): void {
    const isOwn = this.#whose.isOwn(row.record);
    const isGone = isOwn && this.#whose.isGone(row.row);
    if (isGone) this.#place(row);
    this.#name(row.nameKey, { isOwn, isTaught: row.teaches });
    if (!row.teaches) return;
    const { seen, principal = "", input } = row;
    const claim = { subject: isOwn ? OWN : row.record, principal };
    if (row.principal !== undefined) {
      this.#websites.add(row.website, seen.website, claim);
      this.#phones.add(row.phone, seen.phone, claim);
    }
    if (isOwn && !isGone) return;
    const ref = nonBlank(input.asset_ref);
    this.#addresses.add(seen.address && addressKey(seen.address), seen.address, claim);
    this.#refs.add(ref && assetRefKey(ref, this.#hashes.sourceRef), ref, claim);
  }

  /** What a reviewer called a record. */
  addNaming({ record, name, website }: Pick<NamingBody, "record" | "name" | "website">): void {
    const isOwn = this.#whose.isOwn(record);
    this.#name(nameKey(name), { isOwn, isTaught: true });
    if (website === null) return;
    const claim = { subject: isOwn ? OWN : record, principal: REVIEWER };
    this.#websites.add(contactKey("website", website, this.#hashes.contact), website, claim);
  }

  /** Names of the records that opt out, and whether rows that count, or a reviewer, taught them. */
  names(): ReadonlyMap<string, boolean> {
    return this.#ownNames;
  }

  /** Whether another record was taught a name. */
  isBorneByOthers(key: string): boolean {
    return this.#names.has(key);
  }

  /** Places (see `placeOf`), each with a point: those that counting rows taught, or all where none counts. */
  places(): ReadonlyMap<string, Point> {
    const { taught, all } = this.#places;
    return taught.size > 0 ? taught : all;
  }

  /** Contacts are known where several principals agree about them. */
  knownBy(): KnownBy {
    return {
      websites: this.#websites.known(MIN_TEACHERS),
      phones: this.#phones.known(MIN_TEACHERS),
      addresses: this.#addresses.known(1),
      refs: this.#refs.known(1),
    };
  }

  #name(key: string, { isOwn, isTaught }: { readonly isOwn: boolean; readonly isTaught: boolean }): void {
    if (isOwn) this.#ownNames.set(key, isTaught || this.#ownNames.get(key) === true);
    else if (isTaught) this.#names.add(key);
  }

  #place({ place, exact, teaches, input }: CityRow): void {
    const { taught, all } = this.#places;
    const at = placeOf(place, input.asset_type);
    for (const places of teaches ? [taught, all] : [all]) if (!places.has(at)) places.set(at, exact);
  }
}

const OWN = 0; // the records that opt out, as one

interface Claim {
  readonly subject: number;
  readonly principal: string;
}

/** Who says that something is a record's. */
class Claims {
  readonly #values = new Map<string, { readonly text: string; readonly by: Map<number, Set<string>> }>();

  add(value: string | undefined, text: string | undefined, { subject, principal }: Claim): void {
    if (value === undefined || text === undefined) return;
    const known = this.#values.get(value) ?? { text, by: new Map<number, Set<string>>() };
    this.#values.set(value, known);
    known.by.set(subject, (known.by.get(subject) ?? new Set()).add(principal));
  }

  /** What so many principals say of the records that opt out, in the order of the values. */
  known(min: number): KnownValue[] {
    const isKnown = (principals: ReadonlySet<string> = new Set()) =>
      principals.size >= min || principals.has(REVIEWER);
    return [...this.#values]
      .filter(([, { by }]) => isKnown(by.get(OWN)))
      .map(([value, { text, by }]) => {
        const isShared = [...by].some(([subject, principals]) => subject !== OWN && isKnown(principals));
        return { value, text, isShared };
      })
      .sort((a, b) => (a.value < b.value ? -1 : 1));
  }
}

/** A live row of a city as opt-outs see it: whose they are, what they say, and whether they teach. */
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
    const website = contactKey("website", seen.website, hashes.contact);
    const phone = contactKey("phone", seen.phone, hashes.contact);
    yield {
      ...teaching.of(stored),
      ...{ row, asset, name, seen, exact, input, website, phone },
      nameKey: nameKey(name),
      contacts: [website, phone].filter((key) => key !== undefined),
      place: anchorPlace({ ...input, ...exact }, hashes),
    };
  }
}

/** The entries that an opt-out adds to intake's list (docs/operations/privacy.md has the rules). Pure. */

/** How long a place alone counts: the next tenant did not ask. */
export const PLACE_OPT_OUT_DAYS = 365;

/** A name key, and where it is refused. */
export interface BannedName {
  readonly key: string;
  readonly reach: "city" | "places";
}

export interface OptedOut {
  readonly id: Buffer;
  readonly city: string;
  readonly names: readonly BannedName[];
  readonly places: readonly string[]; // as `placeOf` gives them
  readonly knownBy: KnownBy;
  /** What opts out: the whole record, or what stands at the places alone. */
  readonly isWhole: boolean;
  readonly assetType: AssetType | null; // the only type of asset that opts out
}

/** `now` in ms is when the opt-out begins. */
export function optOutEntries(optedOut: OptedOut, hashes: IntakeHashes, now: number): OptOutEntries {
  const { id, city, names } = optedOut;
  const keys = factKeys(city, hashes);
  const hash = wordHash(id, hashes);
  return {
    names: names.filter(({ reach }) => reach === "city").map(({ key }) => keys.name(key)),
    facts: names.length === 0 ? [] : facts(optedOut, keys, now),
    words: names.flatMap(({ key: name }, index) =>
      nameWords(name, hash).map(({ word, key }) => ({
        optOut: id,
        name: index,
        word,
        key: Buffer.from(key, "hex"),
      })),
    ),
  };
}

type Keys = ReturnType<typeof factKeys>;

function facts(optedOut: OptedOut, keys: Keys, now: number): OptOutFact[] {
  const { id, places, assetType } = optedOut;
  const fact = (weight: OptOutWeight, expiresAt: number | null) => (key: Buffer) => {
    return { key, optOut: id, weight, assetType, expiresAt };
  };
  const expiresAt = now + PLACE_OPT_OUT_DAYS * DAY_MS;
  return [
    ...places.map((at) => keys.place(at)).map(fact("place", expiresAt)),
    ...places.flatMap((at) => namesAt(optedOut, at, keys)).map(fact("all", null)),
    ...places.flatMap((at) => detailsAt(optedOut, at, keys)).map(fact("own", null)),
    ...ownDetails(optedOut, keys).map(fact("own", null)),
  ];
}

/** Names that are refused at a place and nowhere else. */
function namesAt({ names }: OptedOut, at: string, keys: Keys): Buffer[] {
  return names.filter(({ reach }) => reach === "places").map(({ key }) => keys.nameAt(key, at));
}

function detailsAt({ knownBy }: OptedOut, at: string, keys: Keys): Buffer[] {
  const { websites, phones, refs, addresses } = knownBy;
  return [
    ...[...websites, ...phones].map(({ value }) => keys.contactAt(value, at)),
    ...refs.map(({ value }) => keys.refAt(value, at)),
    ...addresses.map(({ value }) => keys.addressAt(value, at)),
  ];
}

/** What counts wherever it is seen: what many share never does, and neither do the contacts of a record that stays. */
function ownDetails({ knownBy, isWhole }: OptedOut, keys: Keys): Buffer[] {
  const { websites, phones, refs, addresses } = knownBy;
  const own = (values: readonly KnownValue[], key: (value: string) => Buffer) =>
    values.filter(({ isShared }) => !isShared).map(({ value }) => key(value));
  return [
    ...(isWhole ? own([...websites, ...phones], keys.contact) : []),
    ...own(refs, keys.ref),
    ...own(addresses, keys.address),
  ];
}

/** The entries of one opt-out by themselves. */
export function entriesSource({ names, facts: all, words }: OptOutEntries): OptOutSource {
  const refused = new Set(names.map((key) => key.toString("hex")));
  const byKey = Map.groupBy(all, ({ key }) => key.toString("hex"));
  return {
    hasOptOuts: () => true,
    isOptedOut: (key) => refused.has(key.toString("hex")),
    optOutFacts: (key, now) =>
      (byKey.get(key.toString("hex")) ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > now),
    optOutWords: () => words,
  };
}
