import { type RowRanges, rowRanges } from "../../contract/ledger/ledger.ts";
import { solarDayNumber } from "../../kernel/time.ts";
import type { AssetState, CityState } from "../../ledger/decisions/ledger-state.ts";
import { eligibleCells } from "../../ledger/looks.ts";
import type { OnlineCheck } from "../../ledger/outside-tree.ts";
import { accepted, datingEvidence } from "../../method/citation.ts";
import { cellCounts, cityCoverage } from "../../method/coverage/coverage.ts";
import type { CoverageSighting } from "../../method/coverage/coverage-window.ts";
import { type ChangeEventFacts, newestOf } from "../../method/events/event-types.ts";
import { cityEvents } from "../../method/events/events.ts";
import { type AsOf, asOfAt } from "../../method/numbers.ts";
import { cityHistories, type HistoryPoint } from "../../method/record-track.ts";
import {
  cityStandings,
  compareCityIndex,
  type Standing,
  standingAlone,
} from "../../method/standing/standing.ts";
import { judge } from "../../method/standing/verification.ts";
import {
  assetState,
  type JudgedSighting,
  LookedMonths,
  type LookRow,
  legibilityScore,
  type RecordFacts,
} from "../../method/types.ts";
import { type CarriedCity, carriedScores } from "../mend/carried-city.ts";
import type { AssetRow, CityCoverage } from "../rows.ts";
import type { CityAccuracy } from "./city-accuracy.ts";
import type { CityFacts } from "./city-facts.ts";
import type { ShownRecord } from "./ledger-fold.ts";
import type { ListedRecord } from "./listing.ts";

export interface RecordContent {
  readonly listed: ListedRecord;
  readonly sightings: readonly JudgedSighting[]; // in row order
  readonly assets: readonly AssetRow[]; // by row id
  readonly standing: Standing;
  readonly history: readonly HistoryPoint[];
  readonly monthsLooked: RowRanges; // numbers of months
  readonly check: OnlineCheck | undefined; // the last one
}

interface CityWithCells extends CityState {
  readonly cells: readonly string[]; // eligible resolution-8 cells, sorted
}

/** The content of a release for one city. */
export type CityContent = ReturnType<typeof cityContent>;

interface Judged extends RecordFacts {
  readonly listed: ListedRecord;
}

/**
 * Runs the methodology over one city as of `ms`. In a patch release, scores, ranks and coverage are those that were `carried`
 * over, and only events of the mended release stay.
 */
export function cityContent(facts: CityFacts, ms: number, carried?: CarriedCity) {
  const { listed, looks, accuracy, checks } = facts;
  const looked = new LookedMonths(looks);
  const { details } = listed.city;
  const city = { ...listed.city, cells: eligibleCells(details) };
  const asOf = asOfAt(ms, details.lng);
  const judged = listed.records.map((record) => judgedRecord(facts, record, asOf));
  const { cohort, standings, histories } =
    carried === undefined ? scores(judged, asOf) : carriedScores(judged, carried);
  const seen = coverageSightings(facts, judged);
  const known = carried && new Set(carried.events);
  const contents = judged.map(({ listed, ...record }) => ({
    listed,
    sightings: record.sightings,
    assets: assetsOf(facts, record.sightings, looked, asOf),
    monthsLooked: rowRanges(looked.at(fineCells(record.sightings))),
    // A dissolved record is in no cohort.
    standing: standings.get(record.id) ?? standingAlone(record, asOf),
    history: histories.get(record.id) ?? [],
    check: checks.get(record.id)?.at(-1),
  }));
  return {
    city,
    records: contents, // by position
    index: contents.filter(isActive).sort((a, b) => compareCityIndex(indexKey(a), indexKey(b))), // the active ones in index order
    cohort,
    coverage: carried?.coverage ?? coverageOf(city, { sightings: seen, looks, accuracy }, asOf),
    accuracy,
    cells: cellCounts(seen, looks, asOf), // those with an observation or a look, by cell
    events: eventsOf(facts, judged, looked, asOf).filter(({ id }) => known?.has(id) ?? true),
  };
}

/** The cells in which the fixed assets of a record were seen. */
function fineCells(sightings: readonly JudgedSighting[]): Set<string> {
  return new Set(accepted(sightings).flatMap(({ fine, cell }) => (fine ? [cell] : [])));
}

function scores(judged: readonly Judged[], asOf: AsOf) {
  const active = judged.filter(isActive);
  return { ...cityStandings(active, asOf), histories: cityHistories(active, asOf) };
}

/** A listed record with its sightings as judged at `asOf`. */
export function judgedRecord(
  { sightings, otherTags }: Pick<CityFacts, "sightings" | "otherTags">,
  listed: ListedRecord,
  asOf: AsOf,
): Judged {
  const { record, rows } = listed;
  const placed = Array.from(rows, (row) =>
    sightings.sighting(row, {
      day: solarDayNumber(sightings.observedAt(row), asOf.offsetHours),
      observer: otherTags.get(row) ?? sightings.observer(row),
    }),
  );
  return { listed, ...factsOf(record), sightings: judge(placed) };
}

/** The methodology's view of a record, without sightings. */
export function factsOf(record: ShownRecord): RecordFacts {
  return {
    id: record.id,
    publicId: record.body.public_id,
    industry: record.industry,
    flagged: record.isFlagged,
    matchUnderReview: record.isMatchUnderReview,
    sightings: [],
  };
}

function isActive({ listed }: { readonly listed: ListedRecord }): boolean {
  return listed.record.recordStatus === "active";
}

function indexKey({ listed, standing }: Pick<RecordContent, "listed" | "standing">) {
  return {
    publicId: listed.record.body.public_id,
    rank: standing.rank,
    ppsWithoutAnyOneObserver: standing.ppsWithoutAnyOneObserver,
    provisionalPps: standing.provisionalPps,
  };
}

function assetsOf(
  facts: CityFacts,
  sightings: readonly JudgedSighting[],
  looked: LookedMonths,
  asOf: AsOf,
): AssetRow[] {
  return [...Map.groupBy(sightings, ({ asset }) => asset)]
    .flatMap(([id, seen]) => {
      const asset = facts.assets.get(id);
      return asset === undefined ? [] : [assetRow(asset, seen, { sightings: facts.sightings, looked, asOf })];
    })
    .sort((a, b) => a.id - b.id);
}

function coverageSightings(facts: CityFacts, judged: readonly Judged[]): CoverageSighting[] {
  return judged.flatMap(({ id, sightings }) =>
    sightings.map(({ id: row, asset, source, observer, observedAt, day, cell, fine, verdict, setAside }) => {
      const scout = facts.sightings.scout(row);
      return { record: id, scout, asset, source, observer, observedAt, day, cell, fine, verdict, setAside };
    }),
  );
}

interface CoverageFacts {
  readonly sightings: readonly CoverageSighting[];
  readonly looks: readonly LookRow[];
  readonly accuracy: CityAccuracy;
}

function coverageOf(
  city: CityWithCells,
  { sightings, looks, accuracy: { measured } }: CoverageFacts,
  asOf: AsOf,
): CityCoverage {
  return cityCoverage({
    sightings,
    looks,
    cells: city.cells,
    weights: city.details.weights,
    denominatorReviewed: city.denominatorReviewed,
    registeredDay: solarDayNumber(city.registeredAt, asOf.offsetHours),
    asOf,
    highAllowed: measured?.age.supportsHigh ?? false,
  });
}

function eventsOf(
  facts: CityFacts,
  judged: readonly Judged[],
  looked: LookedMonths,
  asOf: AsOf,
): ChangeEventFacts[] {
  const { checks, countHistory } = facts;
  const records = judged.map((record) => ({
    ...record,
    name: record.listed.record.name,
    isSynthetic: record.listed.record.body.is_synthetic,
    assets: eventAssets(facts, record.sightings),
    checks: checks.get(record.id) ?? [],
  }));
  return cityEvents(records, looked, asOf, countHistory);
}

function eventAssets(facts: CityFacts, sightings: readonly JudgedSighting[]) {
  const published = (row: number) => facts.sightings.publishedAt(row);
  return [...new Set(sightings.map(({ asset }) => asset))].flatMap((id) => {
    const asset = facts.assets.get(id);
    if (asset === undefined) return [];
    const retirements = asset.retirements.map(({ row, retired }) => ({ at: published(row), retired }));
    return {
      id,
      publicId: asset.body.public_id,
      assetType: asset.body.asset_type,
      retirements,
    };
  });
}

interface AssetContext {
  readonly sightings: CityFacts["sightings"];
  readonly looked: LookedMonths;
  readonly asOf: AsOf;
}

/** The row of an asset from its listed sightings. */
function assetRow(
  { id, body, retirements }: AssetState,
  seen: readonly JudgedSighting[],
  { sightings, looked, asOf }: AssetContext,
): AssetRow {
  const counted = accepted(seen);
  const dating = datingEvidence(seen);
  const { first, last } = observedSpan(dating);
  const newest = newestOf(dating);
  const review = retirements.at(-1);
  return {
    id,
    publicId: body.public_id,
    assetType: body.asset_type,
    isMobile: body.is_mobile,
    legibility: legibilityScore(counted.map((sighting) => sightings.legibility(sighting.id))),
    firstObserved: first,
    lastObserved: last,
    ...assetState(
      {
        assetType: body.asset_type,
        lastDay: newest?.day,
        review: review && {
          day: solarDayNumber(sightings.publishedAt(review.row), asOf.offsetHours),
          retired: review.retired,
        },
      },
      asOf,
    ),
    monthsLooked: newest === undefined ? null : looked.since(newest),
    observationCount: counted.length,
    setAsideCount: counted.filter(({ setAside }) => setAside !== null).length,
  };
}

/** A loop, because an asset can have more sightings than `Math.min` can have arguments. */
export function observedSpan(seen: readonly JudgedSighting[]): { first: number | null; last: number | null } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { observedAt } of seen) {
    if (observedAt < first) first = observedAt;
    if (observedAt > last) last = observedAt;
  }
  return seen.length === 0 ? { first: null, last: null } : { first, last };
}
