import fc from "fast-check";
import { expect, test } from "vitest";
import { DeskState } from "../../review/desk-state.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import type { DeskRow } from "../rows/desk-rows.ts";
import type { LedgerRow, RecordBody, ReviewBody } from "../rows/rows.ts";
import { Merges, mergeOf } from "./merges.ts";

/** Releases, the review desk, intake and old citations must agree on what a history of decisions adds up to. */

const RECORDS = [1, 2, 3, 4, 5, 6];
const ASSET = 7;
const OBSERVATION = 8;
const FIRST_DECISION = 100;

const decision = fc.record({
  decision: fc.constantFrom<ReviewBody["decision"]>(
    ...(["merge", "merge", "merge", "flag", "unflag", "classify", "settle_match"] as const),
    ...(["verify", "reject", "retire", "unretire"] as const),
  ),
  record: fc.constantFrom(...RECORDS),
  into: fc.constantFrom(...RECORDS),
  observer: fc.constantFrom("x", "y"),
  industry: fc.constantFrom("5611", null),
});
const histories = fc.record({
  decisions: fc.array(decision, { maxLength: 25 }),
  statuses: fc.array(fc.constantFrom("claimed" as const, "dissolved" as const), { maxLength: 3 }),
  erased: fc.uniqueArray(fc.constantFrom(...RECORDS, ASSET), { maxLength: 2 }),
});
type History = typeof histories extends fc.Arbitrary<infer H> ? H : never;

const recordBody = (id: number): RecordBody => ({
  city: "c",
  is_synthetic: true,
  public_id: `p${id}`,
});

function reviewBody({
  decision,
  record,
  into,
  observer,
  industry,
}: History["decisions"][number]): ReviewBody {
  const [verdicts, retirements] = [
    ["verify", "reject"],
    ["retire", "unretire"],
  ];
  const target = verdicts?.includes(decision)
    ? OBSERVATION
    : retirements?.includes(decision)
      ? ASSET
      : record;
  const isMerge = decision === "merge";
  return {
    decision,
    target,
    into: isMerge ? into : null,
    tags: isMerge ? { [observer]: `${observer}${into}` } : null,
    industry: decision === "classify" ? industry : null,
    reason: "r",
    reviewer: "desk",
  };
}

/** All rows of a history; the rows that an erasure takes, with the decisions about them, have no body. */
function rowsOf({ decisions, statuses, erased }: History): LedgerRow[] {
  const base = { acceptedAt: 0, leafHash: Buffer.alloc(32) };
  const left = <B>(body: B, ...about: (number | null)[]) =>
    about.some((row) => row !== null && erased.includes(row)) ? undefined : body;
  const asset = { asset_type: "storefront", is_mobile: false, public_id: "a", record: 1 } as const;
  return [
    ...RECORDS.map((id) => ({ ...base, id, kind: "record" as const, body: left(recordBody(id), id) })),
    { ...base, id: ASSET, kind: "asset", body: left(asset, ASSET) },
    ...decisions.map((each, at) => {
      const body = reviewBody(each);
      return {
        ...base,
        id: FIRST_DECISION + at,
        kind: "review" as const,
        body: left(body, body.target, body.into),
      };
    }),
    ...statuses.map((status, at) => ({
      ...base,
      id: 1000 + at,
      kind: "status" as const,
      body: left({ record: 1, status }, 1),
    })),
  ];
}

function foldOf(rows: readonly LedgerRow[]): LedgerFold {
  const fold = new LedgerFold(10);
  for (const row of rows) fold.apply(row);
  return fold;
}

const isLive = (row: LedgerRow): row is LedgerRow & DeskRow => row.body !== undefined;

/** As the desk reads them: with the private match candidates of records. */
const deskRows = (rows: readonly LedgerRow[]) =>
  rows.filter(isLive).map((row) => (row.kind === "naming" ? { ...row, candidates: [] } : row));

/** The rule by hand: where each record ends, and the name that the end gives to its observer. */
function endsByHand(rows: readonly LedgerRow[]): Map<number, readonly [root: number, x: string]> {
  const into = new Map<number, { to: number; tags: Readonly<Record<string, string>> }>();
  const path = (from: number): number[] => {
    const next = into.get(from);
    return next === undefined ? [from] : [from, ...path(next.to)];
  };
  for (const { kind, body } of rows.filter(isLive)) {
    if (kind !== "review" || body.into === null || body.into === body.target) continue;
    if (path(body.into).includes(body.target)) into.delete(body.into);
    into.set(body.target, { to: body.into, tags: body.tags ?? {} });
  }
  return new Map(
    rows.filter(isLive).flatMap(({ id, kind }) => {
      if (kind !== "record") return [];
      const tag = path(id).reduce((known, record) => into.get(record)?.tags[known] ?? known, "x");
      return [[id, [path(id).at(-1) ?? id, tag]] as const];
    }),
  );
}

test("releases, the desk, intake and citations follow the same merges", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const rows = rowsOf(history);
      const fold = foldOf(rows);
      const desk = new DeskState(deskRows(rows));
      const reviews = rows.filter(isLive).flatMap((row) => (row.kind === "review" ? [row] : []));
      const intake = new Merges(
        reviews
          .flatMap(({ id, body }) => mergeOf(id, body) ?? [])
          .filter(({ record }) => desk.records.has(record)),
      );
      const cited = new Merges(fold.history.merges);
      for (const [id, end] of endsByHand(rows))
        for (const { merges } of [fold, desk, { merges: intake }, { merges: cited }])
          expect([merges.root(id), merges.rootTag(id, "x")]).toEqual(end);
    }),
    { numRuns: 500 },
  );
});

test("a citation of an earlier tree follows the merges that a release of that tree followed", () => {
  fc.assert(
    fc.property(histories, fc.nat(25), (history, size) => {
      const rows = rowsOf({ ...history, statuses: [] });
      const past = foldOf(rows.filter(({ id }) => id <= FIRST_DECISION + size));
      const known = foldOf(rows).history.merges.filter(({ row }) => row <= FIRST_DECISION + size);
      for (const id of past.records.keys()) expect(new Merges(known).root(id)).toBe(past.merges.root(id));
    }),
    { numRuns: 300 },
  );
});

test("releases and the desk see the same records, assets and verdicts, each by its last decision", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const rows = rowsOf(history);
      const fold = foldOf(rows);
      const desk = new DeskState(deskRows(rows));
      expect([...desk.records.keys()]).toEqual([...fold.records.keys()]);
      for (const [id, record] of fold.records) {
        expect(desk.records.get(id)).toEqual(record);
        const about = desk.decisionsAbout(id).flatMap((row) => (row.kind === "review" ? [row.body] : []));
        const own = about.filter(({ target }) => target === id).map((body) => body.decision);
        const flags = own.filter((name) => name === "flag" || name === "unflag");
        expect(record.flaggedBy !== undefined).toBe(flags.at(-1) === "flag");
        expect(record.isMatchSettled).toBe(own.includes("settle_match"));
        const classified = about.filter((body) => body.decision === "classify").at(-1);
        expect(record.industry.code).toBe(classified?.industry ?? null);
      }
      expect([...desk.assets]).toEqual([...fold.assets]);
      expect(desk.verdicts).toEqual(fold.verdicts);
      const verdicts = desk.decisionsAbout(OBSERVATION).map(({ id }) => id);
      expect(fold.history.verdicts.map(({ row }) => row)).toEqual(verdicts);
      const status = history.erased.includes(1) ? undefined : (history.statuses.at(-1) ?? "unclaimed");
      expect(fold.records.get(1)?.status).toBe(status);
    }),
    { numRuns: 300 },
  );
});
