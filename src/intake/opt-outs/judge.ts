import type { AssetType } from "../../contract/enums.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import type { OptOutFact, OptOutSource, OptOutWeight } from "../../ledger/matching/opt-outs.ts";
import type { NamedPending } from "../../ledger/matching/pending-lines.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { addressKey, nonBlank } from "../lines/contact.ts";
import { LineFault } from "../lines/fault.ts";
import { type IntakeHashes, readSighting, type Sighting } from "../lines/sighting.ts";
import type { KeyedHash } from "../matching/keyed-hash.ts";
import { assetRefKey, NOWHERE } from "../places/anchors.ts";
import { cityFinder } from "../places/place.ts";

/** Holds lines against opt-outs, by keyed hashes of what they can share with one: all are of one city, most of one place, too. */

const KEY_DIGITS = 32;

export type FactKeys = ReturnType<typeof factKeys>;

/** `at` is a place (see `placeOf`), `contact` a key of `contactKeys`, `ref` one of `assetRefKey`, `address` one of `addressKey`. */
export function factKeys(city: string, hashes: IntakeHashes) {
  const key = (...parts: string[]) =>
    Buffer.from(hashes.optOut(JSON.stringify([city, ...parts])).slice(0, KEY_DIGITS), "hex");
  return {
    name: (nameKey: string) => key(nameKey),
    place: (at: string) => key("place", at),
    nameAt: (nameKey: string, at: string) => key("name_at", nameKey, at),
    contact: (contact: string) => key("contact", contact),
    contactAt: (contact: string, at: string) => key("contact_at", contact, at),
    ref: (ref: string) => key("ref", ref),
    refAt: (ref: string, at: string) => key("ref_at", ref, at),
    address: (address: string) => key("address", address),
    addressAt: (address: string, at: string) => key("address_at", address, at),
  };
}

/** What opt-outs are compared with. */
export interface OptOutSubject extends Pick<Sighting, "nameKey" | "contacts" | "place"> {
  readonly input: Pick<Sighting["input"], "asset_type" | "asset_ref" | "address">;
}

/** The keys of all facts of a line. */
export function keysOf(sighting: OptOutSubject, keys: FactKeys, hashes: IntakeHashes): Buffer[] {
  const { input, nameKey, contacts, place } = sighting;
  const at = placeOf(place, input.asset_type);
  const ref = nonBlank(input.asset_ref);
  const address = nonBlank(input.address);
  const refs = ref === undefined ? [] : [assetRefKey(ref, hashes.sourceRef)];
  const addresses = address === undefined ? [] : [addressKey(address)];
  return [
    keys.place(at),
    keys.nameAt(nameKey, at),
    ...contacts.flatMap((contact) => [keys.contact(contact), keys.contactAt(contact, at)]),
    ...refs.flatMap((key) => [keys.ref(key), keys.refAt(key, at)]),
    ...addresses.flatMap((key) => [keys.address(key), keys.addressAt(key, at)]),
  ];
}

/** A place as opt-outs know it. Vehicles without a reference have their type in place of one. */
export function placeOf(place: string, assetType: AssetType): string {
  return place === NOWHERE ? `nowhere ${assetType}` : place;
}

/** The hash under which the words of an opt-out's names are kept. */
export function wordHash(optOut: Buffer, hashes: IntakeHashes): (spelling: string) => string {
  const id = optOut.toString("hex");
  return (spelling) => hashes.optOut(JSON.stringify(["word", id, spelling])).slice(0, KEY_DIGITS);
}

/** `refuse` the line, let it wait for `review`, or `pass` it: no opt-out concerns it. */
export type OptOutVerdict = "refuse" | "review" | "pass";

const CACHED_NAMES = 50_000;

/**
 * Holds lines against the opt-outs of their city (docs/operations/privacy.md has the rules). The only place that applies these
 * rules: when a line is accepted, when its day is taken in, and when an opt-out looks for pending lines. Owns caches, so it must
 * not outlive a change of the list.
 */
export class OptOutJudge {
  readonly #source: OptOutSource;
  readonly #hashes: IntakeHashes;
  readonly #now: number;
  readonly #keys = new Map<string, FactKeys>();
  readonly #names = new BoundedCache<string, boolean>(CACHED_NAMES);
  readonly hasOptOuts: boolean;

  /** `now` in ms decides which places have expired. */
  constructor(source: OptOutSource, hashes: IntakeHashes, now: number) {
    this.#source = source;
    this.#hashes = hashes;
    this.#now = now;
    this.hasOptOuts = source.hasOptOuts();
  }

  /** Throws LineFault for a line that an opt-out refuses. `city` is a slug. */
  refuse(sighting: OptOutSubject, city: string): Exclude<OptOutVerdict, "refuse"> {
    const verdict = this.judge(sighting, city);
    if (verdict !== "refuse") return verdict;
    throw new LineFault("opted_out", "name", "matches a record that has opted out in this city");
  }

  judge(sighting: OptOutSubject, city: string): OptOutVerdict {
    if (!this.hasOptOuts) return "pass";
    if (this.#isRefusedName(city, sighting.nameKey)) return "refuse";
    const facts = this.#factsOf(sighting, city);
    if (facts.some(({ weight }) => weight === "all")) return "refuse";
    const verdicts = byOptOut(facts)
      .filter(([optOut]) => this.#isNear(optOut, sighting.nameKey))
      .map(([, weights]) => verdictOf(weights));
    return verdicts.includes("refuse") ? "refuse" : verdicts.includes("review") ? "review" : "pass";
  }

  #isRefusedName(city: string, nameKey: string): boolean {
    return this.#names.take(`${city} ${nameKey}`, () =>
      this.#source.isOptedOut(this.#keysIn(city).name(nameKey)),
    );
  }

  #factsOf(sighting: OptOutSubject, city: string): OptOutFact[] {
    return keysOf(sighting, this.#keysIn(city), this.#hashes)
      .flatMap((key) => this.#source.optOutFacts(key, this.#now))
      .filter(({ assetType }) => assetType === null || assetType === sighting.input.asset_type);
  }

  #isNear(optOut: Buffer, nameKey: string): boolean {
    const words = nameWords(nameKey, wordHash(optOut, this.#hashes));
    const names = Map.groupBy(this.#source.optOutWords(optOut), ({ name }) => name);
    return [...names.values()].some((name) =>
      areNear(
        name.map(({ word, key }) => ({ word, key: key.toString("hex") })),
        words,
      ),
    );
  }

  #keysIn(city: string): FactKeys {
    const known = this.#keys.get(city) ?? factKeys(city, this.#hashes);
    this.#keys.set(city, known);
    return known;
  }
}

/** What a near name's other matches come to. */
function verdictOf(weights: ReadonlySet<OptOutWeight>): OptOutVerdict {
  if (weights.has("own")) return "refuse";
  return weights.has("place") ? "review" : "pass";
}

function byOptOut(facts: readonly OptOutFact[]): [Buffer, ReadonlySet<OptOutWeight>][] {
  const groups = Map.groupBy(facts, ({ optOut }) => optOut.toString("hex"));
  return [...groups].map(([id, group]) => [
    Buffer.from(id, "hex"),
    new Set(group.map(({ weight }) => weight)),
  ]);
}

/** Pending lines by what an opt-out does to them; those that it does not concern are left out. */
export interface JudgedLines {
  readonly refused: readonly NamedPending[];
  readonly review: readonly NamedPending[];
}

/** Holds all pending lines, those of reviewers included, against the opt-outs of a source. */
export function judgedLines(ledger: LedgerWriter, source: OptOutSource, hashes: IntakeHashes): JudgedLines {
  const now = ledger.now();
  const judge = new OptOutJudge(source, hashes, now);
  const cityOf = cityFinder(ledger.intake.cities());
  const verdict = ({ input }: NamedPending): OptOutVerdict => {
    const sighting = readSighting(1, JSON.parse(input), hashes, now);
    const city = cityOf(sighting.cell);
    return city === undefined ? "pass" : judge.judge(sighting, city.slug);
  };
  const refused: NamedPending[] = [];
  const review: NamedPending[] = [];
  for (const line of ledger.pending.all()) {
    const found = verdict(line);
    if (found === "refuse") refused.push(line);
    if (found === "review") review.push(line);
  }
  return { refused, review };
}

/**
 * Near names: one has all words of the other, in any order, each at most misspelled, or one is at most a misspelling of the other
 * when both are written as one word. Two words are a misspelling of each other when leaving out one letter, in one of them or in
 * both, makes them equal; words of up to three letters must be equal. The sets of what is left can be compared as keyed hashes, so an
 * opted-out name is never stored. Pure.
 */

/** Shorter words are equal or different: at three letters one letter makes another name. */
const MIN_MISSPELLED_LETTERS = 4;
const FILLERS: ReadonlySet<string> = new Set(["and"]);
/** Stands for all words of a name written as one. */
export const JOINED = -1;

export interface NameWord {
  readonly word: number;
  readonly key: string; // hexadecimal
}

/** The hashed spellings of each word of a name key, and of the words written as one. */
export function nameWords(nameKey: string, hash: KeyedHash): NameWord[] {
  const words = wordsOf(nameKey);
  const keyed = (text: string, word: number) =>
    spellings(text).map((spelling) => ({ word, key: hash(spelling) }));
  return [...words.flatMap(keyed), ...keyed(words.join(""), JOINED)];
}

/** Whether two name keys are near. */
export function areNearNames(one: string, other: string): boolean {
  const plain = (spelling: string) => spelling;
  return areNear(nameWords(one, plain), nameWords(other, plain));
}

/** Whether two names are near, given the hashed spellings of both under one hash. */
export function areNear(one: readonly NameWord[], other: readonly NameWord[]): boolean {
  const [first, second] = [byKey(one), byKey(other)];
  return covers(first, other) || covers(second, one);
}

type Words = ReadonlyMap<string, ReadonlySet<number>>;

function byKey(words: readonly NameWord[]): Words {
  const keys = new Map<string, Set<number>>();
  for (const { word, key } of words) keys.set(key, (keys.get(key) ?? new Set()).add(word));
  return keys;
}

/** Whether each word of a name has a spelling among those of another name's words, or the joined words do. */
function covers(known: Words, name: readonly NameWord[]): boolean {
  const found = new Set(name.filter(({ word, key }) => isKnown(known, word, key)).map(({ word }) => word));
  if (found.has(JOINED)) return true;
  const all = new Set(name.map(({ word }) => word).filter((word) => word !== JOINED));
  return all.size > 0 && [...all].every((word) => found.has(word));
}

/** Words compare with words, joined names with joined names. */
function isKnown(known: Words, word: number, key: string): boolean {
  const words = known.get(key);
  if (words === undefined) return false;
  return word === JOINED ? words.has(JOINED) : [...words].some((each) => each !== JOINED);
}

function wordsOf(nameKey: string): string[] {
  const words = nameKey.split(" ").filter((word) => word !== "");
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

/** The word itself, and it without each one of its letters. */
function spellings(word: string): string[] {
  const letters = Array.from(word);
  if (letters.length < MIN_MISSPELLED_LETTERS) return [word];
  return [...new Set([word, ...letters.map((_, at) => letters.toSpliced(at, 1).join(""))])];
}
