import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { LedgerFold } from "./ledger-fold.ts";

const AS_OF = "2026-05-20T12:00:00Z";

/** Two records, each with one storefront; "x" and "y" are the same observer under two tags. */
function twoRecords() {
  const town = new TestTown();
  town.city("toronto");
  const stays = town.record("Stays");
  const goes = town.record("Goes");
  const staysAsset = town.asset(stays);
  const goesAsset = town.asset(goes);
  const first = town.see(stays, staysAsset, "x", "2026-04-28T10:00:00Z");
  const second = town.see(goes, goesAsset, "y", "2026-04-29T10:00:00Z");
  const third = town.see(goes, goesAsset, "z", "2026-04-30T10:00:00Z");
  return { town, stays, goes, staysAsset, goesAsset, first, second, third };
}

describe("a merged record", () => {
  test("gives its sightings and assets to the one that stays, under mapped tags", () => {
    const { town, stays, goes, staysAsset, goesAsset, first, second, third } = twoRecords();
    using _ = town;
    town.review("merge", goes, { into: stays, tags: { y: "x" } });
    const snapshot = town.snapshot(AS_OF);
    expect(
      snapshot.observationsOf(stays, { limit: 9 }).map(({ id, observerTag }) => [id, observerTag]),
    ).toEqual([
      [third, "z"],
      [second, "x"],
      [first, "x"],
    ]);
    expect(snapshot.assetsOf(stays).map(({ id }) => id)).toEqual([staysAsset, goesAsset]);
    expect(snapshot.record("demo_stays")).toMatchObject({ observationCount: 3, standing: { observers: 2 } });
  });

  test("stays resolvable, and nowhere else to be found", () => {
    const { town, stays, goes } = twoRecords();
    using _ = town;
    town.review("merge", goes, { into: stays });
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.record("demo_goes")).toMatchObject({
      position: 2,
      recordStatus: "merged",
      mergedInto: "demo_stays",
      observationCount: 0,
      firstObserved: null,
      standing: { pps: null, observations: 0 },
    });
    expect(snapshot.observationsOf(goes, { limit: 9 })).toEqual([]);
    expect([...snapshot.publicIds()]).toEqual(["demo_stays"]);
    expect(snapshot.search({ name: "goes", limit: 9 })).toEqual([]);
    expect(snapshot.cityIndexPage("toronto", {}, 0, 9).map(({ publicId }) => publicId)).toEqual([
      "demo_stays",
    ]);
  });

  test("follows chains, mapping tags step by step", () => {
    const { town, stays, goes } = twoRecords();
    using _ = town;
    const last = town.record("Last");
    town.review("merge", goes, { into: stays, tags: { y: "x" } });
    town.review("merge", stays, { into: last, tags: { x: "w" } });
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.observationsOf(last, { limit: 9 }).map(({ observerTag }) => observerTag)).toEqual([
      "z",
      "w",
      "w",
    ]);
    expect(snapshot.record("demo_goes")?.mergedInto).toBe("demo_last");
  });

  test("comes back when it is the one that shall stay after all", () => {
    const { town, stays, goes } = twoRecords();
    using _ = town;
    town.review("merge", goes, { into: stays });
    town.review("merge", stays, { into: goes });
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.record("demo_goes")).toMatchObject({ recordStatus: "active", observationCount: 3 });
    expect(snapshot.record("demo_stays")).toMatchObject({ recordStatus: "merged", mergedInto: "demo_goes" });
  });

  test("vanishes with the record that it went into", () => {
    const { town, stays, goes, staysAsset, first } = twoRecords();
    using _ = town;
    town.review("merge", goes, { into: stays });
    town.redact([stays, staysAsset, first]);
    const snapshot = town.snapshot(AS_OF);
    expect(snapshot.record("demo_goes")).toBeUndefined();
    expect([...snapshot.publicIds()]).toEqual([]);
  });
});

test("whatever is merged into whatever, each record ends at one that is not merged", () => {
  const pairs = fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(pairs, (merges) => {
      const fold = new LedgerFold(0);
      const base = { acceptedAt: 0, leafHash: Buffer.alloc(32) };
      for (let id = 1; id <= 6; id += 1)
        fold.apply({
          ...base,
          id,
          kind: "record",
          body: { city: "c", is_synthetic: true, public_id: `p${id}` },
        });
      for (const [target, into] of merges) {
        const body = {
          decision: "merge",
          target,
          into,
          tags: null,
          industry: null,
          reason: "",
          reviewer: "",
        } as const;
        fold.apply({ ...base, id: 7, kind: "review", body });
        const [merged, stays] = [fold.records.get(target), fold.records.get(into)];
        if (merged === undefined || stays === undefined) throw new Error("no such record");
        expect(fold.root(merged)).toBe(fold.root(stays));
      }
      for (const record of fold.records.values()) expect(fold.root(record)?.merge).toBeUndefined();
    }),
  );
});
