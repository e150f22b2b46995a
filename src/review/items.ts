import { type ObservationInput, parseObservation } from "../intake/lines/observation-input.ts";
import { INDUSTRY_TIE } from "../intake/naming/queue-namings.ts";
import { areNearNames } from "../intake/opt-outs/judge.ts";
import { cityAt, cityFinder } from "../intake/places/place.ts";
import { isLasting } from "../intake/sources/principals.ts";
import { type DrawSample, setAsideSample } from "../intake/sources/tally.ts";
import { OperatorError } from "../kernel/errors.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { cityDate, isoTime, utcDayStart } from "../kernel/time.ts";
import type { RecordState } from "../ledger/decisions/ledger-state.ts";
import type { HeldLine } from "../ledger/matching/pending-lines.ts";
import type { DeskRows } from "../ledger/rows/desk-rows.ts";
import { BATCH_UNDONE } from "../ledger/rows/rows.ts";
import type { ItemOutcome, RaisedItem, SetAsideReview } from "../ledger/sources/source-store.ts";
import type { SetAsideObservation } from "../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import {
  type AskOfAsset,
  type AssetConflict,
  assetConflicts,
  type DisputedAsset,
} from "./asset-conflicts.ts";
import type { DeskState } from "./desk-state.ts";
import { assertMove, type HeldKind, heldBecause, heldKind } from "./moves.ts";

/** What an item is about: rows of the ledger, or a held line, which has none. */
export interface About {
  readonly record?: number | undefined;
  /** Records that it may be the same as. */
  readonly candidates?: readonly number[] | undefined;
  readonly asset?: number | undefined;
  readonly observations?: readonly number[] | undefined;
  readonly line?: { readonly held: HeldLine; readonly input: ObservationInput } | undefined;
  /** Of a check of independence, or the reason why a line is held. */
  readonly check?: string | undefined;
}

/** A task for a reviewer. Ids are stable: they name the row, or for a held line the keyed hash of its reference. */
export interface Item {
  readonly item: string;
  readonly kind: ItemKind;
  readonly waits_since: string; // ISO, UTC
  readonly city: string | null; // slug
  /** The last row about its subject, for `--expect`; null for a held line, which has no row. */
  readonly version: number | null;
  readonly why: string;
  readonly about: About;
  /** More that a reviewer should see, in words. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly known: Readonly<Record<string, unknown>>;
}

export const ITEM_KINDS = [
  "match",
  "industry",
  "generic-name",
  "damaged-name",
  "private-name",
  "opt-out",
  "integrity",
  "retire",
  "set-aside",
  "independence",
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

export interface ItemSources {
  readonly state: DeskState;
  readonly rows: DeskRows;
  readonly now: number; // ms
  readonly assetConflict: AskOfAsset;
  /** Which of the set-aside observations are listed: a random sample of each month, or all of them. */
  readonly setAside: DrawSample | "all";
}

export function recordFacts({
  id,
  body,
  name,
  website,
  naming,
}: RecordState): Readonly<Record<string, unknown>> {
  const { industry = null, industry_method = "unclassified" } = naming ?? {};
  return { row: id, public_id: body.public_id, name, website, industry, industry_method };
}

const FINDERS: Readonly<Record<ItemKind, (sources: ItemSources) => Item[]>> = {
  match: ({ state }) => ofRecords(state, (record) => matchItem(record, state)),
  industry: industryItems,
  "generic-name": (sources) => heldItems("generic-name", sources),
  "damaged-name": (sources) => heldItems("damaged-name", sources),
  "private-name": (sources) => heldItems("private-name", sources),
  "opt-out": (sources) => heldItems("opt-out", sources),
  integrity: ({ state }) => ofRecords(state, (record) => integrityItem(record, state)),
  retire: retireItems,
  "set-aside": setAsideItems,
  independence: independenceItems,
};

/** The longest waiting first. */
export function waitingItems(sources: ItemSources, kinds: readonly ItemKind[] = ITEM_KINDS): Item[] {
  return byWaiting(kinds.flatMap((kind) => FINDERS[kind](sources)));
}

/** The longest waiting first, then by id. */
export function byWaiting<
  T extends Pick<Item, "waits_since"> & ({ readonly item: string } | { readonly id: string }),
>(items: readonly T[]): T[] {
  const order = (each: T) => `${each.waits_since} ${"item" in each ? each.item : each.id}`;
  return [...items].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function ofRecords(state: DeskState, find: (record: RecordState) => Item | undefined): Item[] {
  return [...state.records.values()]
    .filter(({ merge }) => merge === undefined)
    .flatMap((record) => find(record) ?? []);
}

function about(
  kind: ItemKind,
  { id, acceptedAt, body }: RecordState,
  state: DeskState,
  more: Omit<About, "record"> = {},
) {
  return {
    about: { record: id, ...more },
    item: `${kind}-${id}`,
    kind,
    waits_since: isoTime(acceptedAt),
    city: body.city,
    version: state.versionOf(id),
  };
}

function matchItem(record: RecordState, state: DeskState): Item | undefined {
  if (!record.isMatchWaiting) return undefined;
  const candidates = matchCandidates(record, state);
  // One item a pair: the later record's, where each is a candidate of the other.
  const own = candidates.filter((other) => other.id < record.id || !isAskedAt(other, record, state));
  if (own.length === 0 && candidates.length > 0) return undefined;
  const why =
    own.length === 0 ? "its match candidates are gone" : own.map((each) => alike(record, each)).join("; ");
  const known = { ...recordFacts(record), candidates: own.map(recordFacts) };
  return { ...about("match", record, state, { candidates: own.map(({ id }) => id) }), why, known };
}

/**
 * The records that a record may be the same as, as they stand now: those that intake found, without those that it was joined with, that
 * it is kept apart from, or whose own question about it was settled.
 */
export function matchCandidates({ id }: RecordState, state: DeskState): RecordState[] {
  const roots = rootsOfCandidates(id, state).filter((root) => root !== id);
  return roots
    .flatMap((root) => state.records.get(root) ?? [])
    .filter((other) => state.apart.between(id, other.id, state.merges).length === 0)
    .filter((other) => !(other.isMatchSettled && rootsOfCandidates(other.id, state).includes(id)));
}

export function rootsOfCandidates(record: number, state: DeskState): number[] {
  return [...new Set(state.candidatesOf(record).map((candidate) => state.merges.root(candidate)))];
}

function isAskedAt(record: RecordState, other: RecordState, state: DeskState): boolean {
  return record.isMatchWaiting && matchCandidates(record, state).includes(other);
}

/** Why intake proposes that two records are one. */
function alike({ name }: RecordState, { name: other, body }: RecordState): string {
  const what = `${body.public_id} ("${other}")`;
  if (nameKey(name) === nameKey(other)) return `${what} has its name, and shares a contact with it`;
  if (areNearNames(nameKey(name), nameKey(other))) return `${what} has a name near to its own at its place`;
  return `${what} shares its place and a contact, under another name`;
}

function industryItems({ state, rows }: ItemSources): Item[] {
  const raised = rows.raisedItems().filter(({ check }) => check === INDUSTRY_TIE);
  const ties = new Map(raised.map((item) => [item.record, item.rows]));
  return ofRecords(state, (record) => industryItem(record, state, ties.get(record.id)));
}

/** `tie` are rows that declare industries of which none has more principals than the others. */
function industryItem(
  record: RecordState,
  state: DeskState,
  tie: readonly number[] | undefined,
): Item | undefined {
  const { industry = null, industry_method = "unclassified" } = record.naming ?? {};
  if (record.isIndustryReviewed || record.status === "dissolved") return undefined;
  // Nobody is asked about what is unknown: it stays unclassified until somebody says what it is.
  if (industry_method !== "name_rule" && tie === undefined) return undefined;
  const why =
    tie !== undefined
      ? `observations ${tie.join(", ")} declare different industries, each with as many principals; ${industry} is shown`
      : `${industry} was proposed from its name and is not confirmed`;
  return {
    ...about("industry", record, state, tie === undefined ? {} : { observations: tie, check: INDUSTRY_TIE }),
    why,
    known: recordFacts(record),
  };
}

function integrityItem(record: RecordState, state: DeskState): Item | undefined {
  const flag = record.flaggedBy;
  if (flag === undefined) return undefined;
  const known = { ...recordFacts(record), flagged_by: flag.body.reviewer, reason: flag.body.reason };
  return {
    ...about("integrity", record, state),
    waits_since: isoTime(flag.acceptedAt),
    why: `flagged by row ${flag.id} (${flag.body.reason}): it is not ranked until it is unflagged`,
    known,
  };
}

/** The slug of the city that has a held line's place. */
export function cityOfLine(input: string, state: DeskState): string | undefined {
  const { lat, lng } = parseObservation(JSON.parse(input));
  return cityAt(cityFinder(state.cities.values()), lat, lng)?.slug;
}

/** Those that no reviewer has decided about yet. */
function heldItems(kind: HeldKind, { state, rows }: ItemSources): Item[] {
  const held = rows.heldLines().filter((line) => line.state === "held" && heldKind(line.reason) === kind);
  if (held.length === 0) return [];
  const cityOf = cityFinder(state.cities.values());
  return held.map((line) => {
    const { key, day, reason } = line;
    const input = parseObservation(JSON.parse(line.input));
    const { name, lat, lng, source_type, asset_type, observed_at, website } = input;
    return {
      about: { line: { held: line, input }, check: reason },
      item: `${kind}-${key}`,
      kind,
      waits_since: isoTime(day),
      city: cityAt(cityOf, lat, lng)?.slug ?? null,
      version: null,
      why: `intake held the line (${reason}): ${heldBecause(reason)}`,
      known: { name, source_type, asset_type, observed_at, lat, lng, website: website ?? null },
    };
  });
}

const CONFLICTS: Readonly<Record<AssetConflict, string>> = {
  seen_since_retired: "a reviewer retired it, and it was seen since",
  reported_by_one:
    "one observer alone still reports it, and others looked at its area in several months since they saw it last",
};

function retireItems({ state, rows, now, assetConflict }: ItemSources): Item[] {
  return assetConflicts({ state, rows }, (reports, lng) => assetConflict(reports, { now, lng })).map(
    (found) => conflictItem(found, state),
  );
}

function conflictItem({ asset, owner, conflict, seen }: DisputedAsset, state: DeskState): Item {
  const { public_id, asset_type } = asset.body;
  const lastSeen = Math.max(...seen.map(({ observedAt }) => Date.parse(observedAt)));
  return {
    item: `retire-${asset.id}`,
    kind: "retire",
    waits_since: isoTime(lastSeen),
    city: owner.body.city,
    version: state.versionOf(asset.id),
    about: { asset: asset.id, record: owner.id, check: conflict },
    facts: { sign: `${asset_type} ${public_id}` },
    why: CONFLICTS[conflict],
    known: { row: asset.id, public_id, asset_type, last_seen: isoTime(lastSeen), record: recordFacts(owner) },
  };
}

/** Decisions about what checks of independence found. They are private, so they append no row. */

/** What the decisions need of the ledger. */
type Decidable = Pick<LedgerWriter, "sources" | "now">;

const MOVE_NAMES = { confirmed: "confirm", restored: "restore" } as const;

/** True when the decision is new. Throws OperatorError for a row that no check set aside, or whose reason ends by itself. */
export function reviewSetAside(ledger: Decidable, row: number, review: SetAsideReview): boolean {
  const known = ledger.sources.setAside().get(row);
  if (known === undefined) throw new OperatorError(`row ${row}: no check set it aside`);
  if (!isLasting(known.check))
    throw new OperatorError(
      `row ${row} is set aside because its observer is ${known.check}: that ends with \`presence observer resume\` or \`presence affiliation remove\``,
    );
  if (known.review === review) return false;
  assertMove("set-aside observation", MOVE_NAMES[review], known.review ?? "set_aside", `observation ${row}`);
  ledger.sources.reviewSetAside(row, review, utcDayStart(ledger.now()));
  return true;
}

const OUTCOME_MOVES = { handled: "handle", harmless: "dismiss" } as const;

/** True when the item was open. Throws OperatorError for an unknown item, and for one that was closed with another outcome. */
export function closeItem(
  { sources }: Pick<Decidable, "sources">,
  key: string,
  outcome: ItemOutcome,
): boolean {
  const known = sources.outcomeOf(key);
  if (known === undefined) throw new OperatorError(`independence-${key}: no such item was raised`);
  if (known === outcome) return false;
  assertMove("raised item", OUTCOME_MOVES[outcome], known ?? "open", `independence-${key}`);
  sources.closeItem(key, outcome);
  return true;
}

/** What checks of independence found. The reasons are private: reviewers see them, the ledger never does. */

/** Set-aside observations that no reviewer has judged. Reasons that pass by themselves need no review. */
export function setAsideItems({ state, rows, setAside: draw }: ItemSources): Item[] {
  const observations = rows.setAside();
  const listed = draw === "all" ? undefined : setAsideSample(observations, draw);
  return observations
    .filter(({ row, check, review }) => review === null && isLasting(check) && listed?.has(row) !== false)
    .map((observation) => setAsideItem(observation, state));
}

function setAsideItem({ row, check, day, facts }: SetAsideObservation, state: DeskState): Item {
  const { record, asset, asset_type, city, observed_at, source_type } = facts;
  const seenOn = cityDate(Date.parse(observed_at), state.cities.get(city)?.details.lng ?? 0);
  return {
    item: `set-aside-${row}`,
    kind: "set-aside",
    waits_since: isoTime(day),
    city,
    version: state.versionOf(row),
    about: { record: state.merges.root(record), observations: [row], check },
    facts: { "seen on": seenOn, by: source_type, sign: asset_type },
    why: `${checkWords(check)}: it does not count until it is restored`,
    known: {
      row,
      check,
      ...recordKnown(record, state),
      asset: state.assets.get(asset)?.body.public_id ?? asset,
      asset_type,
      source_type,
      observed_on: observed_at,
    },
  };
}

/** Items that checks raised about several observations. */
export function independenceItems({ state, rows }: ItemSources): Item[] {
  return rows
    .raisedItems()
    .filter(({ check }) => check !== INDUSTRY_TIE)
    .map((raised) => independenceItem(raised, state));
}

function independenceItem({ key, check, record, rows, day }: RaisedItem, state: DeskState): Item {
  return {
    item: `independence-${key}`,
    kind: "independence",
    waits_since: isoTime(day),
    city: record === null ? null : (state.records.get(state.merges.root(record))?.body.city ?? null),
    version: null,
    about: { record: record === null ? undefined : state.merges.root(record), observations: rows, check },
    why: `${checkWords(check)}, in ${rows.length} observation${rows.length === 1 ? "" : "s"}`,
    known: { check, ...(record !== null && recordKnown(record, state)), rows },
  };
}

function recordKnown(row: number, state: DeskState): Readonly<Record<string, unknown>> {
  const record = state.records.get(state.merges.root(row));
  return record === undefined ? {} : { name: record.name, record: recordFacts(record) };
}

/** A check in words, with its code. */
export function checkWords(check: string): string {
  return `${WORDS[check] ?? check} (${check})`;
}

export const WORDS: Readonly<Record<string, string>> = {
  cannot_see: "its source can hardly see such an asset",
  clock: "it was received long before or after it was made",
  exact_copy: "it copies an earlier observation exactly",
  same_media: "an earlier observation has the same media file",
  near_media: "an earlier observation has nearly the same picture",
  same_look: "the same principal saw the same asset minutes before",
  impossible_travel: "nobody travels that fast",
  co_travel: "two observers go the same ways at the same times",
  burst: "many new observers came to one record at once",
  ring: "a few observers see each other's records, and nobody else does",
  [BATCH_UNDONE]: "its batch was undone",
  copied_public: "an observer repeats what was published before",
};
