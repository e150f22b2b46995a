import fc from "fast-check";
import { expect, test } from "vitest";
import { type RecordIndex, releaseChanges } from "./release-changes.ts";

const index = (release_id: string, records: Record<string, string>): RecordIndex => ({
  release_id,
  data_as_of: "2026-05-01T00:00:00Z",
  records,
});
const unknown = () => undefined;

test("records added, changed and merged are named, the rest of those that went is counted", () => {
  const before = index("b", { stays: "1", changes: "1", merges: "1", goes: "1" });
  const now = index("n", { stays: "1", changes: "2", comes: "1" });
  const changes = releaseChanges(now, before, (id) => (id === "merges" ? "stays" : undefined));
  expect(changes).toMatchObject({
    release: { release_id: "n", records: 3 },
    against: { release_id: "b", records: 4 },
    added: 1,
    changed: 1,
    merged: 1,
    removed: 1,
    records: [
      { public_id: "changes", change: "changed", merged_into: null },
      { public_id: "comes", change: "added", merged_into: null },
      { public_id: "merges", change: "merged", merged_into: "stays" },
    ],
  });
});

test("without a release before nothing is said of any record", () => {
  const changes = releaseChanges(index("n", { one: "1" }), undefined, unknown);
  expect(changes).toMatchObject({ against: null, added: 0, removed: 0, records: [] });
  expect(changes.note).toContain("no earlier release");
});

test("the counts add up, and no id is named that the release does not know", () => {
  const records = fc.dictionary(fc.constantFrom(..."abcdefghij"), fc.constantFrom("1", "2"));
  fc.assert(
    fc.property(records, records, fc.constantFrom(..."abcdefghij"), (now, before, merged) => {
      const isMerged = !(merged in now);
      const changes = releaseChanges(index("n", now), index("b", before), (id) =>
        id in now ? null : isMerged && id === merged ? "z" : undefined,
      );
      const { added, removed } = changes;
      expect((changes.against?.records ?? 0) + added - removed - changes.merged).toBe(
        changes.release.records,
      );
      for (const { public_id } of changes.records)
        expect(public_id in now || (isMerged && public_id === merged)).toBe(true);
    }),
  );
});
