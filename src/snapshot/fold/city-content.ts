import { solarDayNumber } from "../../kernel/time.ts";
import type { CityState } from "../../ledger/decisions/city-state.ts";
import { eligibleCells } from "../../ledger/looks/cell-bitmap.ts";
import type { OnlineCheck } from "../../ledger/online-checks.ts";
import { type AsOf, asOfAt } from "../../method/as-of.ts";
import { cityCoverage } from "../../method/coverage/coverage.ts";
import { cellCounts } from "../../method/coverage/coverage-cells.ts";
import type { CoverageSighting } from "../../method/coverage/coverage-window.ts";
import type { ChangeEventFacts } from "../../method/events/event-types.ts";
import { cityEvents } from "../../method/events/events.ts";
import { cityHistories, type HistoryPoint } from "../../method/history.ts";
import {
  cityStandings,
  compareCityIndex,
  type Standing,
  standingAlone,
} from "../../method/standing/standing.ts";
import { judge } from "../../method/standing/verification.ts";
import type { JudgedSighting, LookRow, RecordFacts } from "../../method/types.ts";
import type { CarriedCity } from "../mend/carried-city.ts";
import { carriedScores } from "../mend/carried-scores.ts";
import type { AssetRow, CityCoverage } from "../rows.ts";
import { assetRow } from "./asset-summary.ts";
import type { CityAccuracy } from "./city-accuracy.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import { isMatchUnderReview, type LedgerRecord, recordStatus } from "./ledger-record.ts";
import type { ListedCity, ListedRecord } from "./listing.ts";
import { cityAccuracy } from "./revisits.ts";

/** Online checks of each record, the earliest first. */
export type ChecksByRecord = ReadonlyMap<number, readonly OnlineCheck[]>;

export interface RecordContent {
  readonly listed: ListedRecord;
  readonly sightings: readonly JudgedSighting[]; // in row order
  readonly assets: readonly AssetRow[]; // by row id
  readonly standing: Standing;
  readonly history: readonly HistoryPoint[];
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
 * Runs the methodology over one city as of `ms`. Only this city's sightings become objects meanwhile. In a patch release, scores,
 * ranks and coverage are those that were `carried` over, and only events of the mended release stay.
 */
export function cityContent(
  fold: LedgerFold,
  { city: listedCity, records }: ListedCity,
  checks: ChecksByRecord,
  ms: number,
  carried?: CarriedCity,
) {
  const { details } = listedCity;
  const city = { ...listedCity, cells: eligibleCells(details) };
  const asOf = asOfAt(ms, details.lng);
  const judged = records.map((listed) => judgedRecord(fold, listed, asOf));
  const { cohort, standings, histories } =
    carried === undefined ? scores(judged, asOf) : carriedScores(judged, carried);
  const seen = coverageSightings(fold, judged);
  const looks = fold.lookRows(city.slug);
  const accuracy = cityAccuracy(fold, listedCity, asOf);
  const known = carried && new Set(carried.events);
  const contents = judged.map(({ listed, ...facts }) => ({
    listed,
    sightings: facts.sightings,
    assets: assetsOf(fold, facts.sightings, asOf),
    // A dissolved record is in no cohort.
    standing: standings.get(facts.id) ?? standingAlone(facts, asOf),
    history: histories.get(listed.record.id) ?? [],
    check: checks.get(listed.record.id)?.at(-1),
  }));
  return {
    city,
    records: contents, // by position
    index: contents.filter(isActive).sort((a, b) => compareCityIndex(indexKey(a), indexKey(b))), // the active ones in index order
    cohort,
    coverage: carried?.coverage ?? coverageOf(city, { sightings: seen, looks, accuracy }, asOf),
    accuracy,
    cells: cellCounts(seen, looks, asOf), // those with an observation or a look, by cell
    events: eventsOf(fold, { judged, checks, looks }, asOf).filter(({ id }) => known?.has(id) ?? true),
  };
}

function scores(judged: readonly Judged[], asOf: AsOf) {
  const active = judged.filter(isActive);
  return { ...cityStandings(active, asOf), histories: cityHistories(active, asOf) };
}

/** A listed record with its sightings as judged at `asOf`. */
export function judgedRecord(fold: LedgerFold, listed: ListedRecord, asOf: AsOf): Judged {
  const { record, rows } = listed;
  const { sightings } = fold;
  const placed = Array.from(rows, (row) =>
    sightings.sighting(row, {
      day: solarDayNumber(sightings.observedAt(row), asOf.offsetHours),
      observer: fold.observerTag(row),
    }),
  );
  return { listed, ...factsOf(record), sightings: judge(placed) };
}

/** The methodology's view of a record, without sightings. */
export function factsOf(record: LedgerRecord): RecordFacts {
  return {
    id: record.id,
    publicId: record.body.public_id,
    industry: record.industry,
    flagged: record.flaggedBy !== undefined,
    matchUnderReview: isMatchUnderReview(record),
    sightings: [],
  };
}

function isActive({ listed }: { readonly listed: ListedRecord }): boolean {
  return recordStatus(listed.record) === "active";
}

function indexKey({ listed, standing }: Pick<RecordContent, "listed" | "standing">) {
  return {
    publicId: listed.record.body.public_id,
    rank: standing.rank,
    ppsWithoutAnyOneObserver: standing.ppsWithoutAnyOneObserver,
    provisionalPps: standing.provisionalPps,
  };
}

function assetsOf(fold: LedgerFold, sightings: readonly JudgedSighting[], asOf: AsOf): AssetRow[] {
  return [...Map.groupBy(sightings, ({ asset }) => asset)]
    .flatMap(([id, seen]) => {
      const asset = fold.assets.get(id);
      const legibilityOf = (row: number) => fold.sightings.legibility(row);
      return asset === undefined ? [] : [assetRow(asset, seen, legibilityOf, asOf)];
    })
    .sort((a, b) => a.id - b.id);
}

function coverageSightings(fold: LedgerFold, judged: readonly Judged[]): CoverageSighting[] {
  return judged.flatMap(({ id, sightings }) =>
    sightings.map((sighting) => ({ ...sighting, record: id, scout: fold.sightings.scout(sighting.id) })),
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

interface EventFacts {
  readonly judged: readonly Judged[];
  readonly checks: ChecksByRecord;
  readonly looks: readonly LookRow[];
}

function eventsOf(fold: LedgerFold, { judged, checks, looks }: EventFacts, asOf: AsOf): ChangeEventFacts[] {
  const published = (row: number) => fold.sightings.publishedAt(row);
  const records = judged.map((facts) => ({
    ...facts,
    name: facts.listed.record.body.name,
    publishedAt: published(facts.id),
    assets: eventAssets(fold, facts.sightings),
    checks: checks.get(facts.id) ?? [],
  }));
  return cityEvents(records, looks, asOf);
}

function eventAssets(fold: LedgerFold, sightings: readonly JudgedSighting[]) {
  const published = (row: number) => fold.sightings.publishedAt(row);
  return [...new Set(sightings.map(({ asset }) => asset))].flatMap((id) => {
    const asset = fold.assets.get(id);
    if (asset === undefined) return [];
    const retirements = asset.retirements.map(({ row, retired }) => ({ at: published(row), retired }));
    return {
      id,
      publicId: asset.body.public_id,
      assetType: asset.body.asset_type,
      publishedAt: published(id),
      retirements,
    };
  });
}
