import Database from "better-sqlite3";
import fc from "fast-check";
import { gridDisk, latLngToCell } from "h3-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { isUnder } from "../../contract/cities/industry.ts";
import { CitySort, ClaimState, RankingState } from "../../contract/enums.ts";
import type { RecordRow } from "../rows.ts";
import { foldName } from "../search/search-terms.ts";
import { openSnapshot, type Snapshot } from "../snapshot.ts";
import { pagePositions } from "./city-index-queries.ts";

const AS_OF = "2026-05-20T12:00:00Z";
const INDUSTRY = ["5610", "4711", "4719", null] as const;
const town = new TestTown();
let path: string;
let snapshot: Snapshot;

/** 24 records in Toronto: record n has n % 3 + 1 observers, an industry in turn; every fourth has no website. */
beforeAll(() => {
  town.city("toronto");
  town.city("chicago", { lat: 41.88, lng: -87.63 });
  for (let n = 0; n < 24; n += 1) {
    const industry = INDUSTRY[n % 4] ?? null;
    const record = town.record(`Shop${n}`, {
      industry,
      industry_method: industry === null ? "unclassified" : "declared",
    });
    const asset = town.asset(record);
    for (let visit = 0; visit < 6; visit += 1)
      town.see(record, asset, `o${visit % ((n % 3) + 1)}`, `2026-04-${10 + visit}T10:00:00Z`);
    const checked = {
      record,
      checkedAt: Date.parse("2026-05-01T00:00:00Z"),
      provider: "p",
      signalTypes: [],
      matchCount: 0,
    };
    town.writer.appendOnlineCheck({ ...checked, verdict: n % 4 === 0 ? "none" : "detected" });
  }
  town.seal();
  town.at("2026-05-05T12:00:00Z");
  const shop = town.record("Moves");
  const van = town.asset(shop, "vehicle_wrap");
  const h3_cell = latLngToCell(TORONTO.lat, TORONTO.lng, 7);
  town.see(shop, van, "v", "2026-05-04T05:00:00Z", { asset_type: "vehicle_wrap", h3_cell });
  town.append({ kind: "status", body: { record: shop, status: "claimed" } });
  path = town.build(town.seal(), AS_OF).path;
  snapshot = openSnapshot(path);
});

afterAll(() => {
  snapshot.close();
  town[Symbol.dispose]();
});

const wholeIndex = () => snapshot.cityIndexPage("toronto", {}, 0, 1000);
const ids = (rows: readonly RecordRow[]) => rows.map(({ publicId }) => publicId);

test("many may read it at once, and while one does, nobody can change it", () => {
  using other = { snapshot: openSnapshot(path), [Symbol.dispose]: () => other.snapshot.close() };
  expect(other.snapshot.record("nobody")).toBe(snapshot.record("nobody"));
  const writer = new Database(path, { timeout: 0 });
  expect(() => writer.exec("DELETE FROM assets")).toThrow("database is locked");
  writer.close();
});

describe("the city index", () => {
  test("ranks the eligible first, the rest by provisional score, and counts itself", () => {
    const index = wholeIndex();
    expect(index).toHaveLength(25);
    expect(snapshot.cityIndexCount("toronto", {})).toBe(25);
    const ranks = index.map(({ standing }) => standing.rank);
    const ranked = ranks.filter((rank) => rank !== null);
    expect(ranked.length).toBeGreaterThanOrEqual(5);
    expect(ranks.slice(ranked.length).every((rank) => rank === null)).toBe(true);
    expect(ranked).toEqual(ranked.toSorted((a, b) => a - b));
    const rest = index.slice(ranked.length).map(({ standing }) => standing.provisionalPps);
    expect(rest).toEqual(rest.toSorted((a, b) => b - a));
    expect(snapshot.city("toronto")).toMatchObject({
      recordCount: 25,
      rankingSummary: { eligible: ranked.length, evidence_building: 25 - ranked.length, integrity_review: 0 },
      cohort: { size: ranked.length },
    });
  });

  test("pages of any size, under any filter, are the index cut in pieces", () => {
    const filters = fc.record({
      industry: fc.constantFrom(undefined, "G", "47", "471", "4711", "5610", "I", "A", "471:", "%", ""),
      onlinePresence: fc.constantFrom(undefined, "none" as const, "detected" as const, "unknown" as const),
      rankingState: fc.constantFrom(undefined, ...RankingState.options),
      claimState: fc.constantFrom(undefined, ...ClaimState.options),
    });
    fc.assert(
      fc.property(filters, fc.integer({ min: 1, max: 7 }), (filter, limit) => {
        const { industry, onlinePresence, rankingState, claimState } = filter;
        const expected = wholeIndex()
          .filter((row) => industry === undefined || isUnder(row.industry ?? "", industry))
          .filter((row) => onlinePresence === undefined || row.onlineVerdict === onlinePresence)
          .filter((row) => rankingState === undefined || row.standing.rankingState === rankingState)
          .filter(
            (row) =>
              claimState === undefined || (row.status === "unclaimed") === (claimState === "unclaimed"),
          );
        const paged: RecordRow[] = [];
        for (let offset = 0; offset < 30; offset += limit)
          paged.push(...snapshot.cityIndexPage("toronto", filter, offset, limit));
        expect(ids(paged)).toEqual(ids(expected));
        expect(snapshot.cityIndexCount("toronto", filter)).toBe(expected.length);
        const inGate = (status: string) =>
          expected.filter(({ standing }) => standing.gate.status === status).length;
        const gates = {
          eligible: inGate("eligible"),
          evidence_building: inGate("evidence_building"),
          integrity_review: inGate("integrity_review"),
        };
        expect(snapshot.cityIndexSummary("toronto", filter)).toEqual(gates);
      }),
    );
    const claimed = snapshot.cityIndexPage("toronto", { claimState: "claimed" }, 0, 9);
    expect(ids(claimed)).toEqual(["demo_moves"]);
  });

  test("is empty for an unknown city and for one without records", () => {
    expect(snapshot.cityIndexPage("nowhere", {}, 0, 10)).toEqual([]);
    expect(snapshot.cityIndexCount("nowhere", {})).toBe(0);
    expect(snapshot.cityIndexCount("nowhere", { claimState: "claimed" })).toBe(0);
    expect(snapshot.cityIndexPage("chicago", {}, 0, 10)).toEqual([]);
    expect(snapshot.city("nowhere")).toBeUndefined();
    expect(snapshot.city("chicago")).toMatchObject({
      recordCount: 0,
      coverage: { tier: "none", level: "none" },
    });
  });
});

describe("the orders of the city index", () => {
  const sorted = (sort: CitySort) => ids(snapshot.cityIndexPage("toronto", { sort }, 0, 1000));
  const expected = (before: (a: RecordRow, b: RecordRow) => number) =>
    ids(wholeIndex().sort((a, b) => before(a, b) || (a.publicId < b.publicId ? -1 : 1)));

  test("by name whatever its case and accents, by observations, by the last observation", () => {
    expect(sorted("rank")).toEqual(ids(wholeIndex()));
    const names = expected((a, b) => (foldName(a.name) < foldName(b.name) ? -1 : 1));
    expect(sorted("name")).toEqual(names);
    expect(names[0]).toBe("demo_moves");
    expect(sorted("observations")).toEqual(expected((a, b) => b.observationCount - a.observationCount));
    expect(sorted("last_observed")).toEqual(
      expected((a, b) => (b.lastObserved ?? 0) - (a.lastObserved ?? 0)),
    );
    expect(sorted("last_observed")[0]).toBe("demo_moves");
  });

  test("pages of any size in any order, under any filter, give every record once", () => {
    const filters = fc.record({
      sort: fc.constantFrom(...CitySort.options),
      industry: fc.constantFrom(undefined, "G", "4711", "A"),
      onlinePresence: fc.constantFrom(undefined, "none" as const, "detected" as const),
    });
    fc.assert(
      fc.property(filters, fc.integer({ min: 1, max: 7 }), (filter, limit) => {
        const paged: RecordRow[] = [];
        for (let offset = 0; offset < 30; offset += limit)
          paged.push(...snapshot.cityIndexPage("toronto", filter, offset, limit));
        const matching = new Set(
          ids(snapshot.cityIndexPage("toronto", { ...filter, sort: "rank" }, 0, 1000)),
        );
        expect(ids(paged)).toEqual(sorted(filter.sort).filter((id) => matching.has(id)));
      }),
    );
  });

  test("each is read from an index of its own, in order", () => {
    const db = new Database(path, { readonly: true });
    for (const sort of CitySort.options) {
      const plan = db.prepare<object, { detail: string }>(`EXPLAIN QUERY PLAN ${pagePositions(sort)}`).all({
        city: "toronto",
        industry: null,
        online: null,
        state: null,
        claim: null,
        limit: 1,
        offset: 0,
      });
      expect(plan.map(({ detail }) => detail)).toEqual([
        expect.stringContaining(`USING COVERING INDEX records_by_${sort} `),
      ]);
    }
    db.close();
  });

  test("ties of names go by public id, and dissolved records have no place", () => {
    using town = new TestTown();
    town.city("toronto");
    const names = ["Éclair", "Zoo", "eclair", "ÉCLAIR", "apple"];
    for (const [at, name] of names.entries()) {
      const record = town.record(name, { public_id: `demo_${names.length - at}` });
      town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
      if (name === "apple") town.append({ kind: "status", body: { record, status: "dissolved" } });
    }
    const page = town.snapshot(AS_OF).cityIndexPage("toronto", { sort: "name" }, 0, 9);
    expect(page.map(({ name }) => name)).toEqual(["ÉCLAIR", "eclair", "Éclair", "Zoo"]);
  });
});

test("records by exact industry are what the filters of the index count", () => {
  const counts = snapshot.industryCounts("toronto");
  expect(counts).toEqual([
    { code: "4711", records: 6 },
    { code: "4719", records: 6 },
    { code: "5610", records: 7 },
  ]);
  for (const { code, records } of counts)
    expect(snapshot.cityIndexCount("toronto", { industry: code })).toBe(records);
  expect(snapshot.industryCounts("toronto")).toEqual(counts);
  expect(snapshot.industryCounts("nowhere")).toEqual([]);
});

test("cells of a city and of a record, without rejected rows, wide cells only in the record's", () => {
  using town = new TestTown();
  town.city("toronto");
  const shop = town.record("Shop");
  const van = town.record("Van");
  const [front, wrap] = [town.asset(shop), town.asset(van, "vehicle_wrap")];
  const [here = "", there = "", elsewhere = ""] = gridDisk(
    latLngToCell(TORONTO.lat, TORONTO.lng, 8),
    4,
  ).slice(-3);
  const wide = latLngToCell(TORONTO.lat, TORONTO.lng, 5);
  town.see(shop, front, "a", "2026-04-28T10:00:00Z", { h3_cell: here });
  town.see(shop, front, "b", "2026-04-29T10:00:00Z", { h3_cell: here });
  town.see(shop, front, "b", "2025-12-01T10:00:00Z", { h3_cell: there });
  town.review("reject", town.see(shop, front, "c", "2026-04-30T10:00:00Z", { h3_cell: here }));
  town.review("reject", town.see(shop, front, "c", "2026-04-30T10:00:00Z", { h3_cell: elsewhere }));
  town.see(van, wrap, "a", "2026-04-30T05:00:00Z", { h3_cell: wide, asset_type: "vehicle_wrap" });
  const built = town.snapshot(AS_OF);
  const [twice, old] = [
    { cell: here, observations: 2, lastObserved: Date.parse("2026-04-29T05:00:00Z") },
    { cell: there, observations: 1, lastObserved: Date.parse("2025-12-01T05:00:00Z") },
  ];
  const inOrder = <T extends { cell: string }>(cells: T[]) =>
    cells.sort((a, b) => (a.cell < b.cell ? -1 : 1));
  expect(built.cellsOf("demo_shop")).toEqual(inOrder([twice, old]));
  expect(built.cellsOf("demo_van")).toEqual([
    { cell: wide, observations: 1, lastObserved: Date.parse("2026-04-30T05:00:00Z") },
  ]);
  expect(built.cellsOf("demo_nobody")).toEqual([]);
  expect(built.cellCounts("toronto")).toEqual(
    inOrder([
      { ...twice, observations90d: 2, records90d: 1, weeksLooked90d: 1, monthsLooked: 0 },
      { ...old, observations90d: 0, records90d: 0, weeksLooked90d: 0, monthsLooked: 0 },
    ]),
  );
  expect(built.cellCounts("nowhere")).toEqual([]);
});

describe("observations", () => {
  test("newest published first, then highest id; since is inclusive; the limit holds", () => {
    const shop = snapshot.record("demo_shop3");
    const all = snapshot.observationsOf(shop?.id ?? 0, { limit: 200 });
    expect(all).toHaveLength(6);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a));
    const published = all[0]?.publishedAt ?? 0;
    expect(snapshot.observationsOf(shop?.id ?? 0, { publishedSince: published, limit: 4 })).toEqual(
      all.slice(0, 4),
    );
    expect(snapshot.observationsOf(shop?.id ?? 0, { publishedSince: published + 1, limit: 4 })).toEqual([]);
    expect(snapshot.observationsOf(999_999, { limit: 4 })).toEqual([]);
    expect(snapshot.observationCountOf(999_999, {})).toBe(0);
  });

  test("pages of any size, since any time, are the list cut in pieces", () => {
    using other = new TestTown();
    other.city("toronto");
    const [shop, next] = [other.record("Shop"), other.record("Next")];
    const [front, sign] = [other.asset(shop), other.asset(next)];
    for (let day = 1; day <= 9; day += 1) {
      other.at(`2026-05-0${day}T12:00:00Z`);
      for (let visit = 0; visit < (day % 3) + 1; visit += 1) {
        other.see(shop, front, `o${visit}`, `2026-05-0${day}T10:00:00Z`);
        other.see(next, sign, `o${visit}`, `2026-05-0${day}T10:00:00Z`);
      }
      if (day < 9) other.seal();
    }
    const built = other.snapshot(AS_OF);
    for (const record of [shop, next]) {
      const all = built.observationsOf(record, { limit: 1000 });
      expect(all).toHaveLength(18);
      const order = all.toSorted((a, b) => b.publishedAt - a.publishedAt || b.id - a.id);
      expect(all).toEqual(order);
      const times = all.flatMap(({ publishedAt }) => [publishedAt - 1, publishedAt, publishedAt + 1]);
      fc.assert(
        fc.property(
          fc.constantFrom(undefined, 0, ...times),
          fc.integer({ min: 1, max: 7 }),
          (since, limit) => {
            const expected = all.filter(({ publishedAt }) => publishedAt >= (since ?? 0));
            const paged = Array.from({ length: 19 }, (_, page) =>
              built.observationsOf(record, { publishedSince: since, offset: page * limit, limit }),
            );
            expect(paged.flat()).toEqual(expected);
            expect(built.observationCountOf(record, { publishedSince: since })).toBe(expected.length);
          },
        ),
      );
    }
  });
});

describe("display order", () => {
  test("pages of records between two positions, with the time of the last publication", () => {
    const ids = [...snapshot.publicIds()];
    const all = snapshot.publicationTimes(1, 1000);
    expect(all.map(({ publicId }) => publicId)).toEqual(ids);
    for (const { publicId, lastPublished } of all) {
      const [newest] = snapshot.observationsOf(snapshot.record(publicId)?.id ?? 0, { limit: 1 });
      expect(lastPublished).toBe(newest?.publishedAt);
    }
    expect(snapshot.publicationTimes(3, 5)).toEqual(all.slice(2, 5));
    expect(snapshot.publicationTimes(26, 50)).toEqual([]);
  });

  test("most observations first, then public id; search follows it", () => {
    const expected = [...Array.from({ length: 24 }, (_, n) => `demo_shop${n}`).sort(), "demo_moves"];
    expect([...snapshot.publicIds()]).toEqual(expected);
    expect(snapshot.recordCount()).toBe(expected.length);
    expect(ids(snapshot.search({ limit: 100 }))).toEqual(expected);
    expect(ids(snapshot.search({ name: "SHOP1", industry: "G", limit: 3 }))).toEqual(
      expected
        .filter((id) => id.startsWith("demo_shop1") && ["1", "2"].includes(String(Number(id.slice(9)) % 4)))
        .slice(0, 3),
    );
  });
});

describe("search by the same name", () => {
  test("other spellings count, parts of names and other cities do not", () => {
    const found = (name: string, city?: string) =>
      ids(snapshot.search({ name, nameMatch: "same", city, limit: 100 }));
    expect(found("SHÖP1 Inc.")).toEqual(["demo_shop1"]);
    expect(found("the Shop1 #12", "toronto")).toEqual(["demo_shop1"]);
    expect(found("Shop1", "chicago")).toEqual([]);
    expect(found("Shop")).toEqual([]);
  });
});

describe("events", () => {
  test("newest first, from `since` on, and counted by type", () => {
    const events = snapshot.eventsOf("toronto", { since: 0, limit: 1000 });
    const times = events.map(({ detectedAt }) => detectedAt);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(events[0]).toMatchObject({
      recordPublicId: "demo_moves",
      recordName: "Moves",
      industry: "5610",
      city: "toronto",
    });
    const later = snapshot.eventsOf("toronto", { since: Date.parse("2026-05-05T12:00:00Z"), limit: 1000 });
    expect(later).toEqual(
      events.filter(({ detectedAt }) => detectedAt >= Date.parse("2026-05-05T12:00:00Z")),
    );
    expect(later.find(({ type }) => type === "new_wrapped_fleet_asset")?.assetType).toBe("vehicle_wrap");
    const counts = snapshot.eventCountsOf("toronto", { since: 0 });
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(events.length);
    expect(counts).toContainEqual({ type: "new_public_record", count: 25 });
    expect(counts).toContainEqual({ type: "digital_gap_detected", count: 6 });
  });

  test("pages of any size, since any time, are the list cut in pieces", () => {
    const all = snapshot.eventsOf("toronto", { since: 0, limit: 1000 });
    const times = all.flatMap(({ detectedAt }) => [detectedAt - 1, detectedAt, detectedAt + 1]);
    fc.assert(
      fc.property(fc.constantFrom(0, ...times), fc.integer({ min: 1, max: 9 }), (since, limit) => {
        const paged = Array.from({ length: 40 }, (_, page) =>
          snapshot.eventsOf("toronto", { since, offset: page * limit, limit }),
        );
        expect(paged.flat()).toEqual(all.filter(({ detectedAt }) => detectedAt >= since));
      }),
    );
    expect(snapshot.eventsOf("chicago", { since: 0, limit: 1000 })).toEqual([]);
    expect(snapshot.eventsOf("nowhere", { since: 0, limit: 1000 })).toEqual([]);
  });
});

describe("the explorer", () => {
  test("groups all records, and filters records before it groups", () => {
    const rows = snapshot.explorerRows({});
    expect(rows.reduce((sum, { entities }) => sum + entities, 0)).toBe(25);
    expect(rows.reduce((sum, { observations }) => sum + observations, 0)).toBe(24 * 6 + 1);
    expect(snapshot.explorerRows({ assetType: "vehicle_wrap" })).toMatchObject([
      { city: "toronto", industry: "5610", claimState: "claimed", entities: 1, assets: 1, avgPps: null },
    ]);
    expect(snapshot.explorerRows({ onlinePresence: "none" })).toMatchObject([
      { industry: "5610", entities: 6 },
    ]);
    expect(snapshot.explorerRows({ industry: "G" }).map(({ industry }) => industry)).toEqual([
      "4711",
      "4719",
    ]);
    expect(snapshot.explorerRows({ claimState: "claimed" })).toHaveLength(1);
    expect(snapshot.explorerRows({ firstObservedSince: Date.parse("2026-05-01T00:00:00Z") })).toMatchObject([
      { entities: 1 },
    ]);
    expect(snapshot.explorerRows({ city: "chicago" })).toEqual([]);
  });

  test("the stored table is what a filter that lets all records through gives, of all cities and of one", () => {
    const everything = { firstObservedSince: 0 };
    expect(snapshot.explorerRows({ city: undefined, claimState: undefined })).toEqual(
      snapshot.explorerRows(everything),
    );
    expect(snapshot.explorerRows({ city: "toronto" })).toEqual(
      snapshot.explorerRows({ city: "toronto", ...everything }),
    );
  });

  test("min_percentile takes ranked records of at least that percentile", () => {
    const percentiles = wholeIndex().flatMap(({ standing }) => standing.percentile ?? []);
    const median = percentiles.toSorted((a, b) => a - b)[Math.floor(percentiles.length / 2)] ?? 0;
    const rows = snapshot.explorerRows({ minPercentile: median });
    const expected = percentiles.filter((percentile) => percentile >= median).length;
    expect(rows.reduce((sum, { entities }) => sum + entities, 0)).toBe(expected);
    expect(snapshot.explorerRows({ minPercentile: 0 }).reduce((sum, { entities }) => sum + entities, 0)).toBe(
      percentiles.length,
    );
  });
});

describe("reference data", () => {
  test("cities by population, found in either spelling, by country", () => {
    const names = (query?: string, country?: string) =>
      snapshot.gazetteerCities({ query, country, limit: 10 }).map(({ name }) => name);
    expect(names()).toEqual(["Toronto", "Torino", "Zürich"]);
    expect(names("TOR")).toEqual(["Toronto", "Torino"]);
    expect(names("turin")).toEqual(["Torino"]);
    expect(names("zürich")).toEqual(["Zürich"]);
    expect(names("zurich", "ch")).toEqual(["Zürich"]);
    expect(names("tor", "IT")).toEqual(["Torino"]);
    expect(names("%")).toEqual([]);
    expect(snapshot.gazetteerCities({ limit: 1 })).toMatchObject([
      { geonameId: 2, population: 2_800_000, countryCode: "CA" },
    ]);
  });

  test("industries by title, beginning of the code, section and level", () => {
    const codes = (options: Parameters<Snapshot["industries"]>[0]) =>
      snapshot.industries(options).map(({ code }) => code);
    expect(codes({ limit: 3 })).toEqual(["A", "01", "011"]);
    expect(codes({ query: "471", limit: 9 })).toEqual(expect.arrayContaining(["471", "4711", "4719"]));
    expect(codes({ query: "g", level: "section", limit: 1000 })).toContain("G");
    expect(
      snapshot
        .industries({ section: "g", level: "division", limit: 99 })
        .every(({ sectionCode }) => sectionCode === "G"),
    ).toBe(true);
    expect(snapshot.industries({ level: "section", limit: 99 })).toHaveLength(22);
    expect(codes({ query: "RESTAURANT", limit: 99 }).length).toBeGreaterThan(0);
  });
});

test("a contact for security is said by the release, and makes another one", () => {
  using town = new TestTown();
  town.city("toronto");
  const size = town.seal();
  const securityContact = "mailto:security@example.org";
  const contacted = town.build(size, AS_OF, { securityContact });
  expect(contacted.releaseId).not.toBe(town.build(size, AS_OF).releaseId);
  const opened = openSnapshot(contacted.path);
  expect(opened.release().securityContact).toBe(securityContact);
  opened.close();
  expect(snapshot.release().securityContact).toBeNull();
});

test("seals come newest first, without external proof", () => {
  const seals = snapshot.seals();
  expect(seals.length).toBeGreaterThanOrEqual(2);
  expect(seals[0]?.manifest.previous_manifest_sha256).toBe(seals[1]?.manifest.manifest_sha256);
  expect(seals[0]?.treeSize).toBe(snapshot.release().treeSize);
  expect(seals[1]?.treeSize).toBeLessThan(seals[0]?.treeSize ?? 0);
  expect(snapshot.release().externalTimestamping).toBe(false);
  expect(seals[0]?.externalProof).toEqual({
    provider: null,
    status: "none",
    proofSha256: null,
    verifiedAt: null,
  });
});
