/** A release of a few rows, in memory. */

import { isUnder } from "../../../src/contract/cities/industry.ts";
import type { CitySort, NameMatch } from "../../../src/contract/enums.ts";
import {
  NO_REPORT_COUNTS,
  type OperatorIncident,
  type ReportCounts,
} from "../../../src/contract/service/status.ts";
import { readWebsite } from "../../../src/kernel/text/contacts.ts";
import { nameKey } from "../../../src/kernel/text/name-key.ts";
import { DAY_MS } from "../../../src/kernel/time.ts";
import { NOTHING_CITED } from "../../../src/method/citation.ts";
import type { ReadContext } from "../../../src/resources/define.ts";
import { contextOf } from "../../../src/resources/release-store.ts";
import { type ActivityInput, withheldClients } from "../../../src/snapshot/activity.ts";
import type { Samples } from "../../../src/snapshot/fold/samples.ts";
import { ObservationColumns } from "../../../src/snapshot/queries/observation-columns.ts";
import type {
  CellCounts,
  CitedEvidence,
  CityRow,
  EventRow,
  ExplorerRow,
  ObservationRow,
  RecordCellRow,
  RecordRow,
  ReleaseRow,
  SealRow,
} from "../../../src/snapshot/rows.ts";
import type { SearchFilters } from "../../../src/snapshot/search/search.ts";
import type { Snapshot } from "../../../src/snapshot/snapshot.ts";
import { fakeAsset, fakeCity, fakeObservation, fakeRecord, fakeSeal, release } from "./fake-rows.ts";

export interface FakeContent {
  readonly release?: ReleaseRow;
  readonly demand?: readonly NonNullable<ReturnType<Snapshot["demand"]>>[];
  readonly activity?: ActivityInput;
  readonly incidents?: readonly OperatorIncident[];
  readonly samples?: Samples;
  readonly reportCounts?: ReportCounts;
  readonly cities?: readonly CityRow[];
  readonly records?: readonly RecordRow[];
  readonly observations?: readonly ObservationRow[]; // of every record
  readonly events?: readonly EventRow[];
  readonly explorer?: readonly ExplorerRow[];
  readonly seals?: readonly SealRow[];
  readonly withdrawals?: ReturnType<Snapshot["withdrawals"]>; // in their order
  readonly cellCounts?: readonly CellCounts[]; // of every city
  readonly recordCells?: readonly RecordCellRow[]; // of every record
}

const NO_SAMPLE = { rows: [], reviewed: 0, correct: 0, undecided: 0, precision: null, interval: null };
const NO_SAMPLES: Samples = { from: 0, reading: NO_SAMPLE, matching: NO_SAMPLE, reported: [] };

/** Of every record. */
const CITED: CitedEvidence = {
  accepted: 2,
  counted: 2,
  observers: 2,
  states: { provisional: 1, corroborated: 0, verified: 1 },
  first: Date.UTC(2026, 2, 22),
  last: Date.UTC(2026, 5, 28),
  newest: { id: 7, observedAt: Date.UTC(2026, 5, 28), kind: "location_presence", state: "provisional" },
};

/** `rank` is the order of the rows as given; names are compared as they stand. */
const ORDERS: Readonly<Record<CitySort, (a: RecordRow, b: RecordRow) => number>> = {
  rank: () => 0,
  name: (a, b) => (a.name < b.name ? -1 : 1),
  observations: (a, b) => b.observationCount - a.observationCount,
  last_observed: (a, b) => (b.lastObserved ?? 0) - (a.lastObserved ?? 0),
};

/** As the real search, but `contains` is plain, case and accents and all. */
function namedAs(records: readonly RecordRow[], name: string, match: NameMatch): RecordRow[] {
  if (match === "contains") return records.filter((record) => record.name.includes(name));
  const key = nameKey(name);
  const others = records.filter((record) => record.name !== name && nameKey(record.name) === key);
  return [...records.filter((record) => record.name === name), ...(key === "" ? [] : others)];
}

/** Filters as the real one does; search is a plain look at each name. */
export function fakeSnapshot(content: FakeContent = {}): Snapshot {
  const cities = content.cities ?? [fakeCity(1, "Alpha"), fakeCity(2, "Beta", { launched: false })];
  const records = content.records ?? [1, 2, 3, 4, 5].map((at) => fakeRecord(at));
  const live = records.filter((record) => record.mergedInto === null);
  const matching = (city: string | undefined, industry: string | undefined, online: string | undefined) =>
    live.filter(
      (record) =>
        (city === undefined || record.city === city) &&
        (industry === undefined || (record.industry !== null && isUnder(record.industry, industry))) &&
        (online === undefined || record.onlineVerdict === online),
    );
  const indexed = (slug: string, filters: Parameters<Snapshot["cityIndexCount"]>[1]) =>
    matching(slug, filters.industry, filters.onlinePresence).filter(
      ({ status, standing: { rankingState } }) =>
        (filters.rankingState === undefined || rankingState === filters.rankingState) &&
        (filters.claimState === undefined ||
          (status === "unclaimed") === (filters.claimState === "unclaimed")),
    );
  const observationsSince = (since = 0) =>
    (content.observations ?? [fakeObservation(7, 2)]).filter(({ publishedAt }) => publishedAt >= since);
  /** Near a map cell there is none: these rows have no places. */
  const searched = ({
    name,
    nameMatch = "contains",
    city,
    industry,
    onlinePresence,
    website,
    near,
  }: SearchFilters) => {
    const found = matching(city, industry, onlinePresence).filter(
      (record) =>
        near === undefined &&
        (website === undefined || readWebsite(record.website ?? "")?.lookUpKey === website),
    );
    return name === undefined ? found : namedAs(found, name, nameMatch);
  };
  const events = content.events ?? [];
  const eventsSince = (slug: string, since: number) =>
    events.filter((event) => event.city === slug && event.detectedAt >= since);
  return {
    activity: () =>
      content.activity && { ...content.activity, daily: withheldClients(content.activity.daily) },
    demand: (city) => content.demand?.find((demand) => demand.city === city),
    demandInput: () => undefined,
    placeNamed: (text) =>
      cities.some(({ slug }) => slug === text) ? { kind: "covered", slug: text } : undefined,
    coveredGeonames: () => new Map(cities.map(({ geonameId, slug }) => [geonameId, slug])),
    operatorText: () => undefined,
    samples: () => content.samples ?? NO_SAMPLES,
    reportCounts: () => content.reportCounts ?? NO_REPORT_COUNTS,
    incidents: () => [...(content.incidents ?? [])],
    release: () => content.release ?? release,
    seals: () => [...(content.seals ?? [fakeSeal])],
    cities: () => cities,
    city: (slug) => cities.find((city) => city.slug === slug),
    record: (publicId) => records.find((record) => record.publicId === publicId),
    publicIds: () => live.map(({ publicId }) => publicId),
    mergedIds: () =>
      records.flatMap(({ publicId, mergedInto }) => (mergedInto === null ? [] : [{ publicId, mergedInto }])),
    recordCount: () => live.length,
    publicationTimes: (from, to) =>
      live
        .slice(from - 1, to)
        .map(({ publicId, lastObserved }) => ({ publicId, lastPublished: lastObserved })),
    stateTallies: () =>
      [...Map.groupBy(content.observations ?? [], ({ state }) => state)].map(([state, rows]) => ({
        state,
        observations: rows.length,
      })),
    recordTallies: () =>
      live.map(({ city, isSynthetic, lastObserved, observationCount, assetCount }) => ({
        city,
        isSynthetic,
        ageDays:
          lastObserved === null
            ? null
            : Math.floor(((content.release ?? release).asOf - lastObserved) / DAY_MS),
        records: 1,
        observations: observationCount,
        assets: assetCount,
        lastObserved,
      })),
    assetsOf: () => [fakeAsset],
    recordOfAsset: (publicId) => (publicId === fakeAsset.publicId ? live[0]?.publicId : undefined),
    observationsOf: (_record, { publishedSince, offset = 0, limit }) =>
      observationsSince(publishedSince).slice(offset, offset + limit),
    observationRowsOf: () => (content.observations ?? []).map(({ id }) => id).sort((a, b) => a - b),
    withdrawals: (erasedBy, row, limit) =>
      (content.withdrawals ?? [])
        .filter((each) => each.erasedBy > erasedBy || (each.erasedBy === erasedBy && each.row > row))
        .slice(0, limit),
    sources: () => [],
    tallies: () => [],
    withdrawalCount: () => content.withdrawals?.length ?? 0,
    observationCountOf: (_record, { publishedSince }) => observationsSince(publishedSince).length,
    evidenceMix: () => ({
      source: [
        { value: "scout", count: 2 },
        { value: "fleet_cam", count: 1 },
      ],
      verification: [
        { value: "corroborated", count: 3 },
        { value: "rejected", count: 1 },
      ],
      citations: [{ value: "location_presence", count: 3 }],
      setAside: [],
      cited: CITED,
    }),
    sealedTree: (treeSize) => {
      const { treeSize: size, asOf, lastSealedRow } = content.release ?? release;
      return treeSize === size
        ? { treeSize, sealedRow: lastSealedRow, sealedAt: asOf, nextSealAt: null }
        : undefined;
    },
    pastRecord: (publicId) => {
      const record = live.find((each) => each.publicId === publicId);
      const city = cities.find(({ slug }) => slug === record?.city);
      return record && city && { ...record, row: record.id, city, cited: CITED, rows: [7] };
    },
    movedFrom: () => [],
    movedTo: () => undefined,
    observationTimes: () => [],
    stateOfRow: (row) => (content.observations ?? []).find(({ id }) => id === row)?.state,
    erasedBy: () => undefined,
    hasRedactions: () => false,
    standingsOf: (slug) =>
      live
        .filter(({ city }) => city === slug)
        .map(({ publicId, standing, history }) => ({ publicId, standing, history })),
    recordsOf: (slug) => live.filter(({ city }) => city === slug),
    storedObservationsOf: () => [],
    observationColumns: () => new ObservationColumns([], () => new Map()),
    observedTimes: () => new Map(),
    citedBetween: () => NOTHING_CITED,
    observationContent: function* () {
      yield "";
    },
    lastPublishedIn: () => null,
    changes: () => [],
    eventIdsOf: (slug) => eventsSince(slug, 0).map(({ id }) => id),
    cellCounts: () => [...(content.cellCounts ?? [])],
    placesBetween: () => [],
    cellRecordsOf: () => new Map(),
    cellsOf: () => [...(content.recordCells ?? [])],
    industryCounts: (slug) =>
      [...Map.groupBy(matching(slug, undefined, undefined), ({ industry }) => industry)].flatMap(
        ([code, found]) => (code === null ? [] : [{ code, records: found.length }]),
      ),
    cityIndexPage: (slug, { sort = "rank", ...filters }, offset, limit) =>
      indexed(slug, filters)
        .sort(ORDERS[sort])
        .slice(offset, offset + limit),
    cityIndexCount: (slug, filters) => indexed(slug, filters).length,
    cityIndexSummary(slug, filters) {
      const found = indexed(slug, filters);
      const inGate = (status: string) =>
        found.filter(({ standing }) => standing.gate.status === status).length;
      return {
        eligible: inGate("eligible"),
        evidence_building: inGate("evidence_building"),
        integrity_review: inGate("integrity_review"),
      };
    },
    eventsOf: (slug, { since, offset = 0, limit }) => eventsSince(slug, since).slice(offset, offset + limit),
    eventCountsOf: (slug, { since }) =>
      [...Map.groupBy(eventsSince(slug, since), ({ type }) => type)].map(([type, group]) => ({
        type,
        count: group.length,
      })),
    explorerRows: () => [...(content.explorer ?? [])],
    industries: () => [
      {
        code: "I",
        title: "Accommodation and food",
        level: "section",
        sectionCode: "I",
        sectionTitle: "Food",
      },
    ],
    gazetteerCities: ({ limit }) =>
      [
        {
          geonameId: 1,
          name: "Alphä",
          asciiName: "Alpha",
          region: "Ontario",
          regionCode: "08",
          countryCode: "CA",
          countryName: "Canada",
          population: 10,
          lat: 1,
          lng: 2,
        },
      ].slice(0, limit),
    search: ({ limit, after = 0, ...filters }) => {
      const all = searched(filters);
      return all.slice(all.findIndex(({ position }) => position === after) + 1).slice(0, limit);
    },
    similar: ({ name, ...filters }, max) =>
      searched(filters)
        .filter((record) => record.name.startsWith(name.slice(0, 3)))
        .slice(0, max),
    searchCount: (filters, max) => Math.min(searched(filters).length, max),
    close: () => undefined,
  };
}

/** Only the current release is there. */
export function fakeContext(content: FakeContent = {}): ReadContext {
  return contextOf(fakeSnapshot(content));
}
