import { expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";

const AS_OF = "2026-05-20T12:00:00Z";

/** A record whose second sign is another business's, which gets a record of its own. */
function split() {
  const town = new TestTown();
  town.city("toronto");
  const record = town.record("Evil");
  const [sign, rivals] = [town.asset(record), town.asset(record)];
  const first = town.see(record, sign, "x", "2026-04-28T10:00:00Z");
  const moved = ["x", "y"].map((tag) => town.see(record, rivals, tag, "2026-04-29T10:00:00Z"));
  const rival = town.record("Rival");
  const back = () => moved.map((row) => town.move(row, record, rivals, "x"));
  for (const [at, row] of moved.entries()) town.move(row, rival, rivals, `r${at}`);
  return { town, record, rival, sign, rivals, first, moved, back };
}

test("moved observations and their asset count for the other record, under its tags", () => {
  const { town, record, rival, sign, rivals, first, moved } = split();
  using _ = town;
  const snapshot = town.snapshot(AS_OF);
  const seen = snapshot.observationsOf(rival, { limit: 9 });
  expect(seen.map(({ id, asset, observerTag }) => [id, asset, observerTag])).toEqual([
    [moved[1], rivals, "r1"],
    [moved[0], rivals, "r0"],
  ]);
  expect(seen.map(({ changedBy }) => changedBy.length)).toEqual([1, 1]);
  expect(snapshot.observationsOf(record, { limit: 9 }).map(({ id }) => id)).toEqual([first]);
  expect([record, rival].map((id) => snapshot.assetsOf(id).map((asset) => asset.id))).toEqual([
    [sign],
    [rivals],
  ]);
});

test("a record that gave back all it had is known as the one that has it", () => {
  const { town, record, back } = split();
  using _ = town;
  back();
  const snapshot = town.snapshot(AS_OF);
  expect(snapshot.record("demo_rival")).toMatchObject({ recordStatus: "merged", mergedInto: "demo_evil" });
  expect([...snapshot.publicIds()]).toEqual(["demo_evil"]);
  expect(snapshot.observationCountOf(record, {})).toBe(3);
});

test("merges follow the move, and an erased one leaves the observation where it was", () => {
  const { town, record, rival, moved } = split();
  using _ = town;
  const last = town.record("Last");
  town.review("merge", rival, { into: last, tags: { r1: "l1" } });
  const tagsOf = () =>
    town
      .snapshot(AS_OF)
      .observationsOf(last, { limit: 9 })
      .map(({ observerTag }) => observerTag);
  expect(tagsOf()).toEqual(["l1", "r0"]);
  const again = town.move(moved[1] ?? 0, record, town.asset(record), "x");
  expect(tagsOf()).toEqual(["r0"]);
  town.redact([again]);
  expect(tagsOf()).toEqual(["l1", "r0"]);
});

test("a merge that is taken back leaves both records as they were", () => {
  using town = new TestTown();
  town.city("toronto");
  const [goes, stays] = [town.record("Goes"), town.record("Stays")];
  for (const record of [goes, stays]) town.see(record, town.asset(record), "x", "2026-04-28T10:00:00Z");
  town.review("merge", goes, { into: stays, tags: {} });
  expect(town.snapshot(AS_OF).record("demo_goes")).toMatchObject({ mergedInto: "demo_stays" });
  town.review("unmerge", goes, { into: stays });
  const snapshot = town.snapshot(AS_OF);
  expect(snapshot.record("demo_goes")).toMatchObject({ recordStatus: "active", observationCount: 1 });
  expect(snapshot.record("demo_stays")).toMatchObject({ recordStatus: "active", observationCount: 1 });
});
