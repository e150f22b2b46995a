import { expect, test } from "vitest";
import { NOW, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { folded, nights, register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { DAY_MS, utcDayStart } from "../../kernel/time.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { appendReview } from "../matching/decide.ts";
import { applyDueChanges } from "./due-changes.ts";
import { delayOf, judgeLedger } from "./judge-ledger.ts";
import { recordSubject } from "./principals.ts";
import { enrol, hashOf, link, principalOf, runSubject, setSuspended } from "./source-desk.ts";

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

function rowsOf(it: TestLedger, observer: string): number[] {
  const hash = hashOf(it.ledger, { source: "scouts", observer });
  return it
    .rows("observation")
    .flatMap((row) => (Object(row.private["observer"]).hash === hash ? [row.id] : []));
}

/** Sightings of many records by each observer, an hour apart. */
function walks(observers: readonly string[], records = RECORDS) {
  return observers.flatMap((observer, at) =>
    Array.from({ length: records }, (_, record) =>
      seen("scouts", observer, { record, day: record % 5, hour: 10 + ((at + record) % 12) }),
    ),
  );
}

test("observers count from when they are vouched for; their earlier rows never do", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "ann");
  await it.ingest([seen("scouts", "ann")]);
  await it.ingest(walks(["bob"], 12));
  vouch(it, "bob");
  await it.ingest([seen("scouts", "bob", { day: 5 })]);
  const entered = [true, ...Array(12).fill(false), true];
  expect(counting(it)).toEqual(entered);
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual(entered);
  expect(it.rows("recount")).toEqual([]);
});

test("what a principal gains later changes no row that it has: verified samples, a link, an enrolment", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "ann");
  await it.ingest(walks(["ann", "bob", "eve", "eli"], 6));
  const entered = counting(it);
  for (const id of rowsOf(it, "bob"))
    appendReview(it.ledger, { decision: "verify", target: id, reason: "visited", reviewer: "desk" });
  link(it.ledger, { source: "scouts", observer: "ann" }, { source: "scouts", observer: "eve" });
  enrol(it.ledger, { source: "scouts", observer: "eli" }, { principal: "Signs & Sons", isVouched: true });
  const tagsBefore = tags(it);
  nights(it, FORTNIGHT);
  expect(it.ledger.sources.standings().size).toBe(3); // ann's with eve, bob's, the company's
  expect(counting(it)).toEqual(entered);
  expect(tags(it)).toEqual(tagsBefore);
  expect(it.rows("recount")).toEqual([]);
  await it.ingest(
    ["bob", "eve", "eli"].map((observer) => seen("scouts", observer, { record: 9, after: FORTNIGHT })),
  );
  expect(counting(it).slice(-3)).toEqual([true, true, true]);
});

test("a reviewer's restoration counts where the check alone was in the way", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "ann");
  const media = { media_sha256: "ab".repeat(32) };
  const line = (observer: string, day: number) => ({ ...seen("scouts", observer, { day }), ...media });
  await it.ingest([line("ann", 0)]);
  await it.ingest([line("ann", 1)]);
  await it.ingest([line("bob", 2)]);
  expect(counting(it)).toEqual([true, false, false]);
  vouch(it, "bob");
  it.ledger.transaction(() => {
    for (const { id } of it.rows("observation").slice(1))
      it.ledger.sources.reviewSetAside(id, "restored", utcDayStart(NOW));
  });
  nights(it, FORTNIGHT);
  expect(counting(it)).toEqual([true, true, false]);
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

test("after a link all rows of the two have one tag at a record, and earlier ones keep theirs", async () => {
  using it = testLedger();
  register(it, "scouts");
  for (const observer of ["ann", "bob"]) vouch(it, observer);
  await it.ingest(walks(["ann", "bob"], 3));
  expect(new Set(tags(it)).size).toBe(6);
  link(it.ledger, { source: "scouts", observer: "ann" }, { source: "scouts", observer: "bob" });
  await it.ingest(
    ["ann", "bob"].flatMap((observer) =>
      [0, 1].map((record) => seen("scouts", observer, { record, day: 5 })),
    ),
  );
  expect(new Set(tags(it)).size).toBe(6);
  const tagsOf = (observer: string) => rowsOf(it, observer).map((row) => folded(it).observerTag(row));
  expect(new Set(tagsOf("ann")).size).toBe(3);
  expect(new Set(tagsOf("bob")).size).toBe(5);
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
    "is one principal with another observer, which is permanent",
  );
  expect(() => link(it.ledger, named("ann"), named("bob"))).toThrow("are already one principal");
});

test("applying what is due twice, or after a kill, changes nothing", async () => {
  using it = testLedger();
  register(it, "scouts");
  vouch(it, "ann");
  await it.ingest(walks(["ann"], 12));
  setSuspended(it.ledger, { source: "scouts", observer: "ann" }, true);
  judgeLedger(it.ledger);
  it.clock.time += 20 * DAY_MS;
  const fails = () => {
    throw new Error("killed");
  };
  expect(() => applyDueChanges(Object.assign(Object.create(it.ledger), { append: fails }))).toThrow();
  expect(it.rows("recount")).toEqual([]);
  expect(applyDueChanges(it.ledger)).toEqual({ recounts: 12, namings: 0, leaving: undefined });
  const size = it.ledger.nextId();
  expect(applyDueChanges(it.ledger)).toEqual({ recounts: 0, namings: 0, leaving: undefined });
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
  expect(() => register(it, "scouts")).toThrow("is already registered");
  expect(() => register(it, "Scouts of Avalon")).toThrow("lower-case words");
  expect(() => register(it, "built-in")).toThrow("is reserved");
});
