import { expect, test } from "vitest";
import type { ChangeRow, ReleaseChanges } from "../../../src/contract/service/exports.ts";
import { changeFaults } from "./changes-check.ts";
import { IdRegistry } from "./ids-check.ts";
import type { Published } from "./published.ts";
import { Told } from "./told.ts";

/** A release of records by public id and hash, called and owning as given. */
function release(records: Readonly<Record<string, string>>, changes: Partial<ReleaseChanges> = {}) {
  const count = Object.keys(records).length;
  return {
    records: new Map(
      Object.entries(records).map(([id, hash]) => [
        id,
        { name: `Name of ${id}`, assets: [`as_${id}`], hash },
      ]),
    ),
    changes: {
      ...{ release: ref(count), against: null, note: "" },
      ...{ added: 0, changed: 0, merged: 0, removed: 0, records: [] },
      ...changes,
    },
  } satisfies Partial<Published>;
}

const ref = (records: number) => ({ release_id: "r", data_as_of: "2026-05-01T00:00:00Z", records });

const EARLIER = release({ stays: "1", alters: "1", joins: "1", goes: "1" });
const LATER = { stays: "1", alters: "2", comes: "1" };
const CHANGES: Partial<ReleaseChanges> = {
  ...{ against: ref(4), added: 1, changed: 1, merged: 1, removed: 1 },
  records: [
    { public_id: "alters", change: "changed", merged_into: null, changed: ["status"] },
    { public_id: "comes", change: "added", merged_into: null, changed: [] },
    { public_id: "joins", change: "merged", merged_into: "stays", changed: [] },
  ],
};

function told(): Told {
  const desk = new Told();
  desk.merged("joins", "stays");
  desk.erased("goes");
  return desk;
}

test("a change file that says what happened has no fault", () => {
  expect(changeFaults(EARLIER, release(LATER, CHANGES), told())).toEqual([]);
  expect(changeFaults(undefined, release(LATER), told())).toEqual([]);
});

test.each<[string, Partial<ReleaseChanges>, string]>([
  [
    "a change that was none",
    { records: [...(CHANGES.records ?? []), row("stays")] },
    "stays changed is named",
  ],
  ["a change that is left out", { records: CHANGES.records?.slice(1) ?? [] }, "alters changed is not named"],
  ["a wrong count", { removed: 0 }, "removed 0, now 3, but it was"],
  ["another number before", { against: ref(5) }, "says before 5"],
  ["one that opted out", { records: [...(CHANGES.records ?? []), row("goes")] }, "goes changed is named"],
])("%s in a change file is found", (_, wrong, fault) => {
  const faults = changeFaults(EARLIER, release(LATER, { ...CHANGES, ...wrong }), told());
  expect(faults.join("\n")).toContain(fault);
});

function row(public_id: string): ChangeRow {
  return { public_id, change: "changed", merged_into: null, changed: [] };
}

test("an id that is lost, comes back, or is given to another is found", () => {
  const ids = new IdRegistry();
  const desk = told();
  expect(ids.look(EARLIER, new Told())).toEqual([]);
  expect(ids.look(release(LATER), desk)).toEqual([]);
  expect(ids.look(release({ stays: "1", alters: "1" }), desk)).toEqual([
    "comes is no longer published, without any decision",
  ]);
  expect(ids.look(release({ stays: "1", alters: "1", goes: "1", joins: "1" }), desk)).toEqual([
    "goes opted out, and is published",
    "joins was merged, and is published",
    "asset as_joins was of joins, and is of joins, not of stays",
  ]);
  const other = release({ stays: "1", alters: "1" });
  other.records.set("stays", { name: "Another", assets: ["as_alters", "alters"], hash: "1" });
  expect(ids.look(other, desk).slice(0, 3)).toEqual([
    'stays was "Name of stays", and is "Another"',
    "asset as_alters was of alters, and is of stays, not of alters",
    "alters is an asset and a record",
  ]);
});

test("a record may be called as one that was merged into it", () => {
  const ids = new IdRegistry();
  ids.look(EARLIER, new Told());
  const later = release(LATER);
  const stays = later.records.get("stays") ?? { assets: [], hash: "1" };
  later.records.set("stays", { ...stays, name: "Name of joins" });
  expect(ids.look(later, told())).toEqual([]);
  later.records.set("stays", { ...stays, name: "Name of alters" });
  expect(ids.look(later, told())).toEqual(['stays was "Name of stays", and is "Name of alters"']);
  const merged = told();
  merged.merged("unseen", "stays"); // before a release showed it
  expect(ids.look(later, merged)).toEqual([]);
});

test("what was decided leads through chains, and turns round", () => {
  const desk = new Told();
  desk.merged("a", "b");
  desk.merged("b", "c");
  expect(desk.rootOf("a")).toBe("c");
  desk.merged("c", "b");
  expect([desk.rootOf("a"), desk.rootOf("c")]).toEqual(["b", "b"]);
  desk.erased("b");
  expect([...desk.gone].sort()).toEqual(["a", "b", "c"]);
  expect(desk.mergedInto.size).toBe(0);
});
