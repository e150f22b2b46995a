import { expect, test } from "vitest";
import { city, nextDay, records, release } from "../../../tests/support/release/figures.ts";
import { distances, type RecordFigures, type ReleaseFigures } from "../../build/figures/figures.ts";
import { diffFigures } from "./diff.ts";
import { diffLines } from "./diff-text.ts";

const before = release([city("ghent", records(8)), city("york", records(2, 500), { row: 9 })]);
const other = "1".repeat(16);

/** A night with one of each, by the row of the record: 10 is the first record's. */
function night(): ReleaseFigures {
  const was = nextDay(before, changed, {
    merged: [["r0002", "r0001"]],
    withdrawn: [[34, 100_900]],
    changes: [
      [100_700, 50, "classify"],
      [100_701, 62, "recount"],
      [90_000, 70, "reject"], // known before
    ],
  });
  const [ghent, york] = was.cities;
  if (ghent === undefined || york === undefined) throw new Error("two cities");
  return { ...was, cities: [{ ...ghent, records: [...ghent.records, ...records(1, 90)] }, york] };
}

function changed(was: RecordFigures, at: number): RecordFigures | undefined {
  const { digests } = was;
  if (was.row > 1000) return was;
  switch (at) {
    case 0:
      return {
        ...was,
        observations: distances([12, 13, 14, 15, 16, 17, 18, 19, 100_600]),
        accepted: 9,
        digests: { ...digests, evidence: other },
      };
    case 1: // merged
    case 2: // erased
    case 3: // gone
      return undefined;
    case 4:
      return { ...was, industry: "G", digests: { ...digests, identity: other } };
    case 5:
      return { ...was, gate: "evidence_building", rank: null, digests: { ...digests, score: other } };
    case 6:
      return { ...was, raw: 50, digests: { ...digests, score: other } };
    default:
      return was;
  }
}

test("each record that differs is named with what changed and which rows explain it", () => {
  const diff = diffFigures(before, night());
  const said = diff.records.map(({ public_id, change, changed, why }) => [
    public_id,
    change,
    changed.join(" "),
    why.map(({ why, rows }) => [why, ...rows].join(" ")).join("; "),
  ]);
  expect(said).toEqual([
    ["r0001", "changed", "evidence", "new observations 100600"],
    ["r0002", "merged", "", ""],
    [null, "gone", "", "erased 34"],
    ["r0004", "gone", "", "no row explains it"],
    ["r0005", "changed", "identity", "classify 100700"],
    ["r0006", "changed", "score", "recount 100701; no row explains it"],
    ["r0007", "changed", "score", "time, or other records of the city"],
    ["r0090", "added", "", "new observations 902 903 904 905 906 907 908 909"],
  ]);
  expect(diff.changed).toEqual({ evidence: 1, status: 0, identity: 1, score: 2 });
  expect(diffFigures(before, night(), "york").records).toEqual([]);
  expect(() => diffFigures(before, night(), "atlantis")).toThrow(
    "--city atlantis: neither release has it (they have ghent, york)",
  );
});

test("the text begins with totals, groups by what changed, and does not name who was erased", () => {
  const lines = diffLines(diffFigures(before, night()));
  expect(lines.slice(2, 5)).toEqual([
    "records: 1 added, 1 merged, 2 gone, 4 changed (evidence 1, status 0, identity 1, score 2)",
    "ghent: lost without a reason: records gone 1 of 5, observations gone 8 of 40, records no longer eligible 1 of 4",
    "york: nothing is lost without a reason",
  ]);
  expect(lines).toContain(
    "    r0005  Business 5  ghent  Business 5, I -> Business 5, G  [classify row 100700]",
  );
  expect(lines).toContain(
    "    r0006  Business 6  ghent  89.94, rank 6 -> 89.94, evidence_building  [recount row 100701; no row explains it]",
  );
  expect(lines.join("\n")).not.toMatch(/r0003|Business 3/);
});

test("of many records some are named, and the rest is counted", () => {
  const many = release([city("ghent", records(60))]);
  const lines = diffLines(
    diffFigures(
      many,
      nextDay(many, () => undefined),
    ),
  );
  expect(lines.filter((line) => line.startsWith("    r"))).toHaveLength(20);
  expect(lines.at(-1)).toBe("    … and 40 more (--json has all)");
});
