import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  AssetType,
  CoverageTier,
  EntityStatus,
  type EventType,
  GateStatus,
  IndustryState,
  OnlinePresence,
  RankingState,
  ScoreState,
  SourceType,
  VerificationState,
} from "../../src/contract/enums.ts";
import { createDemo, type DemoSummary, makeKeys, playYear } from "../../src/demo/demo.ts";
import { CAST, CITIES } from "../../src/demo/fixture.ts";
import { type Home, homePaths } from "../../src/kernel/home.ts";
import { cityDate, DAY_MS, dayText } from "../../src/kernel/time.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { openLedgerWriter } from "../../src/ledger/writer.ts";
import { decider } from "../../src/review/moves.ts";
import type { EventRow, RecordRow } from "../../src/snapshot/rows.ts";
import { expectConsistent } from "../support/method/consistency.ts";
import {
  assetCounts,
  contextFor,
  type DemoView,
  recordCounts,
  recount,
  viewDemo,
} from "../support/towns/demo-view.ts";
import { isTrial } from "../support/trial.ts";

const folder = mkdtempSync(join(tmpdir(), "demo-"));
const home = homePaths(join(folder, "home"));
const LAST_SEAL = "2026-11-01T00:05:00Z";
let demo: Pick<DemoSummary, "treeSize" | "asOf" | "rows">;
let view: DemoView;

/** The demonstration of all tests, in a home of its own. */
beforeAll(() => {
  const { ledger, keys } = homePaths(inject("demoHome"));
  mkdirSync(home.night, { recursive: true });
  cpSync(keys, home.keys, { recursive: true });
  for (const ending of ["", "-wal"])
    if (existsSync(ledger + ending)) cpSync(ledger + ending, home.ledger + ending);
  demo = asMade(home);
  view = viewDemo(home, demo, join(folder, "snapshot.db"));
});

/** The demonstration before the night that built its first release. */
function asMade({ ledger, keys }: Home): typeof demo {
  using reader = openLedgerReader(ledger, { keysDir: keys });
  const asOf = (size: number) => reader.seals(size).at(-1)?.body.created_at ?? "";
  const treeSize = reader.checkpoints().findLast(({ size }) => asOf(size) <= LAST_SEAL)?.size ?? 0;
  return { treeSize, asOf: asOf(treeSize), rows: Object.fromEntries(reader.counts(treeSize)) };
}

afterAll(() => {
  view?.snapshot.close();
  rmSync(folder, { recursive: true });
});

describe("the ledger", () => {
  test("is the same in every making: rows, signatures and checks", async () => {
    const second = homePaths(join(folder, "second"));
    makeKeys(second.keys);
    mkdirSync(second.night, { recursive: true });
    const enough = new Error("enough");
    const nights = 30; // npm run trial makes all of them
    const broken = playYear(second, (done) => {
      if (done === nights) throw enough;
    });
    await expect(broken).rejects.toBe(enough);
    expectBeginning(second, nights);
  });

  test.runIf(isTrial)("is the same when one was broken off before", async () => {
    const third = homePaths(join(folder, "third"));
    mkdirSync(join(third.night, "demo.new", "night"), { recursive: true });
    writeFileSync(join(third.night, "demo.new", "night", "ledger.db"), "half a ledger");
    await createDemo(contextFor(third));
    expect(existsSync(join(third.night, "demo.new"))).toBe(false);
    expectBeginning(third, 365);
  });

  /** The demonstration begins with these nights. */
  function expectBeginning({ ledger, keys }: Home, nights: number): void {
    using begun = openLedgerReader(ledger, { keysDir: keys });
    using whole = openLedgerReader(home.ledger, { keysDir: home.keys });
    const notes = begun.checkpoints().map(({ note }) => note);
    expect(notes.length).toBeGreaterThanOrEqual(nights);
    expect(
      whole
        .checkpoints()
        .slice(0, notes.length)
        .map(({ note }) => note),
    ).toEqual(notes);
    const ever = Number.MAX_SAFE_INTEGER;
    const checks = [...begun.onlineChecks(ever)];
    expect([...whole.onlineChecks(ever)].slice(0, checks.length)).toEqual(checks);
  }

  test("is sealed every night of a year, the last one at the end of October 2026", () => {
    expect(demo.asOf).toBe(LAST_SEAL);
    const days = view.rows.flatMap(({ kind, body }) => (kind === "seal" && body ? [body.date] : []));
    expect([days.length, new Set(days).size]).toEqual([365, 365]);
    expect(days.toSorted()).toEqual(days);
  });

  test("marks all as synthetic", () => {
    const marks = view.rows.flatMap(({ kind, body }) =>
      (kind === "observation" || kind === "record") && body ? [body.is_synthetic] : [],
    );
    expect(new Set(marks)).toEqual(new Set([true]));
    expect(
      view.records.every(({ isSynthetic, publicId }) => isSynthetic && publicId.startsWith("demo_")),
    ).toBe(true);
  });

  test("holds the signs that name nobody", () => {
    using writer = openLedgerWriter(home.ledger, { keysDir: home.keys, clock: () => Date.parse(demo.asOf) });
    expect(writer.deskRows.heldLines().length).toBe(3 * CAST.generic.length);
  });

  test("has no row that intake made two of: one record for each business", () => {
    const ordinary = CITIES.reduce((sum, { businesses }) => sum + businesses, 0);
    const cast = 2 + 1 + 1 + 2 * CAST.namesakes.length;
    // One newcomer noted a sign a cell too far from where its business is known; contacts of newcomers are not looked up.
    expect(demo.rows["record"]).toBe(ordinary + cast + 1);
  });
});

describe("a mistaken making", () => {
  test("refuses a home that has a ledger", async () => {
    await expect(createDemo(contextFor(home))).rejects.toThrow(/a ledger already exists; set PRESENCE_HOME/);
  });

  test("leaves the keys of another ledger alone", async () => {
    const foreign = homePaths(join(folder, "foreign"));
    const key = join(foreign.keys, "demo.signing.json");
    mkdirSync(foreign.keys, { recursive: true });
    writeFileSync(key, "somebody's key");
    await expect(createDemo(contextFor(foreign))).rejects.toThrow(
      /demo\.signing\.json: this belongs to another/,
    );
    expect(readFileSync(key, "utf8")).toBe("somebody's key");
    expect(existsSync(foreign.ledger)).toBe(false);
  });
});

test("there is enough to look at", () => {
  expect(view.records.length).toBeGreaterThanOrEqual(400);
  expect(view.observations.length).toBeGreaterThanOrEqual(12_000);
  const busy = view.snapshot.cities().filter(({ recordCount }) => recordCount >= 50);
  expect(busy.length).toBeGreaterThanOrEqual(3);
  const times = view.observations
    .flatMap((row) => (row.derivedFromArchive ? [] : [row.observedAt]))
    .sort((a, b) => a - b);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  expect((last - first) / DAY_MS).toBeGreaterThan(363);
});

describe("every value of each closed list occurs", () => {
  const cases: [string, readonly string[], () => readonly (string | null)[]][] = [
    ["source type", SourceType.options, () => view.observations.map(({ source }) => source)],
    ["asset type", AssetType.options, () => view.observations.map(({ assetType }) => assetType)],
    ["asset status", ["active", "retired", "stale"], () => view.assets.map(({ status }) => status)],
    ["verification state", VerificationState.options, () => view.observations.map(({ state }) => state)],
    [
      "presence kind",
      ["brand_mention", "location_presence", "mobile_presence"],
      () => view.observations.map((row) => row.presenceKind),
    ],
    ["gate status", GateStatus.options, () => view.records.map(({ standing }) => standing.gate.status)],
    ["ranking state", RankingState.options, () => view.records.map(({ standing }) => standing.rankingState)],
    ["score state", ScoreState.options, () => view.records.map(({ standing }) => standing.scoreState)],
    ["industry state", IndustryState.options, () => view.records.map(({ industryState }) => industryState)],
    ["status", EntityStatus.options, () => view.records.map(({ status }) => status)],
    ["verdict of a check", OnlinePresence.options, () => view.checkVerdicts],
    ["coverage tier", CoverageTier.options, () => view.snapshot.cities().map((city) => city.coverage.tier)],
    [
      "confidence level but high",
      ["low", "medium", "none"],
      () => view.snapshot.cities().map((city) => city.coverage.level),
    ],
    [
      "collection status",
      ["active", "paused"],
      () => view.snapshot.cities().map((city) => city.collectionStatus),
    ],
  ];
  test.each(cases)("%s", (_, values, occurring) => {
    expect([...new Set(occurring())].sort()).toEqual([...values].sort());
  });
});

describe("cities", () => {
  test("are in the south, in the east and on three continents", () => {
    const cities = view.snapshot.cities();
    expect(new Set(cities.map(({ country }) => country)).size).toBeGreaterThanOrEqual(4);
    expect(cities.some(({ lat, lng, recordCount }) => lat < 0 && lng > 100 && recordCount > 50)).toBe(true);
  });

  test("one is launched with a reviewed denominator, one is not shown at all", () => {
    expect(
      view.snapshot.cities().some(({ launched, denominatorReviewed }) => launched && denominatorReviewed),
    ).toBe(true);
    const castro = view.rows.some(({ kind, body }) => kind === "record" && body?.city === "castro");
    expect([castro, view.snapshot.city("castro")]).toEqual([true, undefined]);
  });
});

describe("records", () => {
  test("two share a rank to the last digit", () => {
    const [castor, pollux] = CAST.twins.names.map((name) => view.record(name));
    expect(castor?.standing.rank).toBeTypeOf("number");
    expect(pollux?.standing.rank).toBe(castor?.standing.rank);
    expect(pollux?.standing.pps).toBe(castor?.standing.pps);
  });

  test("the score of one rests on one observer, and another is held back because it was flagged", () => {
    const { standing: crowded } = view.record(CAST.crowded.name);
    expect(crowded.gateHoldsWithoutAnyOneObserver).toBe(false);
    expect(crowded.ppsWithoutAnyOneObserver).toBeLessThan(crowded.pps ?? 0);
    const held = view.records.filter(({ standing }) => standing.gate.status === "integrity_review");
    expect(held.some(({ standing }) => /flagged/.test(standing.reason))).toBe(true);
    const cleared = view
      .targetsOf("unflag")
      .flatMap((id) => view.records.find((record) => record.id === id) ?? []);
    expect(cleared.some(({ standing }) => standing.gate.status !== "integrity_review")).toBe(true);
  });

  test("one meets every requirement where too few do", () => {
    const { standing } = view.record(CAST.lone_eligible.name);
    expect([standing.gate.status, standing.scoreState, standing.rank]).toEqual([
      "eligible",
      "provisional",
      null,
    ]);
  });

  test("match reviews: open, settled, and merged with the old id still known", () => {
    const candidates = (name: string) => view.namings(name).filter(({ match_review }) => match_review).length;
    for (const { name, outcome } of CAST.namesakes) {
      expect(candidates(name)).toBe(1);
      expect(view.records.filter((record) => record.name === name).length).toBe(outcome === "merged" ? 1 : 2);
    }
    expect(view.targetsOf("settle_match").length).toBeGreaterThan(0);
    const merged = view
      .targetsOf("merge")
      .map((id) => view.rows[id - 1])
      .flatMap((row) => (row?.kind === "record" && row.body ? [row.body] : []));
    expect(merged.length).toBe(CAST.namesakes.filter(({ outcome }) => outcome === "merged").length);
    for (const { public_id } of merged) {
      const { recordStatus, name, mergedInto } = view.snapshot.record(public_id) ?? {};
      expect({ recordStatus, mergedInto }).toEqual({
        recordStatus: "merged",
        mergedInto: view.record(name ?? "").publicId,
      });
    }
  });

  test("some have a reviewed identity, with and without a company behind it", () => {
    const identities = view.records.flatMap(({ identity }) => identity ?? []);
    expect(new Set(identities.map(({ organizations }) => organizations.length))).toEqual(new Set([0, 1]));
    expect(new Set(identities.map(({ scope }) => scope)).has("local_independent")).toBe(true);
  });

  test("some have a history of half a year", () => {
    expect(view.records.some(({ history }) => history.length === 26)).toBe(true);
  });

  test("are named in many ways", () => {
    const names = view.records.map(({ name }) => name);
    for (const { city, name } of CAST.named) if (city !== "castro") expect(names).toContain(name);
    expect(Math.max(...names.map((name) => name.length))).toBe(120);
    for (const kind of [/<b>/, /&/, /['’]/, /\p{Script=Han}/u, /[àéñø]/])
      expect(names.some((name) => kind.test(name))).toBe(true);
  });
});

describe("observations", () => {
  test("some come from archives, years back", () => {
    const archived = view.observations.filter(({ derivedFromArchive }) => derivedFromArchive);
    expect(archived.length).toBeGreaterThan(10);
    expect(archived.every(({ observedAt, publishedAt }) => publishedAt - observedAt > 365 * DAY_MS)).toBe(
      true,
    );
  });

  test("none was made after it was taken in", () => {
    expect(view.observations.filter(({ observedAt, publishedAt }) => observedAt >= publishedAt)).toEqual([]);
  });
});

describe("what is said of the evidence", () => {
  const rowsOf = (record: RecordRow) => view.snapshot.observationsOf(record.id, { limit: 100_000 });

  test("rejected rows are listed and count for nothing, of records and of assets", () => {
    expect(view.observations.filter(({ state }) => state === "rejected").length).toBeGreaterThan(20);
    for (const record of view.records) {
      const rows = rowsOf(record);
      expect({ record: record.publicId, ...recordCounts(record) }).toEqual({
        record: record.publicId,
        ...recount(rows),
      });
      for (const asset of view.snapshot.assetsOf(record.id))
        expect(assetCounts(asset)).toEqual(
          assetCounts(recount(rows.filter((row) => row.asset === asset.id))),
        );
    }
  });

  test("records come in the order of what counts", () => {
    const counts = view.records.map(
      ({ observationCount, setAsideCount }) => observationCount - setAsideCount,
    );
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });

  test("state, gate, reason and what is missing never contradict each other", () => {
    for (const { standing } of view.records) expectConsistent(standing);
    const dissolved = view.records.filter(({ recordStatus }) => recordStatus === "dissolved");
    expect(dissolved.length).toBeGreaterThan(3);
    for (const { standing } of dissolved) expect(standing.rankingState).toBe("outside_ranking");
  });

  test("an asset that went stale was last observed on the day that its event names", () => {
    const said = view.snapshot.cities().flatMap(({ slug, lng }) =>
      view.snapshot.eventsOf(slug, { since: 0, limit: 10_000 }).flatMap((event) => {
        const rows = view.observations.filter(
          ({ assetPublicId, setAside }) => assetPublicId === event.assetPublicId && setAside === null,
        );
        const { lastObserved } = recount(rows);
        const isOver = rows.some(({ publishedAt }) => publishedAt > event.detectedAt);
        if (event.type !== "stale_asset" || isOver || lastObserved === null) return [];
        return [[event.summary, cityDate(lastObserved, lng)] as const];
      }),
    );
    expect(said.length).toBeGreaterThan(50);
    for (const [summary, day] of said) expect(summary).toContain(`, the newest of ${dayText(day)};`);
  });

  test("every review has a documented reason, and a role that the desk would take", () => {
    for (const { kind, body } of view.rows)
      if (kind === "review" && body) expect(() => decider(body.reviewer, body.reason)).not.toThrow();
  });
});

describe("events of the last 30 days", () => {
  const types: EventType[] = [
    "new_public_record",
    "new_observed_asset",
    "new_wrapped_fleet_asset",
    "stale_asset",
    "digital_gap_detected",
  ];
  test.each(types)("%s", (type) => {
    expect(recentEvents().some((event) => event.type === type)).toBe(true);
  });

  test("every confidence label", () => {
    expect(new Set(recentEvents().map(({ confidenceLabel }) => confidenceLabel))).toEqual(
      new Set(["derived", "ledger", "review_needed"]),
    );
  });
});

function recentEvents(): EventRow[] {
  const since = Date.parse(demo.asOf) - 30 * DAY_MS;
  return view.snapshot.cities().flatMap(({ slug }) => view.snapshot.eventsOf(slug, { since, limit: 10_000 }));
}
