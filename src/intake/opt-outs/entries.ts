/** The entries that an opt-out adds to intake's list (docs/operations/privacy.md has the rules). Pure. */
import type { AssetType } from "../../contract/enums.ts";
import { DAY_MS } from "../../kernel/time.ts";
import type {
  OptOutEntries,
  OptOutFact,
  OptOutSource,
  OptOutWeight,
} from "../../ledger/matching/intake-store.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { factKeys, wordHash } from "./judge.ts";
import type { KnownBy, KnownValue } from "./known-by.ts";
import { nameWords } from "./near-name.ts";

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
