/** Looks from the line to the row: what is kept, what is written when, and what leaves with whoever looked. */
import { latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import {
  AVALON,
  sighting,
  type TestLedger,
  testLedger,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { night } from "../../../tests/support/ledger/source-ledger.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { bitmapCells, cellManifestId, eligibleCells } from "../../ledger/looks.ts";

import { leave, planToLeave } from "../sources/leaving.ts";
import { addSource, enrol, setSuspended, stepSource } from "../sources/source-desk.ts";
import { writeLookRows } from "./look-rows.ts";

const [A, B, C] = [0, 0.01, 0.02].map((north) => latLngToCell(AVALON.lat + north, AVALON.lng, 8));
const OUTSIDE = latLngToCell(50, 8, 8);

/** A ledger with a source of vouched observers, each a principal of its own, and one whose observers are all one. */
function withSources(): TestLedger {
  const it = testLedger();
  for (const [id, vetting] of [
    ["walkers", "individual"],
    ["club", "collective"],
  ] as const)
    addSource(it.ledger, {
      id,
      kind: "scout",
      vetting,
      operator: "town",
      name: null,
      isNamed: false,
      licence: "CC-BY-4.0",
      consent: "on file",
      assetTypes: ["storefront"],
    });
  vouch(it, "walkers", ["ann", "bob", "cyd"]);
  return it;
}

function vouch(it: TestLedger, source: string, observers: readonly string[]): void {
  for (const observer of observers) enrol(it.ledger, { source, observer }, { isVouched: true });
}

let made = 0;
function look(observer: string, date: string, cells: readonly unknown[], changes: object = {}) {
  made += 1;
  return {
    kind: "look",
    source: "walkers",
    source_type: "scout",
    source_ref: `look-${made}`,
    observer,
    from: `${date}T15:00:00Z`,
    until: `${date}T18:00:00Z`,
    asset_types: ["storefront"],
    cells,
    ...changes,
  };
}

/** Every look row as [span, start, cells]. */
function rows(it: TestLedger): [unknown, unknown, string[]][] {
  const details = it.ledger.intake.eligibleDetails("avalon");
  const list = details === undefined ? [] : eligibleCells(details);
  return it.rows("look").map(({ body }) => {
    expect(body["manifest"]).toBe(cellManifestId(list));
    expect(Object.keys(body).sort()).toEqual(["cells", "city", "manifest", "span", "start"]);
    return [body["span"], body["start"], bitmapCells(list, String(body["cells"]))];
  });
}

const waiting = (it: TestLedger) => rawLedger(it.ledger).prepare("SELECT * FROM looks").all();

/** Seals as the night after a day does. */
function sealAfter(it: TestLedger, date: string): number {
  it.clock.time = Date.parse(`${date}T00:05:00Z`) + DAY_MS;
  const written = writeLookRows(it.ledger, { now: false });
  it.ledger.seal({ now: false });
  return written;
}

test("what is kept of a look is its city, cells, day and principal; a walk is in no file", async () => {
  using it = withSources();
  const track = {
    type: "LineString",
    coordinates: Array.from({ length: 40 }, (_, at) => [AVALON.lng, AVALON.lat + at * 0.00071]),
    times: Array.from({ length: 40 }, (_, at) =>
      new Date(Date.parse("2026-05-04T15:00:00Z") + at * 60_000).toISOString(),
    ),
  };
  const lines = [
    look("ann", "2026-05-04", [A, OUTSIDE]),
    look("bob", "2026-05-04", [], { cells: undefined, track }),
  ];
  expect(await it.accept(lines)).toMatchObject({ read: 2, accepted: 0, looks: 2, rejected: 0 });
  expect(await it.accept(lines)).toMatchObject({ looks: 0, known: 2 });
  const kept = waiting(it);
  expect(kept).toContainEqual({
    city: "avalon",
    day: Date.parse("2026-05-04") / DAY_MS,
    cell: A,
    observer: expect.stringMatching(/^[0-9a-f]+$/),
    source: "walkers",
  });
  expect(JSON.stringify(kept)).not.toContain(OUTSIDE);
  expect(it.ledger.pending.counts().waiting).toBe(0);
  const dump = JSON.stringify(
    ["pending", "openings", "looks", "recent_refs"].map((table) =>
      rawLedger(it.ledger).prepare(`SELECT * FROM ${table}`).all(),
    ),
  );
  expect(dump).not.toContain("40.00071");
  expect(dump).not.toContain("ann");
});

test("lines without the kind stay observations; refused looks name their reason and hide the walk", async () => {
  using it = withSources();
  const bad = [
    look("ann", "2026-05-04", [OUTSIDE]),
    look("ann", "2026-05-04", [A], { source: "unknown" }),
    { ...sighting("a"), kind: "sighting" },
  ];
  const summary = await it.accept(bad);
  expect(summary).toMatchObject({
    accepted: 1,
    looks: 0,
    rejectedByReason: { outside_registered_cities: 1, unknown_source: 1 },
  });
  await it.accept([look("ann", "2026-05-04", ["no cell"])]);
  expect(it.rejects).toContain('"cells":"[masked]"');
  expect(it.rejects).not.toContain('no cell"');
});

test("a reference stands for one look, and a dry run keeps none", async () => {
  using it = withSources();
  const first = look("ann", "2026-05-04", [A]);
  expect(await it.accept([first], { dryRun: true })).toMatchObject({ looks: 1 });
  expect(waiting(it)).toEqual([]);
  await it.accept([first, { ...first, cells: [B] }]);
  expect(it.rejects).toContain("duplicate_reference_with_other_content");
  expect(await it.accept([sighting(first.source_ref)])).toMatchObject({ accepted: 1 }); // a namesake
});

test("a day has the cells of three principals, a week all, a month those of two; 7 days after each", async () => {
  using it = withSources();
  await it.accept([
    look("ann", "2026-05-04", [A, B, C]), // a Monday
    look("bob", "2026-05-04", [A, B]),
    look("cyd", "2026-05-04", [A]),
    look("cyd", "2026-05-09", [C]),
  ]);
  expect(sealAfter(it, "2026-05-11")).toBe(0);
  expect(sealAfter(it, "2026-05-12")).toBe(1); // the 4th ended 7 days ago, five hours behind UTC
  expect(sealAfter(it, "2026-05-17")).toBe(0); // nobody else on the 9th
  expect(sealAfter(it, "2026-05-18")).toBe(1);
  expect(waiting(it)).toHaveLength(7);
  expect(sealAfter(it, "2026-06-07")).toBe(0);
  expect(sealAfter(it, "2026-06-08")).toBe(1);
  expect(rows(it)).toEqual([
    ["day", "2026-05-04", [A]],
    ["week", "2026-05-04", [A, B, C].sort()],
    ["month", "2026-05-01", [A, B, C].sort()],
  ]);
  expect(waiting(it)).toEqual([]);
  expect(sealAfter(it, "2026-06-30")).toBe(0);
});

test("looks at the end of a month stay until their week has its row", async () => {
  using it = withSources();
  it.clock.time = Date.parse("2026-07-01T12:00:00Z");
  await it.accept([look("ann", "2026-06-29", [A]), look("ann", "2026-06-30", [B])]);
  expect(sealAfter(it, "2026-07-08")).toBe(0); // June is settled, the week of June 29 is not
  expect(waiting(it)).toHaveLength(2);
  expect(sealAfter(it, "2026-07-13")).toBe(1);
  expect(rows(it)).toEqual([["week", "2026-06-29", [A, B].sort()]]);
  expect(waiting(it)).toEqual([]);
});

test("a look that comes late enters the rows that are still to come, and no other", async () => {
  using it = withSources();
  await it.accept([look("ann", "2026-04-27", [A])]);
  sealAfter(it, "2026-05-11");
  expect(rows(it)).toEqual([["week", "2026-04-27", [A]]]);
  const late = look("bob", "2026-05-01", [B]); // the month is open
  expect(await it.accept([late, look("bob", "2026-04-28", [B])])).toMatchObject({
    looks: 1,
    rejectedByReason: { look_too_late: 1 },
  });
  sealAfter(it, "2026-06-08");
  expect(rows(it)).toHaveLength(1); // one principal in May
  expect(await it.accept([look("cyd", "2026-05-01", [B])])).toMatchObject({ rejected: 1 });
});

test("all built-in sources are one principal, and so is a collective source", async () => {
  using it = withSources();
  const all = (changes: object) =>
    ["ann", "bob", "cyd"].map((observer) => look(observer, "2026-05-04", [A], changes));
  await it.accept([...all({ source: undefined }), ...all({ source: "" })]);
  sealAfter(it, "2026-06-08");
  expect(rows(it)).toEqual([["week", "2026-05-04", [A]]]);
});

test("observers who do not count make no looked area, and nor does what they saw", async () => {
  using it = withSources();
  const newcomers = ["eve", "mallory", "trudy"];
  await it.accept(newcomers.map((observer) => look(observer, "2026-05-04", [A])));
  await it.ingest(
    newcomers.map((observer) => sighting(observer, { observer, observed_at: "2026-05-04T15:00:00Z" })),
  );
  sealAfter(it, "2026-06-08");
  expect(rows(it)).toEqual([]);
});

test("a look counts by what is known of the observer when the row is written", async () => {
  using it = withSources();
  await it.accept([look("eve", "2026-05-04", [A]), look("ann", "2026-05-04", [A])]);
  sealAfter(it, "2026-05-18");
  vouch(it, "walkers", ["eve"]);
  sealAfter(it, "2026-06-08");
  expect(rows(it)).toEqual([
    ["week", "2026-05-04", [A]],
    ["month", "2026-05-01", [A]],
  ]);
});

test("counting observations of fixed assets imply a look at their cell, those of vehicles and archives none", async () => {
  using it = withSources();
  vouch(it, "scout", ["scout-7"]);
  await it.ingest([
    sighting("a"),
    sighting("b", { name: "Quiet Corner", lat: 40.02, derived_from_archive: true }),
    sighting("c", { name: "Swift", lat: 40.03, asset_type: "vehicle_wrap" }),
    sighting("d"),
  ]);
  expect(waiting(it)).toEqual([
    {
      city: "avalon",
      day: Date.parse("2026-05-01") / DAY_MS,
      cell: latLngToCell(40.001, -75.001, 8),
      observer: expect.stringMatching(/^[0-9a-f]+$/),
      source: "scout",
    },
  ]);
});

test("rows are dated before the seal, which covers them at once", async () => {
  using it = withSources();
  await it.accept([look("ann", "2026-04-27", [A])]);
  expect(sealAfter(it, "2026-05-11")).toBe(1);
  const last = rawLedger(it.ledger)
    .prepare<[], string>("SELECT kind FROM rows ORDER BY id DESC LIMIT 1")
    .pluck();
  expect(last.get()).toBe("seal");
});

test("the observers of a collective source are one principal", async () => {
  using it = withSources();
  const looks = ["ann", "bob", "cyd"].map((observer) =>
    look(observer, "2026-05-04", [A], { source: "club" }),
  );
  await it.accept([...looks, look("ann", "2026-05-05", [A])]);
  sealAfter(it, "2026-06-08");
  expect(rows(it).map(([span]) => span)).toEqual(["week", "month"]); // the club and Ann
});

test("nothing is taken from a suspended source, and a suspended observer's looks do not count", async () => {
  using it = withSources();
  await it.accept([look("ann", "2026-05-04", [A]), look("bob", "2026-05-04", [B])]);
  setSuspended(it.ledger, { source: "walkers", observer: "bob" }, true);
  stepSource(it.ledger, "walkers", "suspend");
  expect(await it.accept([look("cyd", "2026-05-04", [A])])).toMatchObject({
    rejectedByReason: { source_not_active: 1 },
  });
  sealAfter(it, "2026-05-18");
  expect(rows(it)).toEqual([["week", "2026-05-04", [A]]]);
});

/** The keyed hashes of those whose looks wait, in the order of the cells. */
function observers(it: TestLedger): string[] {
  return rawLedger(it.ledger)
    .prepare<[], string>("SELECT observer FROM looks ORDER BY day, cell")
    .pluck()
    .all();
}

test("two observers that turn out to be one principal count as one", async () => {
  using it = withSources();
  await it.accept([look("ann", "2026-05-04", [A]), look("bob", "2026-05-05", [A])]);
  const [ann = "", bob = ""] = observers(it);
  const linked = { observer: bob, principal: ann, isSuspended: false, isVouched: true, enrolledIn: null };
  it.ledger.transaction(() => it.ledger.sources.putObserver(linked));
  sealAfter(it, "2026-06-08");
  expect(rows(it).map(([span]) => span)).toEqual(["week"]);
});

test("who leaves takes along the rows made alone, within days; sums stay, and what waits goes at once", async () => {
  using it = withSources();
  await it.accept([
    look("ann", "2026-04-27", [A]),
    look("ann", "2026-05-04", [A]),
    look("bob", "2026-05-05", [B]),
  ]);
  const [ann = ""] = observers(it);
  sealAfter(it, "2026-05-18");
  const [alone, both] = it.rows("look").map(({ id }) => id);
  expect(it.ledger.looks.rowsMadeOnlyBy({ observers: [ann] })).toEqual([alone]);
  expect(it.ledger.looks.rowsMadeOnlyBy({ source: "walkers" })).toEqual([alone, both]);
  leave(it.ledger, planToLeave(it.ledger, { observer: { source: "walkers", observer: "ann" } }));
  expect(JSON.stringify(waiting(it))).not.toContain(ann);
  expect(waiting(it)).toHaveLength(1);
  it.clock.time += 15 * DAY_MS;
  expect(night(it.ledger)).toEqual({ recounts: 0, namings: 0, erased: 1 });
  expect(it.rows("look").map(({ id }) => id)).toEqual([both]);
  leave(it.ledger, planToLeave(it.ledger, { source: "walkers" }));
  expect(waiting(it)).toEqual([]);
  it.clock.time += 15 * DAY_MS;
  night(it.ledger);
  expect(it.rows("look")).toEqual([]);
});

test("the day is the city's own", async () => {
  using it = withSources(); // five hours behind UTC
  await it.accept([
    look("ann", "2026-05-04", [A], { from: "2026-05-05T02:00:00Z", until: "2026-05-05T04:00:00Z" }),
  ]);
  expect(waiting(it)).toMatchObject([{ day: Date.parse("2026-05-04") / DAY_MS }]);
});
