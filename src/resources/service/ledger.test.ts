import { afterAll, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { readWithdrawalCursor } from "../../contract/ledger/ledger.ts";
import { PublicError } from "../../kernel/errors.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { citation } from "../citations/citation.ts";
import { entity } from "../records/entity.ts";
import { evidence } from "../records/evidence.ts";
import { contextOf } from "../release-store.ts";
import { withdrawals } from "./ledger.ts";

/** Those who hold copies find out what to delete: row numbers alone, behind a cursor that every later release understands. */

const town = new TestTown("2026-05-01T12:00:00Z");
afterAll(() => town[Symbol.dispose]());

town.city("toronto");
const alpha = town.record("Alpha");
const alphaAsset = town.asset(alpha);
const beta = town.record("Beta");
const betaAsset = town.asset(beta);
const see = (record: number, asset: number, observer: string) =>
  town.see(record, asset, observer, "2026-04-28T10:00:00Z");
const seen = [see(alpha, alphaAsset, "a"), see(alpha, alphaAsset, "b"), see(beta, betaAsset, "a")];

function releaseOf(day: string): Snapshot {
  town.at(`${day}T12:00:00Z`);
  town.step("toronto", "review"); // something to seal
  return town.snapshot(`${day}T13:00:00Z`);
}

const list = (snapshot: Snapshot, query: Record<string, string> = {}) =>
  withdrawals.read(contextOf(snapshot), {}, query);
const rowsOf = (answer: ReturnType<typeof list>) => answer.withdrawals.map(({ row }) => row);

const first = releaseOf("2026-05-01");
const documents = evidence.read(contextOf(first), { public_id: "demo_beta" }, {});
const cited = citation.read(contextOf(first), { id: documents.citations.citation_id }, {});
town.redact([seen[1] ?? 0]);
const second = releaseOf("2026-05-02");
town.redact([beta, betaAsset, seen[2] ?? 0]);
const third = releaseOf("2026-05-03");

test("nothing was withdrawn: an empty list, to be asked again", () => {
  expect(list(first)).toMatchObject({ total_count: 0, has_more: false, next_cursor: null, withdrawals: [] });
});

test("the list has rows and the rows that withdrew them, and neither names nor reasons", () => {
  const answer = list(third);
  expect(rowsOf(answer)).toEqual([seen[1], beta, betaAsset, seen[2]]);
  const [one] = answer.withdrawals;
  expect(Object.keys(one ?? {}).sort()).toEqual(["row", "withdrawn_by"]);
  for (const hidden of ["Beta", "demo_", "privacy_request", "opt_out"])
    expect(JSON.stringify(answer)).not.toContain(hidden);
});

test("a cursor of an earlier release gives what came since, and goes on giving that", () => {
  const { next_cursor: cursor } = list(second);
  if (cursor === null) throw new Error("no cursor");
  const since = list(third, { cursor });
  expect(rowsOf(since)).toEqual([beta, betaAsset, seen[2]]);
  expect(since).toMatchObject({ total_count: 4, has_more: false });
  const nothing = list(third, { cursor: since.next_cursor ?? "" });
  expect(nothing).toMatchObject({ withdrawals: [], has_more: false, next_cursor: since.next_cursor });
});

test("pages of any size are the list, also within one withdrawal", () => {
  for (const limit of ["1", "2", "3", "4"]) {
    const rows: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = list(third, { limit, ...(cursor !== undefined && { cursor }) });
      rows.push(...rowsOf(page));
      cursor = page.next_cursor ?? undefined;
      if (!page.has_more) break;
    }
    expect(rows).toEqual(rowsOf(list(third)));
  }
});

test.each(["", "0.1", "1", "1.", "1.-2", "1.2.3", "01.2", "9999999999999999.1", "x", "1.2\n", "%00"])(
  "the cursor %j is refused",
  (cursor) => {
    expect(readWithdrawalCursor(cursor)).toBeUndefined();
    expect(() => list(third, { cursor })).toThrow(PublicError);
    expect(() => list(third, { cursor })).toThrow(/^cursor must be the next_cursor/);
  },
);

test("documents name the rows that they rest on, and a withdrawn citation rests on a listed one", () => {
  expect(documents.rows).toEqual({
    record: beta,
    assets: [betaAsset],
    observations: [[seen[2], seen[2]]],
  });
  expect(entity.read(contextOf(first), { public_id: "demo_alpha" }, {})).toMatchObject({
    entity: { entity_row: alpha },
    rows: { record: alpha, assets: [alphaAsset], observations: [[seen[0], seen[1]]] },
  });
  expect(cited.citation).toMatchObject({ entity_row: beta, row_ranges: [[seen[2], seen[2]]] });
  const gone = new Set(rowsOf(list(third)));
  const rows = documents.rows.observations.flatMap(([from]) => from ?? []);
  expect([documents.rows.record, ...documents.rows.assets, ...rows].every((row) => gone.has(row))).toBe(true);
  const later = citation.read(contextOf(third), { id: documents.citations.citation_id }, {});
  expect(later).toMatchObject({ status: "withdrawn", citation: null });
});
