import { expect, test } from "vitest";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import { NOW, type TestLedger, testLedger } from "../../testing/ledger/intake-ledger.ts";
import { folded, nights, register, seen } from "../../testing/ledger/source-ledger.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { appendReview } from "../matching/decide.ts";
import { recordSubject } from "./affiliations.ts";
import { applyDueChanges } from "./due-changes.ts";
import { delayOf, judgeLedger } from "./judge-ledger.ts";
import { enrol, link, principalOf, runSubject, setSuspended } from "./source-desk.ts";

const RECORDS = 40;
const FORTNIGHT = 15;

function counting(it: TestLedger): boolean[] {
  const fold = folded(it);
  return it.rows("observation").map(({ id }) => fold.sightings.setAside(id) === null);
}

function tags(it: TestLedger): string[] {
  const fold = folded(it);
  return it.rows("observation").map(({ id }) => fold.observerTag(id));
}

function vouch(it: TestLedger, observer: string, source = "scouts"): void {
  enrol(it.ledger, { source, observer }, { isVouched: true });
}

/** Sightings of many records by each observer, an hour apart. */
function walks(observers: readonly string[], records = RECORDS) {
  return observers.flatMap((observer, at) =>
    Array.from({ length: records }, (_, record) =>
      seen("scouts", observer, { record, day: record % 5, hour: 10 + ((at + record) % 12) }),
    ),
  );
}

test("observers count once they are vouched for, from the first row on; others do not", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "ann");
  await it.ingest([seen("scouts", "ann")]);
  await it.ingest([seen("scouts", "bob", { day: 1 })]);
  expect(counting(it)).toEqual([true, false]);
  vouch(it, "bob");
  await it.ingest([seen("scouts", "bob", { day: 3 })]);
  expect(counting(it)).toEqual([true, false, true]);
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual([true, true, true]);
  expect(it.rows("recount").map(({ body }) => body)).toEqual([
    { counts: true, tags: null, target: it.rows("observation")[1]?.id },
  ]);
});

test("a link changes tags record by record, on many days, and never all in one night", async () => {
  using it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob"]) vouch(it, observer);
  await it.ingest(walks(["ann", "bob"]));
  expect(new Set(tags(it)).size).toBe(2 * RECORDS);
  link(it.ledger, { source: "scouts", observer: "ann" }, { source: "scouts", observer: "bob" });
  expect(new Set(tags(it)).size).toBe(2 * RECORDS);
  const first = judgeLedger(it.ledger);
  expect(first?.waiting).toBe(RECORDS);
  const days = it.ledger.sources.delayed().map(({ due }) => (due - utcDayStart(NOW)) / DAY_MS);
  expect(Math.min(...days)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...days)).toBeLessThanOrEqual(14);
  const recounts = nights(it, FORTNIGHT).map((night) => night.recounts);
  expect(recounts.reduce((sum, each) => sum + each)).toBe(RECORDS);
  expect(Math.max(...recounts)).toBeLessThan(RECORDS / 2);
  expect(recounts.filter((each) => each > 0).length).toBeGreaterThan(5);
  expect(new Set(tags(it)).size).toBe(RECORDS);
  expect(nights(it, 3).map((night) => night.recounts)).toEqual([0, 0, 0]);
});

test("delays are 1 to 14 days, each about as often, and the same when they are asked for again", () => {
  using it = testLedger();
  const hashes = intakeHashes(it.ledger.purposeKey);
  const days = Array.from({ length: 2800 }, (_, row) => delayOf(row, { counts: true }, hashes) / DAY_MS);
  const counted = Map.groupBy(days, (day) => day);
  expect([...counted.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, at) => at + 1));
  for (const { length } of counted.values()) expect(Math.abs(length - 200)).toBeLessThan(70); // 5 sigma
  expect(delayOf(7, { counts: true }, hashes)).toBe(delayOf(7, { counts: true }, hashes));
});

test("links one after the other end at one tag, whatever order their changes come in", async () => {
  using it = testLedger();
  register(it, "scouts");
  const observers = ["ann", "bob", "eve"];
  for (const observer of observers) vouch(it, observer);
  await it.ingest(walks(observers, 12));
  const named = (observer: string) => ({ source: "scouts", observer });
  link(it.ledger, named("ann"), named("bob"));
  nights(it, 5);
  link(it.ledger, named("eve"), named("ann"));
  nights(it, 4 * FORTNIGHT);
  expect(new Set(tags(it)).size).toBe(12);
  expect(nights(it, FORTNIGHT).every((night) => night.recounts === 0)).toBe(true);
});

test("observers that are one principal stay so", () => {
  using it = testLedger();
  register(it, "scouts");
  const named = (observer: string) => ({ source: "scouts", observer });
  const company = { principal: "Signs & Sons", isVouched: false };
  expect(enrol(it.ledger, named("ann"), company).principal).toBe(
    enrol(it.ledger, named("bob"), { ...company, principal: "signs  and sons" }).principal,
  );
  expect(() => enrol(it.ledger, named("ann"), { ...company, principal: "Others" })).toThrow(
    "is one principal with another observer, and stays so",
  );
  expect(() => link(it.ledger, named("ann"), named("bob"))).toThrow("are one principal already");
});

test("applying what is due twice, or after a kill, changes nothing", async () => {
  using it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob"]) vouch(it, observer);
  await it.ingest(walks(["ann", "bob"], 12));
  link(it.ledger, { source: "scouts", observer: "ann" }, { source: "scouts", observer: "bob" });
  judgeLedger(it.ledger);
  it.clock.time += 20 * DAY_MS;
  const fails = () => {
    throw new Error("killed");
  };
  expect(() => applyDueChanges(Object.assign(Object.create(it.ledger), { append: fails }))).toThrow();
  expect(it.rows("recount")).toEqual([]);
  expect(applyDueChanges(it.ledger)).toEqual({ recounts: 12, erased: 0 });
  const size = it.ledger.nextId();
  expect(applyDueChanges(it.ledger)).toEqual({ recounts: 0, erased: 0 });
  judgeLedger(it.ledger);
  judgeLedger(it.ledger);
  expect(it.ledger.sources.delayed()).toEqual([]);
  expect(it.ledger.nextId()).toBe(size);
});

test("a suspended observer's rows stop counting row by row, and count again when it is resumed", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "ann");
  await it.ingest(walks(["ann"], 20));
  setSuspended(it.ledger, { source: "scouts", observer: "ann" }, true);
  await it.ingest([seen("scouts", "ann", { record: 30, day: 5 })]);
  expect(counting(it)).toEqual([...Array(20).fill(true), false]);
  const stopped = nights(it, FORTNIGHT).map((night) => night.recounts);
  expect(counting(it)).toEqual(Array(21).fill(false));
  expect(Math.max(...stopped)).toBeLessThan(20);
  setSuspended(it.ledger, { source: "scouts", observer: "ann" }, false);
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual(Array(21).fill(true));
});

test("rows of who runs a record do not count, after a merge either; until the affiliation ends", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "owner");
  await it.ingest([seen("scouts", "owner", { record: 1 })]);
  await it.ingest([seen("scouts", "owner", { record: 2, day: 1 })]);
  const [first, second] = it.rows("record");
  const publicId = String(first?.body["public_id"]);
  const principal = principalOf(it.ledger, "scouts", "owner");
  const subject = runSubject(it.ledger, { record: publicId });
  it.ledger.transaction(() => it.ledger.sources.addAffiliation({ principal, subject }));
  await it.ingest([seen("scouts", "owner", { record: 1, day: 2 })]);
  expect(counting(it)).toEqual([true, true, false]);
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual([false, true, false]);
  const into = second?.id ?? 0;
  appendReview(it.ledger, {
    decision: "merge",
    target: first?.id ?? 0,
    into,
    reason: "same_business",
    reviewer: "desk",
  });
  await it.ingest([seen("scouts", "owner", { record: 2, day: 3, after: FORTNIGHT })]);
  expect(counting(it).at(-1)).toBe(false);
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual([false, false, false, false]);
  it.ledger.transaction(() => it.ledger.sources.removeAffiliation({ principal, subject }));
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual([true, true, true, true]);
  expect(subject).toBe(recordSubject(first?.id ?? 0));
});

test("a link carries affiliations along", async () => {
  using it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "owner"]) vouch(it, observer);
  await it.ingest([seen("scouts", "ann")]);
  const subject = runSubject(it.ledger, { brand: "Corner Bakery House" });
  const principal = principalOf(it.ledger, "scouts", "owner");
  it.ledger.transaction(() => it.ledger.sources.addAffiliation({ principal, subject }));
  link(it.ledger, { source: "scouts", observer: "ann" }, { source: "scouts", observer: "owner" });
  await it.ingest([seen("scouts", "ann", { day: 4 })]);
  expect(counting(it)).toEqual([true, false]);
});

test("a source is registered once, with an id that is public", () => {
  using it = testLedger();
  register(it, "scouts");
  expect(() => register(it, "scouts")).toThrow("is registered already");
  expect(() => register(it, "Scouts of Avalon")).toThrow("lower-case words");
  expect(() => register(it, "built-in")).toThrow("is reserved");
});
