import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { NOTHING_STATED } from "../../tests/support/ledger/observation-body.ts";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { GAZETTEER, TestTown } from "../../tests/support/release/town-release.ts";
import type { OnlineCheck } from "../ledger/outside-tree.ts";
import { openSnapshot } from "./snapshot.ts";

const AS_OF = "2026-05-20T12:00:00Z";

/** One storefront seen by two observers on two days, in a published city. */
const FIRST_SEEN = Date.parse("2026-04-28T05:00:00Z"); // the start of the solar day

function smallTown() {
  const town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha", { website: "https://alpha.example" });
  const asset = town.asset(record);
  const first = town.see(record, asset, "a", "2026-04-28T10:00:00Z", { legibility: 0.5 });
  const second = town.see(record, asset, "b", "2026-04-30T15:00:00Z", { legibility: 0.7 });
  return { town, record, asset, first, second };
}

describe("what a record shows", () => {
  test("lifetime counts, states and the assets of its listed rows", () => {
    const { town, record, asset, first, second } = smallTown();
    using _ = town;
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.record("demo_alpha")).toMatchObject({
      position: 1,
      id: record,
      name: "Alpha",
      city: "toronto",
      industry: "5610",
      industryState: "declared",
      status: "unclaimed",
      recordStatus: "active",
      website: "https://alpha.example",
      mergedInto: null,
      onlineVerdict: "unknown",
      online: { checkedAt: null, signalTypes: [], matchCount: 0 },
      firstObserved: FIRST_SEEN,
      lastObserved: Date.parse("2026-04-30T05:00:00Z"),
      observationCount: 2,
      assetCount: 1,
      cellCount: 1,
    });
    expect(snapshot.assetsOf(record)).toMatchObject([
      { id: asset, legibility: 0.6, observationCount: 2, status: "active" },
    ]);
    // Both saw the same storefront within 30 days: each corroborates the other. Scout 1.0 x 0.9.
    const observations = snapshot.observationsOf(record, { limit: 10 });
    expect(observations.map(({ id, state, trust }) => [id, state, trust])).toEqual([
      [second, "corroborated", 0.9],
      [first, "corroborated", 0.9],
    ]);
    expect(observations[0]).toMatchObject({
      assetPublicId: `as_${asset}`,
      assetType: "storefront",
      acceptedAt: Date.parse("2026-05-01T00:00:00Z"),
      publishedAt: Date.parse("2026-05-01T12:00:00Z"),
      stated: NOTHING_STATED,
      presenceKind: "location_presence",
      observerTag: "b",
    });
    expect(observations[0]?.ledgerHash).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a rejected row stays listed, counts for nothing and corroborates nothing", () => {
    const { town, record, first, second } = smallTown();
    using _ = town;
    town.review("reject", second);
    const snapshot = town.snapshot(AS_OF);
    const states = snapshot
      .observationsOf(record, { limit: 10 })
      .map(({ id, state, trust }) => [id, state, trust]);
    expect(states).toEqual([
      [second, "rejected", 0],
      [first, "provisional", 0.7],
    ]);
    expect(snapshot.record("demo_alpha")).toMatchObject({
      firstObserved: FIRST_SEEN,
      lastObserved: FIRST_SEEN,
      observationCount: 1,
      rowCount: 2,
    });
    expect(snapshot.assetsOf(record)).toMatchObject([
      { firstObserved: FIRST_SEEN, lastObserved: FIRST_SEEN, legibility: 0.5, observationCount: 1 },
    ]);
    expect(snapshot.city("toronto")?.observationCount).toBe(1);
    expect(snapshot.record("demo_alpha")?.standing.observations).toBe(1);
    expect(snapshot.evidenceMix(record)).toEqual({
      source: [{ value: "scout", count: 1 }],
      verification: [
        { value: "provisional", count: 1 },
        { value: "rejected", count: 1 },
      ],
      citations: [{ value: "location_presence", count: 1 }],
      setAside: [],
      cited: {
        accepted: 1,
        counted: 1,
        observers: 1,
        states: { provisional: 1, corroborated: 0, verified: 0 },
        first: FIRST_SEEN,
        last: FIRST_SEEN,
        newest: { id: first, observedAt: FIRST_SEEN, kind: "location_presence", state: "provisional" },
      },
    });
  });

  test("of a record whose every row is rejected the rows are listed and nothing is counted", () => {
    const { town, record, first, second } = smallTown();
    using _ = town;
    for (const row of [first, second]) town.review("reject", row);
    const snapshot = town.snapshot(AS_OF);
    const nothing = { firstObserved: null, lastObserved: null, observationCount: 0 };
    expect(snapshot.record("demo_alpha")).toMatchObject({
      ...nothing,
      assetCount: 0,
      cellCount: 0,
      rowCount: 2,
    });
    expect(snapshot.assetsOf(record)).toMatchObject([{ ...nothing, legibility: null }]);
    expect(snapshot.observationsOf(record, { limit: 10 })).toHaveLength(2);
    expect(snapshot.city("toronto")).toMatchObject({ recordCount: 1, observationCount: 0 });
  });

  test("the last review about a thing decides", () => {
    const { town, record, asset, first } = smallTown();
    using _ = town;
    for (const decision of ["reject", "verify"] as const) town.review(decision, first);
    for (const decision of ["retire", "unretire", "retire"] as const) town.review(decision, asset);
    for (const decision of ["flag", "unflag", "flag"] as const) town.review(decision, record);
    town.review("classify", record, { industry: "4711" });
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.observationsOf(record, { limit: 2 })[1]).toMatchObject({
      id: first,
      state: "verified",
    });
    expect(snapshot.assetsOf(record)[0]?.status).toBe("retired");
    expect(snapshot.record("demo_alpha")).toMatchObject({
      industry: "4711",
      industryState: "reviewed",
      standing: { gate: { status: "integrity_review" } },
    });
  });

  test("a dissolved record can still be read, keeps its identity status and leaves the index", () => {
    const { town, record } = smallTown();
    using _ = town;
    town.append({ kind: "status", body: { record, status: "claimed" } });
    town.append({ kind: "status", body: { record, status: "dissolved" } });
    const snapshot = town.snapshot(AS_OF);
    const shown = snapshot.record("demo_alpha");
    expect(shown).toMatchObject({
      status: "dissolved",
      recordStatus: "dissolved",
      identityStatus: "claimed",
    });
    expect(shown?.standing).toMatchObject({ rank: null, cohortSize: null });
    expect(shown?.standing.reason).toMatch(/^Not ranked: the record is dissolved/);
    expect(snapshot.cityIndexPage("toronto", {}, 0, 10)).toEqual([]);
    expect(snapshot.cityIndexCount("toronto", {})).toBe(0);
    expect([...snapshot.publicIds()]).toEqual(["demo_alpha"]);
  });

  test("online checks up to as_of, the last one counting", () => {
    const { town, record } = smallTown();
    using _ = town;
    const check: Omit<OnlineCheck, "checkedAt"> = {
      record,
      verdict: "none",
      signalTypes: [],
      matchCount: 0,
      provider: "p",
    };
    town.writer.appendOnlineCheck({ ...check, checkedAt: Date.parse("2026-05-02T00:00:00Z") });
    town.writer.appendOnlineCheck({
      ...check,
      verdict: "detected",
      checkedAt: Date.parse("2026-06-02T00:00:00Z"),
    });
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.record("demo_alpha")).toMatchObject({
      onlineVerdict: "none",
      online: { checkedAt: Date.parse("2026-05-02T00:00:00Z"), signalTypes: [], matchCount: 0 },
    });
    expect(snapshot.eventsOf("toronto", { since: 0, limit: 9 }).map(({ type }) => type)).toContain(
      "digital_gap_detected",
    );
  });
});

describe("what is left out", () => {
  test("a redacted observation, and a record without any other", () => {
    const { town, record, first, second } = smallTown();
    using _ = town;
    const before = town.seal();
    town.redact([second]);
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.observationsOf(record, { limit: 10 }).map(({ id }) => id)).toEqual([first]);
    expect(snapshot.record("demo_alpha")).toMatchObject({
      observationCount: 1,
      lastObserved: FIRST_SEEN,
    });
    expect(() => town.build(before, AS_OF)).toThrow(/redacted later/);
    town.redact([first]);
    expect(town.snapshot(AS_OF).record("demo_alpha")).toBeUndefined();
  });

  test("an opted-out record with all its rows and events", () => {
    const { town, record, asset, first, second } = smallTown();
    using _ = town;
    town.redact([record, asset, first, second]);
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.record("demo_alpha")).toBeUndefined();
    expect([...snapshot.publicIds()]).toEqual([]);
    expect(snapshot.search({ name: "alpha", limit: 5 })).toEqual([]);
    expect(snapshot.eventsOf("toronto", { since: 0, limit: 5 })).toEqual([]);
    expect(snapshot.explorerRows({})).toEqual([]);
    expect(snapshot.city("toronto")).toMatchObject({ recordCount: 0, observationCount: 0 });
  });

  test("an unpublished city and its records, until it is published again", () => {
    const { town } = smallTown();
    using _ = town;
    town.step("toronto", "unpublish");
    const hidden = town.snapshot(AS_OF);
    expect(hidden.cities()).toEqual([]);
    expect(hidden.record("demo_alpha")).toBeUndefined();
    expect(hidden.search({ limit: 5 })).toEqual([]);
    for (const step of ["publish", "pause", "launch", "review"] as const) town.step("toronto", step);
    const shown = town.snapshot(AS_OF);
    expect(shown.city("toronto")).toMatchObject({
      publicationStatus: "published",
      collectionStatus: "paused",
      launched: true,
      denominatorReviewed: true,
      recordCount: 1,
    });
    expect(shown.record("demo_alpha")?.observationCount).toBe(2);
  });

  test("what was observed after as_of, and records seen only then", () => {
    const { town, record, first } = smallTown();
    using _ = town;
    const late = town.record("Late");
    town.see(late, town.asset(late), "c", "2026-04-30T09:00:00Z");
    const snapshot = town.snapshot("2026-04-29T00:00:00Z");
    expect(snapshot.observationsOf(record, { limit: 9 }).map(({ id }) => id)).toEqual([first]);
    expect(snapshot.record("demo_late")).toBeUndefined();
    // Its neighbour of two days later is not there yet to corroborate it.
    expect(snapshot.observationsOf(record, { limit: 9 })[0]?.state).toBe("provisional");
    expect(snapshot.eventsOf("toronto", { since: 0, limit: 9 })).toEqual([]);
    expect(snapshot.release().latestLiveRow).toBe(snapshot.release().treeSize);
  });

  test("rows that no seal covers yet", () => {
    const { town, record, asset } = smallTown();
    using _ = town;
    const size = town.seal();
    const waiting = town.see(record, asset, "c", "2026-05-01T08:00:00Z");
    const snapshot = openSnapshot(town.build(size, AS_OF).path);
    expect(snapshot.observationsOf(record, { limit: 9 })).toHaveLength(2);
    expect(snapshot.release()).toMatchObject({
      treeSize: size,
      lastSealedRow: size,
      lastSealAt: Date.parse("2026-05-01T12:00:00Z"),
      latestLiveRow: waiting,
      latestLiveAt: Date.parse("2026-05-01T00:00:00Z"),
    });
    snapshot.close();
  });
});

describe("a seal that leaves today open", () => {
  test("its tree covers today's rows, and the release does not", () => {
    using town = new TestTown("2026-05-01T12:00:00Z");
    town.city("toronto");
    const record = town.record("Bakery");
    const asset = town.asset(record);
    const covered = town.see(record, asset, "a", "2026-05-01T09:00:00Z");
    town.at("2026-05-02T06:00:00Z");
    town.review("reject", covered);
    town.see(record, asset, "b", "2026-05-02T05:00:00Z");
    const { checkpoint } = town.writer.seal({ now: false });
    const snapshot = openSnapshot(town.build(checkpoint?.size ?? 0, "2026-05-02T06:00:00Z").path);
    const rows = snapshot.observationsOf(record, { limit: 9 });
    expect(rows.map(({ id, state }) => [id, state])).toEqual([[covered, "provisional"]]);
    expect(snapshot.release()).toMatchObject({ treeSize: covered + 3, lastSealedRow: covered });
    snapshot.close();
  });
});

test("a city's scouts are told apart across records, and who they are is in no file", () => {
  using town = new TestTown();
  town.city("toronto");
  const records = ["One", "Two", "Three"].map((name) => town.record(name));
  for (const [index, record] of records.entries()) {
    const asset = town.asset(record);
    for (const scout of ["a", ["b", "c", "a"][index] ?? ""]) {
      town.see(record, asset, scout, "2026-05-01T09:00:00Z", { observer_tag: `${scout} of ${record}` });
    }
  }
  const { metrics } = town.snapshot("2026-05-01T12:00:00Z").city("toronto")?.coverage ?? {};
  expect(metrics).toMatchObject({
    independent_scout_observers_180d: 3,
    independent_scout_observations_180d: 5,
  });
});

test("a changed private observer is named", () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("One");
  const row = town.see(record, town.asset(record), "a", "2026-05-01T09:00:00Z");
  const size = town.seal();
  rawLedger(town.writer)
    .prepare("UPDATE openings SET private = replace(private, 'SECRET-a', 'SECRET-b') WHERE row = ?")
    .run(row);
  expect(() => town.build(size, "2026-05-01T12:00:00Z")).toThrow(new RegExp(`^row ${row}: .*observer`));
});

describe("a build that fails", () => {
  test.each([
    ["body", "UPDATE openings SET body = replace(body, 'toronto', 'torento') WHERE row = ?"],
    ["leaf hash", "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = ?"],
    ["missing", "DELETE FROM rows WHERE id = ?"],
  ])("names a row whose %s was changed, and leaves no file", (_what, sql) => {
    const { town, second } = smallTown();
    using _ = town;
    const size = town.seal();
    rawLedger(town.writer).pragma("foreign_keys = OFF");
    rawLedger(town.writer).prepare(sql).run(second);
    const out = town.path();
    expect(() => town.build(size, AS_OF, { out })).toThrow(new RegExp(`^row ${second}: `));
    expect(existsSync(out)).toBe(false);
  });

  test("refuses a size without a checkpoint and a file that exists", () => {
    const { town } = smallTown();
    using _ = town;
    const size = town.seal();
    expect(() => town.build(size - 1, AS_OF)).toThrow(/no signed checkpoint/);
    const { path } = town.build(size, AS_OF);
    const bytes = readFileSync(path);
    expect(() => town.build(size, AS_OF, { out: path })).toThrow(/already exists/);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("removes what it had begun to write", () => {
    const { town } = smallTown();
    using _ = town;
    const size = town.seal();
    const out = town.path();
    const gazetteer = (function* () {
      yield* GAZETTEER;
      throw new Error("the catalogue broke");
    })();
    expect(() => town.build(size, AS_OF, { out, reference: { gazetteer, industries: [] } })).toThrow(
      "the catalogue broke",
    );
    expect(existsSync(out)).toBe(false);
  });
});
