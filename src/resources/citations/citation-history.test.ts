/** Whatever happens to records, a later release computes every citation of the earlier ones word by word. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { repetitions } from "../../../tests/support/trial.ts";
import { REVIEW_NOTICE } from "../../contract/citation/citation.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { evidence } from "../records/evidence.ts";
import { observations } from "../records/observations.ts";
import { contextOf } from "../release-store.ts";
import { citation } from "./citation.ts";

const RECORDS = ["One", "Two", "Three"] as const;
const DAYS = ["2026-05-02", "2026-05-12", "2026-05-22"] as const;

const place = { at: fc.nat({ max: 2 }), observer: fc.constantFrom("a", "b", "c") };
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("see"), ...place, age: fc.nat({ max: 40 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("verify", "reject"), row: fc.nat({ max: 30 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("recount"), row: fc.nat({ max: 30 }), counts: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("flag", "unflag"), at: place.at }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("merge", "unmerge"), at: place.at, into: place.at }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("rename"), at: place.at, day: fc.constantFrom(...DAYS) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("move"), row: fc.nat({ max: 30 }), ...place }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function quotesOf(snapshot: Snapshot) {
  const context = contextOf(snapshot);
  return [...snapshot.publicIds()].flatMap((public_id) => {
    const { suggested_citation: quote, ...whole } = evidence.read(context, { public_id }, {}).citations;
    const { period } = observations.read(context, { public_id }, { from: "2026-04", to: "2026-04" });
    const { citation_id, quote: ofMonth } = period?.citation ?? {};
    return [
      { id: whole.citation_id, quote },
      ...(citation_id === undefined ? [] : [{ id: citation_id, quote: ofMonth }]),
    ];
  });
}

test("every citation of every release is computed again as it was published", () => {
  fc.assert(
    fc.property(fc.tuple(...DAYS.map(() => fc.array(step, { maxLength: 6 }))), (releases) => {
      using town = new TestTown("2026-05-01T12:00:00Z");
      const acts = actsOn(town);
      const published: ReturnType<typeof quotesOf> = [];
      let snapshot: Snapshot | undefined;
      for (const [at, day] of DAYS.entries()) {
        town.at(`${day}T12:00:00Z`);
        for (const each of releases[at] ?? []) acts(each, day);
        town.step("toronto", "review");
        snapshot = town.snapshot(`${day}T13:00:00Z`);
        published.push(...quotesOf(snapshot));
      }
      if (snapshot === undefined) return;
      const context = contextOf(snapshot);
      for (const { id, quote } of published) {
        const { citation: found } = citation.read(context, { id }, {});
        expect(found).toMatchObject({ citation_id: id, quote: quote?.replace(`${REVIEW_NOTICE} `, "") });
      }
    }),
    { numRuns: repetitions(100, 3) },
  );
});

/** Three records with a storefront each that was seen once; the steps change them. */
function actsOn(town: TestTown): (step: Step, day: string) => void {
  town.city("toronto");
  const records = RECORDS.map((name) => town.record(name));
  const assets = records.map((record) => town.asset(record));
  const rows: number[] = [];
  const see = (at: number, observer: string, day: number) => {
    const seen = `${isoDate(day)}T10:00:00Z`;
    rows.push(town.see(records[at] ?? 0, assets[at] ?? 0, observer, seen));
  };
  for (const at of RECORDS.keys()) see(at, "a", Date.parse("2026-04-28"));
  const record = (at: number) => records[at] ?? 0;
  const row = (at: number) => rows[at % rows.length] ?? 0;
  return (step, day) => {
    if (step.kind === "see") see(step.at, step.observer, Date.parse(day) - step.age * DAY_MS);
    else if (step.kind === "recount") recount(town, row(step.row), step.counts);
    else if (step.kind === "move")
      town.move(row(step.row), record(step.at), assets[step.at] ?? 0, step.observer);
    else if ("row" in step) town.review(step.kind, row(step.row));
    else if ("into" in step) join(town, step.kind, record(step.at), record(step.into));
    else change(town, step, record(step.at));
  };
}

function recount(town: TestTown, target: number, counts: boolean): void {
  town.append({ kind: "recount", body: { target, counts } });
}

function join(town: TestTown, kind: "merge" | "unmerge", goes: number, into: number): void {
  if (goes !== into) town.review(kind, goes, { into, tags: kind === "merge" ? { b: "a" } : null });
}

type Change = Extract<Step, { kind: "rename" | "flag" | "unflag" }>;

function change(town: TestTown, step: Change, record: number): void {
  if (step.kind === "rename") town.rename(record, `Named on ${step.day}`);
  else town.review(step.kind, record);
}
