import { parseObservation } from "../intake/lines/observation-input.ts";
import { isMobile } from "../intake/matching/keyed-hash.ts";
import { INDUSTRY_TIE } from "../intake/naming/queue-namings.ts";
import { areNearNames } from "../intake/opt-outs/near-name.ts";
import { cityAt, cityFinder } from "../intake/places/place.ts";
import { nameKey } from "../kernel/text/name-key.ts";
import { DAY_MS, isoTime } from "../kernel/time.ts";
import type { AssetState, RecordState } from "../ledger/decisions/ledger-state.ts";
import type { DeskState } from "./desk-state.ts";
import { type HeldKind, heldBecause, heldKind } from "./held-reasons.ts";
import { independenceItems, setAsideItems } from "./independence.ts";
import { ITEM_KINDS, type Item, type ItemKind, type ItemSources, recordFacts } from "./item.ts";

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
export function byWaiting<T extends Pick<Item, "waits_since" | "item">>(items: readonly T[]): T[] {
  const order = ({ waits_since, item }: T) => `${waits_since} ${item}`;
  return [...items].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function ofRecords(state: DeskState, find: (record: RecordState) => Item | undefined): Item[] {
  return [...state.records.values()]
    .filter(({ merge }) => merge === undefined)
    .flatMap((record) => find(record) ?? []);
}

function about(kind: ItemKind, { id, acceptedAt, body }: RecordState, state: DeskState) {
  return {
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
  return { ...about("match", record, state), why, known };
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
  if (industry_method === "declared" && tie === undefined) return undefined;
  const why =
    tie !== undefined
      ? `observations ${tie.join(", ")} declare different industries, each with as many principals; ${industry} is shown`
      : industry === null
        ? "no industry is known"
        : `${industry} was proposed from its name and is not confirmed`;
  return { ...about("industry", record, state), why, known: recordFacts(record) };
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
  return held.map(({ key, day, reason, input }) => {
    const { name, lat, lng, source_type, asset_type, observed_at, website } = parseObservation(
      JSON.parse(input),
    );
    return {
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

/** Assets of which something counts, and nothing was seen for long that does, unless a reviewer decided about them since. */
function retireItems({ state, rows, now, stale }: ItemSources): Item[] {
  const seen = rows.lastSeen();
  return [...state.assets.values()].flatMap((asset) => {
    const last = seen.get(asset.id);
    if (last === undefined || state.isRetired(asset.id) || state.versionOf(asset.id) > last.row) return [];
    const days = isMobile(asset.body.asset_type) ? stale.staleMobileDays : stale.staleFixedDays;
    const since = Date.parse(last.observedAt) + days * DAY_MS;
    return since > now ? [] : [retireItem(asset, state, { since, lastSeen: last.observedAt, days })];
  });
}

function retireItem(
  asset: AssetState,
  state: DeskState,
  { since, lastSeen, days }: { since: number; lastSeen: string; days: number },
): Item {
  const { public_id, asset_type, record } = state.reassigned.owned(asset.id, asset.body);
  const owner = state.records.get(state.merges.root(record));
  return {
    item: `retire-${asset.id}`,
    kind: "retire",
    waits_since: isoTime(since),
    city: owner?.body.city ?? null,
    version: state.versionOf(asset.id),
    why: `its last observation that counts is of ${lastSeen.slice(0, "2026-05-01".length)}, more than ${days} days ago`,
    known: {
      row: asset.id,
      public_id,
      asset_type,
      last_seen: lastSeen,
      record: owner === undefined ? null : recordFacts(owner),
    },
  };
}
