import fc from "fast-check";
import { latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { observationBody } from "../../../tests/support/ledger/observation-body.ts";
import { AssetType, PresenceKind, SourceType } from "../../contract/enums.ts";
import { StatedFacts } from "../../contract/records/observation.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../kernel/time.ts";
import { setAsideReason } from "../../method/standing/counting.ts";
import { SightingColumns } from "./sighting-columns.ts";
import { SightingFold } from "./sighting-fold.ts";
import { sharedMemory } from "./sighting-memory.ts";

const cells = fc
  .tuple(
    fc.integer({ min: -80, max: 80 }),
    fc.integer({ min: -179, max: 179 }),
    fc.integer({ min: 4, max: 8 }),
  )
  .map(([lat, lng, resolution]) => latLngToCell(lat, lng, resolution));

const changes = fc.record({
  accepted_at: fc.integer({ min: 15_000, max: 25_000 }).map((day) => isoTime(day * DAY_MS)),
  asset: fc.integer({ min: 1, max: 2 ** 31 }),
  asset_type: fc.constantFrom(...AssetType.options),
  counts: fc.boolean(),
  derived_from_archive: fc.boolean(),
  h3_cell: cells,
  is_synthetic: fc.boolean(),
  legibility: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  methodology_version: fc.string(),
  observed_at: fc.integer({ min: 200_000, max: 500_000 }).map((hour) => isoTime(hour * HOUR_MS)),
  observer_tag: fc.string(),
  presence_kind: fc.constantFrom(...PresenceKind.options),
  recognition_model_version: fc.option(fc.string()),
  record: fc.integer({ min: 1, max: 2 ** 31 }),
  source: fc.option(fc.constantFrom("built-in", "cams")),
  source_type: fc.constantFrom(...SourceType.options),
});
const bodies = changes.map(observationBody);

test("what goes into the columns comes out of them", () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.array(fc.tuple(bodies, hash), { minLength: 1, maxLength: 20 }), (rows) => {
      const folded = new SightingFold(rows.length);
      for (const [index, [body, ledgerHash]] of rows.entries()) folded.add(index + 1, body, ledgerHash);
      folded.publish(1, rows.length, 77);
      const inAnotherThread = new SightingColumns(sharedMemory(structuredClone(folded.share())));
      const both = rows.flatMap((row, index) =>
        [folded, inAnotherThread].map((columns) => [columns, index, row] as const),
      );
      for (const [columns, index, [body, ledgerHash]] of both) {
        const row = index + 1;
        expect(columns.sighting(row, { day: 5, observer: columns.observer(row) })).toEqual({
          id: row,
          asset: body.asset,
          assetType: body.asset_type,
          source: body.source_type,
          observer: body.observer_tag,
          observedAt: Date.parse(body.observed_at),
          day: 5,
          cell: body.h3_cell,
          fine: body.asset_type !== "vehicle_wrap",
          publishedAt: 77,
          archived: body.derived_from_archive,
          verdict: undefined,
          setAside: setAsideReason({
            source: body.source_type,
            assetType: body.asset_type,
            counts: body.counts,
          }),
        });
        expect(columns.details(row)).toEqual({
          acceptedAt: Date.parse(body.accepted_at),
          stated: StatedFacts.parse(body),
          sourceId: body.source,
          methodologyVersion: body.methodology_version,
          presenceKind: body.presence_kind,
          ledgerHash,
        });
        expect(columns.legibility(row)).toBe(body.legibility);
      }
    }),
  );
});

test("what is kept of moved observations is what their rows say", () => {
  fc.assert(
    fc.property(fc.array(bodies, { minLength: 2, maxLength: 6 }), (rows) => {
      const [plain, moved] = [new SightingFold(rows.length), new SightingFold(rows.length)];
      for (const fold of [plain, moved])
        for (const [index, body] of rows.entries()) fold.add(index + 1, body, new Uint8Array(32));
      const place = { record: 7, asset: 8, observer_tag: "there" };
      moved.move(1, { ...place, observer_tag: "on the way" });
      moved.move(1, place);
      expect(moved.kept(0, rows.length)).toEqual(plain.kept(0, rows.length));
      expect([moved.record(1), moved.asset(1), moved.observer(1)]).toEqual([7, 8, "there"]);
      expect(moved.written(1)).toEqual(plain.written(1));
      expect(moved.mayBeShownOtherwise(new Set())[1]).toBe(1);
    }),
  );
});

test("only observations that are sealed and were made by as_of are handed out", () => {
  const columns = new SightingFold(4);
  const [body] = fc.sample(bodies, { numRuns: 1, seed: 1 });
  if (body === undefined) throw new Error("no sample");
  const at = (observed_at: string) => ({ ...body, record: 9, asset: 8, observed_at });
  const add = (row: number, observed: string) => columns.add(row, at(observed), new Uint8Array(32));
  add(1, "2026-05-01T10:00:00Z");
  add(3, "2026-05-02T05:00:00Z");
  add(4, "2026-05-01T09:00:00Z");
  columns.publish(1, 3, 77); // row 2 is of another kind, row 4 still waits
  expect([...columns.observedBy(Date.parse("2026-05-02T04:59:59Z"))]).toEqual([[1, 9, 8]]);
  expect([...columns.observedBy(Date.parse("2026-05-02T05:00:00Z"))]).toHaveLength(2);
  expect(() => columns.publishedAt(5)).toThrow(RangeError);
});
