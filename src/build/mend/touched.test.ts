import { describe, expect, test } from "vitest";
import { ReleaseChanges } from "../../contract/service/exports.ts";
import { mendedChanges, touches } from "./touched.ts";

describe("touched", () => {
  const isTouched = touches({ cities: ["alpha"], records: ["pr_1"] });

  test.each([
    ["a touched record", { public_id: "pr_1" }, true],
    ["another record", { public_id: "pr_2" }, false],
    ["the citation of a touched record", { id: "pr_1.113.120.2026-06-30.v1.wnrjqhdw" }, true],
    ["the citation of another record", { id: "pr_2.113.120.2026-06-30.v1.wnrjqhdw" }, false],
    ["a touched city", { city: "alpha" }, true],
    ["an industry of a touched city", { slug: "alpha", code: "I" }, true],
    ["another city", { city: "beta" }, false],
    ["all of them", {}, true],
    ["something else", { operation: "listCities" }, true],
  ] as const)("a file about %s", (_, values, expected) => {
    expect(isTouched(values)).toBe(expected);
  });
});

describe("mended changes", () => {
  const [NIGHTLY, BEFORE, PATCH] = ["a", "b", "c"].map(
    (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
  );
  const AT = "2026-05-01T00:10:00Z";

  const changes = ReleaseChanges.parse({
    release: { release_id: NIGHTLY, data_as_of: AT, records: 5 },
    against: { release_id: BEFORE, data_as_of: "2026-04-30T00:10:00Z", records: 5 },
    note: "note",
    added: 1,
    changed: 1,
    merged: 1,
    removed: 0,
    records: [
      { public_id: "pr_changed", change: "changed", merged_into: null, changed: ["status"] },
      { public_id: "pr_merged", change: "merged", merged_into: "pr_gone", changed: [] },
      { public_id: "pr_new", change: "added", merged_into: null, changed: [] },
    ],
  });

  test("lines of what is gone are left out, and what the compared release had counts as removed", () => {
    const gone = ["pr_gone", "pr_new"];
    const mended = mendedChanges(changes, { releaseId: PATCH ?? "", records: 3, gone });
    expect(mended).toMatchObject({
      release: { release_id: PATCH, data_as_of: AT, records: 3 },
      against: { release_id: BEFORE },
      added: 0,
      changed: 1,
      merged: 0,
      removed: 1,
      records: [{ public_id: "pr_changed" }],
    });
    expect(JSON.stringify(mended)).not.toMatch(/pr_gone|pr_new|pr_merged/);
  });

  test("without a compared release nothing follows from the counts", () => {
    const first = { ...changes, against: null, records: [], added: 0, changed: 0, merged: 0 };
    expect(mendedChanges(first, { releaseId: PATCH ?? "", records: 3, gone: ["pr_gone"] }).removed).toBe(0);
  });
});
