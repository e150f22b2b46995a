import type { ConfidenceLabel } from "../../contract/enums.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { isoDate, solarDayStart } from "../../kernel/time.ts";
import { type AsOf, dateOfDay } from "../numbers.ts";
import { industryState, isIndependent } from "../standing/counting.ts";
import { isLive, type JudgedSighting, type LookedMonths, type Spell, staleAfterDays } from "../types.ts";
import { eventConfidence, strongestState } from "./confidence.ts";
import {
  type ChangeEventFacts,
  type EventAsset,
  type EventRecord,
  eventText,
  newestOf,
  type Occurrence,
  type Seen,
} from "./event-types.ts";

/**
 * Finds when an asset went stale, as knowable at the time: the last sighting that counted then is old enough, and for a fixed asset
 * the row of a later month says that its cell was looked at. Nobody looks for one vehicle: a mobile asset is stale by age alone.
 * What is published or decided later does not undo it. What came from another record or asset was stale there, if it was before.
 */
export function staleOccurrences(
  asset: EventAsset,
  seen: readonly Seen[],
  looks: LookedMonths,
  asOf: AsOf,
): Occurrence[] {
  return lastSeen(seen, asOf).flatMap(({ last: { sighting, from, isMoved }, since, until }) => {
    const stale = staleSince(asset, sighting, looks, asOf);
    const detectedAt = Math.max(stale, from, since);
    const stands = detectedAt < until && isLive(sighting, asOf) && !isRetired(asset, detectedAt);
    if (!stands || (isMoved && stale <= from)) return [];
    const lookedMonths = monthsBefore(until, sighting, looks);
    const evidence = seen.filter((each) => each.from <= detectedAt);
    return [
      { type: "stale_asset", detectedAt, asset, since: dateOfDay(sighting.day), evidence, lookedMonths },
    ];
  });
}

interface LastSeen {
  readonly last: Seen;
  readonly since: number; // ms: publication from which it was the last one
  until: number;
}

/** What was the asset's last sighting that counted, in the order of time. The earliest published of a day stands for it. */
function lastSeen(seen: readonly Seen[], asOf: AsOf): LastSeen[] {
  const entering = seen.toSorted((a, b) => a.from - b.from || liveFirst(a, b, asOf));
  const byTime = Map.groupBy(entering, ({ from }) => from);
  const ends = seen.map(({ until }) => until).filter((until) => until < Number.POSITIVE_INFINITY);
  const lasts: LastSeen[] = [];
  for (const time of [...new Set([...byTime.keys(), ...ends])].sort((a, b) => a - b)) {
    const before = lasts.at(-1);
    // Of those that counted before, the last one is enough, until it counts no more.
    const lasting = before !== undefined && before.last.until > time;
    const known = lasting ? [before.last] : entering.filter(({ from }) => from < time);
    const last = latest([...known, ...(byTime.get(time) ?? [])], time);
    if (before?.last === last) continue;
    if (before !== undefined) before.until = Math.min(before.until, time);
    if (last !== undefined) lasts.push({ last, since: time, until: Number.POSITIVE_INFINITY });
  }
  return lasts;
}

function liveFirst({ sighting: a }: Seen, { sighting: b }: Seen, asOf: AsOf): number {
  return Number(isLive(b, asOf)) - Number(isLive(a, asOf)) || a.id - b.id;
}

/** The one of the latest day that counts at a time; the first of equal ones. */
function latest(seen: readonly Seen[], time: number): Seen | undefined {
  return seen.reduce<Seen | undefined>(
    (last, each) =>
      each.until > time && (last === undefined || each.sighting.day > last.sighting.day) ? each : last,
    undefined,
  );
}

/** Time when an asset with the last sighting `last` became stale; Infinity for a fixed one whose cell was not looked at since. */
function staleSince(
  asset: EventAsset,
  last: JudgedSighting,
  looks: LookedMonths,
  { offsetHours }: AsOf,
): number {
  const unseen = solarDayStart(last.day + staleAfterDays(asset.assetType), offsetHours);
  if (!last.fine) return unseen;
  const looked = looks.after(last.day, last.cell).map(({ publishedAt }) => publishedAt);
  return Math.max(unseen, Math.min(Number.POSITIVE_INFINITY, ...looked));
}

/** In how many months the cell of a last sighting was looked at since, as published before a time. */
function monthsBefore(time: number, { fine, day, cell }: JudgedSighting, looks: LookedMonths) {
  return fine ? looks.after(day, cell).filter(({ publishedAt }) => publishedAt < time).length : undefined;
}

function isRetired({ retirements }: EventAsset, at: number): boolean {
  const decided = retirements.filter((retirement) => retirement.at <= at).sort((a, b) => a.at - b.at);
  return decided.at(-1)?.retired ?? false;
}

/** What decisions changed of what counts for which record; without it the present has always been. */
export interface EventHistory {
  /** Of the sightings that decisions concern. */
  readonly spells: ReadonlyMap<number, readonly Spell[]>;
  /** Record that is not listed, because it was merged or all it had was moved -> the record that stands for it now. */
  readonly roots: ReadonlyMap<number, number>;
}

const UNCHANGED: EventHistory = { spells: new Map(), roots: new Map() };

interface City {
  readonly assets: ReadonlyMap<number, EventAsset>;
  readonly looks: LookedMonths;
  readonly asOf: AsOf;
}

/**
 * Returns a city's change events detected by `asOf`, newest first, ties by id. Existence, time and subject of an event follow from
 * what counted, by what was published then. Later decisions reduce its evidence and confidence; only a redaction removes it.
 */
export function cityEvents(
  records: readonly EventRecord[],
  looks: LookedMonths,
  asOf: AsOf,
  history: EventHistory = UNCHANGED,
): ChangeEventFacts[] {
  const assets = new Map(records.flatMap((record) => record.assets.map((asset) => [asset.id, asset])));
  const city = { assets, looks, asOf };
  const decided = Map.groupBy(
    records.flatMap((record) => decidedAt(record, history)),
    ({ record }) => record,
  );
  const merged = Map.groupBy(history.roots.keys(), (record) => history.roots.get(record));
  const events = new Map<string, ChangeEventFacts>();
  for (const record of records) {
    const seen = [...undecidedAt(record, history), ...(decided.get(record.id) ?? [])];
    const others = merged.get(record.id) ?? [];
    const occurrences = [
      ...newRecord(seen, asOf),
      ...digitalGaps(record, seen),
      ...[seen, ...others.map((id) => decided.get(id) ?? [])].flatMap((each) => ofAssets(each, city)),
    ];
    for (const event of occurrences.map((occurrence) => eventOf(record, occurrence))) {
      const known = events.get(event.id)?.detectedAt ?? Number.POSITIVE_INFINITY;
      if (event.detectedAt <= asOf.ms && event.detectedAt < known) events.set(event.id, event);
    }
  }
  return [...events.values()].sort((a, b) => b.detectedAt - a.detectedAt || (a.id < b.id ? -1 : 1));
}

/** The record's sightings that no decision concerns: those that count have done so since they were published. */
function undecidedAt({ id, sightings }: EventRecord, { spells }: EventHistory): Seen[] {
  return sightings
    .filter((sighting) => isIndependent(sighting) && !spells.has(sighting.id))
    .map((sighting) => ({
      sighting,
      record: id,
      asset: sighting.asset,
      from: sighting.publishedAt,
      until: Number.POSITIVE_INFINITY,
      isMoved: false,
      isStill: true,
    }));
}

/** The others, at whatever records they counted. */
function decidedAt({ id, sightings }: EventRecord, { spells, roots }: EventHistory): Seen[] {
  return sightings.flatMap((sighting) =>
    (spells.get(sighting.id) ?? []).map((spell) => {
      const isHere = (roots.get(spell.record) ?? spell.record) === id && spell.asset === sighting.asset;
      return { ...spell, sighting, isStill: isHere && isIndependent(sighting) };
    }),
  );
}

/** When something first counted; Infinity if nothing ever did. */
function firstOf(seen: readonly Seen[]): number {
  return seen.reduce((first, { from }) => Math.min(first, from), Number.POSITIVE_INFINITY);
}

/** What counted first; empty where nothing of it is live, or where it was told of before, at another record or asset. */
function news(seen: readonly Seen[], asOf: AsOf): Seen[] {
  const first = firstOf(seen);
  const evidence = seen.filter(({ from }) => from === first);
  const isNews =
    evidence.some(({ sighting }) => isLive(sighting, asOf)) && !evidence.some(({ isMoved }) => isMoved);
  return isNews ? evidence : [];
}

function newRecord(seen: readonly Seen[], asOf: AsOf): Occurrence[] {
  const evidence = news(seen, asOf);
  if (evidence.length === 0) return [];
  return [{ type: "new_public_record", detectedAt: firstOf(evidence), asset: undefined, evidence }];
}

function ofAssets(seen: readonly Seen[], { assets, looks, asOf }: City): Occurrence[] {
  const recordFirst = firstOf(seen);
  return [...Map.groupBy(seen, ({ asset }) => asset)].flatMap(([id, own]) => {
    const asset = assets.get(id);
    if (asset === undefined) return [];
    return [
      ...newAsset(asset, own, recordFirst, { looks, asOf }),
      ...staleOccurrences(asset, own, looks, asOf),
    ];
  });
}

/** One event per asset: always for vehicle wraps, otherwise only if something of the record counted before. */
function newAsset(
  asset: EventAsset,
  seen: readonly Seen[],
  recordFirst: number,
  { looks, asOf }: Pick<City, "looks" | "asOf">,
): Occurrence[] {
  const evidence = news(seen, asOf);
  const detectedAt = firstOf(evidence);
  const isWrap = asset.assetType === "vehicle_wrap";
  if (evidence.length === 0 || (!isWrap && detectedAt <= recordFirst)) return [];
  const type = isWrap ? "new_wrapped_fleet_asset" : "new_observed_asset";
  const last = latest(
    seen.filter(({ isStill }) => isStill),
    asOf.ms,
  );
  const lookedMonths = last && monthsBefore(Number.POSITIVE_INFINITY, last.sighting, looks);
  return [{ type, detectedAt, asset, evidence, lookedMonths }];
}

/**
 * Detects a gap when a check returns `none` and the definite one before did not, once something of the record counts, unless a check
 * has found something until then.
 */
function digitalGaps({ checks }: EventRecord, seen: readonly Seen[]): Occurrence[] {
  const first = firstOf(seen);
  const definite = checks
    .filter(({ verdict }) => verdict !== "unknown")
    .sort((a, b) => a.checkedAt - b.checkedAt);
  return definite.flatMap(({ checkedAt, verdict }, index) => {
    if (verdict !== "none" || definite[index - 1]?.verdict === "none") return [];
    const since = isoDate(checkedAt);
    const end = definite.findIndex((later, at) => at > index && later.verdict !== "none");
    const detectedAt = Math.max(checkedAt, first);
    if (detectedAt >= (definite[end]?.checkedAt ?? Number.POSITIVE_INFINITY)) return [];
    const evidence = seen.filter(({ from }) => from <= detectedAt);
    const laterChecks = (end === -1 ? definite.length : end) - index - 1;
    return [{ type: "digital_gap_detected", detectedAt, asset: undefined, since, evidence, laterChecks }];
  });
}

function eventOf(record: EventRecord, occurrence: Occurrence): ChangeEventFacts {
  const { type, detectedAt, asset, since, lookedMonths, laterChecks = 0 } = occurrence;
  const still = occurrence.evidence.filter(({ isStill }) => isStill).map(({ sighting }) => sighting);
  const evidence = [...new Set(still)];
  const strongest = strongestState(evidence.map(({ state }) => state));
  const observers = new Set(evidence.map(({ observer }) => observer)).size;
  const certainty = { strongest, observers, monthsLooked: lookedMonths ?? 0, laterChecks };
  return {
    id: eventId(type, asset?.publicId ?? record.publicId, since),
    type,
    detectedAt,
    record: record.id,
    recordPublicId: record.publicId,
    recordName: record.name,
    industry: record.industry.code,
    asset: asset?.id ?? null,
    assetPublicId: asset?.publicId ?? null,
    assetType: asset?.assetType ?? null,
    confidence: eventConfidence(type, certainty),
    label: labelOf(record, occurrence, evidence.length),
    evidenceCount: evidence.length,
    state: newestOf(evidence)?.state ?? null,
    strongestState: strongest,
    observerCount: observers,
    monthsLooked: lookedMonths ?? null,
    ...eventText(record, occurrence, evidence),
  };
}

/**
 * Id of an event from its type, its subject and, where there can be several, the day of what it follows from: that of the last
 * sighting, or of the check. No decision moves any of them, so a subscriber hears of an event once.
 */
function eventId(type: string, subject: string, since: string | undefined): string {
  const parts = since === undefined ? [type, subject] : [type, subject, since];
  return `evt_${sha256Hex(canonicalJson(parts)).slice(0, 24)}`;
}

/** Apart from the confidence: a corroborated sighting under review is still corroborated. */
function labelOf(
  { matchUnderReview, industry }: EventRecord,
  { type }: Occurrence,
  evidenceCount: number,
): ConfidenceLabel {
  if (matchUnderReview || industryState(industry) === "review" || evidenceCount === 0) return "review_needed";
  return type === "stale_asset" || type === "digital_gap_detected" ? "derived" : "ledger";
}
