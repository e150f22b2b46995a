import fc from "fast-check";
import { expect, test } from "vitest";
import { observationBody } from "../../../tests/support/ledger/observation-body.ts";
import { type Merge, Merges, mergeOf } from "../../ledger/decisions/merges.ts";
import type { LiveMerge, LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { RecordBody, ReviewBody } from "../../ledger/rows/rows.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import { rewrittenMerges, type Scope, withDependents } from "./cascade.ts";

/** Records 1 to 6; record r owns the assets 10r and 10r + 1; observations from 100, merges from 1000. */

const RECORDS = [1, 2, 3, 4, 5, 6];
const recordId = fc.constantFrom(...RECORDS);
const sightings = fc.array(
  fc.record({ record: recordId, owner: recordId, second: fc.boolean(), observer: fc.nat(3) }),
  { minLength: 1, maxLength: 14 },
);
const merges = fc.array(fc.record({ target: recordId, into: recordId, tags: fc.subarray([0, 1, 2, 3]) }), {
  maxLength: 10,
});

const record: RecordBody = {
  city: "toronto",
  is_synthetic: false,
  public_id: "pr_a",
};

function sighting(id: number, record: number, asset: number, tag: string): LiveSighting {
  const body = observationBody({ record, asset, observer_tag: tag });
  return { id, body, exact: undefined, seen: undefined };
}

function mergeReview(id: number, target: number, into: number, observers: readonly number[]) {
  const tags = Object.fromEntries(
    observers.map((observer) => [`${observer}@${target}`, `${observer}@${into}`]),
  );
  const body: ReviewBody = {
    decision: "merge",
    industry: null,
    into,
    reason: "same",
    reviewer: "desk",
    tags,
    target,
  };
  return { id, body };
}

function liveMerge({ id, body }: { readonly id: number; readonly body: ReviewBody }): LiveMerge[] {
  const merge = mergeOf(id, body);
  return merge === undefined ? [] : [{ ...merge, body }];
}

const scopes = fc.record({ sightings, merges }).map(({ sightings, merges }): Scope => {
  const reviews = merges.map(({ target, into, tags }, at) => mergeReview(1000 + at, target, into, tags));
  const decided = reviews.flatMap(liveMerge);
  return {
    records: new Map(RECORDS.map((id) => [id, record])),
    namings: new Map(),
    everyNaming: [],
    assets: new Map(
      RECORDS.flatMap((record) =>
        [0, 1].map((at) => [
          10 * record + at,
          { asset_type: "storefront", is_mobile: false, public_id: "as", record },
        ]),
      ),
    ),
    sightings: sightings.map(({ record, owner, second, observer }, at) =>
      sighting(100 + at, record, 10 * owner + (second ? 1 : 0), `${observer}@${record}`),
    ),
    decisions: reviews.map(({ id, body }) => ({
      id,
      kind: "review",
      about: [body.target, body.into ?? body.target],
    })),
    reviews: decided,
    merges: new Merges(decided),
  };
});

/** Some observation rows, or a whole merged group. */
function starts(scope: Scope, pick: readonly number[], whole: boolean): Set<number> {
  if (!whole)
    return new Set(pick.map((at) => scope.sightings[at % scope.sightings.length]?.id ?? 100).slice(0, 3));
  const root = scope.merges.root(1 + ((pick[0] ?? 0) % 6));
  return new Set(RECORDS.filter((id) => scope.merges.root(id) === root));
}

const cases = fc.tuple(scopes, fc.array(fc.nat(20), { minLength: 1 }), fc.boolean());

test("what is left has all that it needs", () => {
  fc.assert(
    fc.property(cases, ([scope, pick, whole]) => {
      const erased = withDependents(starts(scope, pick, whole), scope);
      const left = scope.sightings.filter(({ id }) => !erased.has(id));
      const needed = left.flatMap(({ body }) => [body.asset, ...scope.merges.chain(body.record)]);
      expect(needed.filter((row) => erased.has(row))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("what stays of what lost an observation has another, and no other observation goes", () => {
  fc.assert(
    fc.property(cases, ([scope, pick]) => {
      const start = starts(scope, pick, false);
      const erased = withDependents(start, scope);
      const [gone, left] = [true, false].map((isGone) =>
        scope.sightings.filter(({ id }) => erased.has(id) === isGone),
      );
      expect(new Set(gone?.map(({ id }) => id))).toEqual(start);
      const seen = new Set(left?.map(({ body }) => body.asset));
      const stay = gone?.map(({ body }) => body.asset).filter((asset) => !erased.has(asset)) ?? [];
      expect(stay.filter((asset) => !seen.has(asset))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("merges are in effect as a release follows them", () => {
  fc.assert(
    fc.property(merges, (decided) => {
      const fold = new LedgerFold(10);
      const base = { acceptedAt: 0, leafHash: Buffer.alloc(32) };
      for (const id of RECORDS) fold.apply({ ...base, id, kind: "record", body: record });
      const reviews = decided.map(({ target, into }, at) => mergeReview(1000 + at, target, into, []));
      for (const { id, body } of reviews) fold.apply({ ...base, id, kind: "review", body });
      const inEffect = new Merges(reviews.flatMap(liveMerge));
      const roots = [...fold.records.values()].map((found) => fold.root(found)?.id);
      expect(roots).toEqual(RECORDS.map((id) => inEffect.root(id)));
    }),
    { numRuns: 500 },
  );
});

test("records that stay are merged as before, and merges name tags of live observations only", () => {
  fc.assert(
    fc.property(cases, ([scope, pick, whole]) => {
      const start = starts(scope, pick, whole);
      const erased = withDependents(start, scope);
      const { rows, replacements } = rewrittenMerges(scope, start, erased);
      const written = replacements.flatMap((row, at) =>
        row.kind === "review" ? liveMerge({ id: 2000 + at, body: row.body }) : [],
      );
      const gone = new Set([...erased, ...rows]);
      const left = [...scope.reviews.filter(({ row }) => !gone.has(row)), ...written];
      const isLive = (record: number) => !gone.has(record);
      const now = new Merges(left.filter(({ record }) => isLive(record)));
      const edges = (merges: readonly Merge[]) => merges.map(({ record, into }) => [record, into]).sort();
      const before = scope.merges.all().filter(({ row }) => !erased.has(row));
      expect(edges(now.all())).toEqual(edges(before));
      for (const [from, to] of edges(now.all()))
        expect([from, to].every((id) => isLive(Number(id)))).toBe(true);
      const tags = new Set(
        scope.sightings.filter(({ id }) => !gone.has(id)).map(({ body }) => body.observer_tag.split("@")[0]),
      );
      for (const { body } of left)
        for (const tag of Object.keys(body.tags ?? {})) expect(tags.has(tag.split("@")[0])).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("nothing is written anew where nothing has to be", () => {
  const reviews = [mergeReview(1000, 2, 1, [0]), mergeReview(1001, 4, 3, [])].flatMap(liveMerge);
  const scope: Scope = {
    records: new Map(RECORDS.map((id) => [id, record])),
    namings: new Map(),
    everyNaming: [],
    assets: new Map(),
    sightings: [sighting(100, 2, 20, "0@2"), sighting(101, 2, 20, "0@2")],
    decisions: [],
    reviews,
    merges: new Merges(reviews),
  };
  expect(rewrittenMerges(scope, new Set([101]), new Set([101]))).toEqual({ rows: [], replacements: [] });
  const both = new Set([100, 101]);
  expect(rewrittenMerges(scope, both, both)).toMatchObject({
    rows: [1000],
    replacements: [{ body: { target: 2, into: 1, tags: {} } }],
  });
});
