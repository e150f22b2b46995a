import fc from "fast-check";
import { expect, test } from "vitest";
import { city, record, release } from "../../../tests/support/release/figures.ts";
import type { ReleaseFigures } from "../figures/figures.ts";
import { releaseChanges } from "./release-changes.ts";

const digests = (score: string) => ({ ...record(1).digests, score: score.padStart(16, "0") });

/** A release of records by public id, each with what stands for its score. */
function figures(release_id: string, scores: Record<string, string>, more: Partial<ReleaseFigures> = {}) {
  const records = Object.entries(scores).map(([id, score]) => record(1, { id, digests: digests(score) }));
  return release([city("ghent", records)], { release_id, ...more });
}

test("records added, changed and merged are named, the rest of those that went is counted", () => {
  const before = figures("b", { stays: "1", changes: "1", merges: "1", goes: "1" });
  const now = figures("n", { stays: "1", changes: "2", comes: "1" }, { merged: [["merges", "stays"]] });
  expect(releaseChanges(now, before)).toMatchObject({
    release: { release_id: "n", records: 3 },
    against: { release_id: "b", records: 4 },
    added: 1,
    changed: 1,
    merged: 1,
    removed: 1,
    records: [
      { public_id: "changes", change: "changed", merged_into: null, changed: ["score"] },
      { public_id: "comes", change: "added", merged_into: null, changed: [] },
      { public_id: "merges", change: "merged", merged_into: "stays", changed: [] },
    ],
  });
});

test("a changed record says in what", () => {
  const other = {
    evidence: "1".repeat(16),
    status: "1".repeat(16),
    identity: "1".repeat(16),
    score: "0".repeat(16),
  };
  const before = release([city("ghent", [record(1)])]);
  const now = release([city("ghent", [record(1, { digests: other })])]);
  expect(releaseChanges(now, before).records).toMatchObject([
    { changed: ["evidence", "status", "identity"] },
  ]);
});

test("without a release before nothing is said of any record", () => {
  const changes = releaseChanges(figures("n", { one: "1" }), undefined);
  expect(changes).toMatchObject({ against: null, added: 0, removed: 0, records: [] });
  expect(changes.note).toContain("no earlier release");
});

test("figures of another version tell which records there are, and name none as changed", () => {
  const before = figures("b", { stays: "1", goes: "1" }, { version: 2 });
  const changes = releaseChanges(figures("n", { stays: "2", comes: "1" }), before);
  expect(changes).toMatchObject({ added: 1, changed: 0, removed: 1, records: [{ public_id: "comes" }] });
  expect(changes.note).toContain("another version of the program");
});

test("the counts add up, and no id is named that the release does not know", () => {
  const records = fc.dictionary(fc.constantFrom(..."abcdefghij"), fc.constantFrom("1", "2"));
  fc.assert(
    fc.property(records, records, fc.constantFrom(..."abcdefghij"), (now, before, merged) => {
      const isMerged = !(merged in now);
      const later = figures("n", now, { merged: isMerged ? [[merged, "z"]] : [] });
      const changes = releaseChanges(later, figures("b", before));
      const { added, removed } = changes;
      expect((changes.against?.records ?? 0) + added - removed - changes.merged).toBe(
        changes.release.records,
      );
      for (const { public_id } of changes.records)
        expect(public_id in now || (isMerged && public_id === merged)).toBe(true);
    }),
  );
});
