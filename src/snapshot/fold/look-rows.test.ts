import { compactCells, gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { cellBitmap, cellManifestId } from "../../ledger/looks.ts";

const AS_OF = "2026-05-20T12:00:00Z";
const LIST = gridDisk(latLngToCell(TORONTO.lat, TORONTO.lng, 8), 2).sort();
const [A = "", B = "", C = ""] = LIST;

function look(
  town: TestTown,
  span: "day" | "week" | "month",
  start: string,
  cells: string[],
  list = LIST,
): number {
  const bitmap = cellBitmap(list, new Set(cells)) ?? "";
  const body = { cells: bitmap, city: "toronto", manifest: cellManifestId(list), span, start };
  return town.append({ kind: "look", body });
}

const counted = (town: TestTown) => {
  const snapshot = town.snapshot(AS_OF);
  return {
    metrics: snapshot.city("toronto")?.coverage.metrics,
    cells: snapshot
      .cellCounts("toronto")
      .map(({ cell, observations, weeksLooked90d, monthsLooked }) => [
        cell,
        observations,
        weeksLooked90d,
        monthsLooked,
      ]),
  };
};

test("a release counts looked cells without a find, and what is erased no more", () => {
  using town = new TestTown();
  town.city("toronto");
  look(town, "week", "2026-05-04", [A, B]);
  const second = look(town, "week", "2026-04-27", [A]);
  look(town, "month", "2026-04-01", [C]);
  const { metrics, cells } = counted(town);
  expect(metrics).toMatchObject({ observed_cells_90d: 2, repeated_eligible_cells_90d: 1 });
  expect(cells).toEqual([
    [A, 0, 2, 0],
    [B, 0, 1, 0],
    [C, 0, 0, 1],
  ]);
  town.redact([second]);
  expect(counted(town).metrics).toMatchObject({ observed_cells_90d: 2, repeated_eligible_cells_90d: 0 });
});

test("rows of an earlier list of cells keep their meaning, and a list that the city never had has none", () => {
  using town = new TestTown();
  const row = town.city("toronto");
  look(town, "week", "2026-05-04", [A, B]);
  look(town, "week", "2026-05-04", [C], [B, C]);
  const details = {
    cells: compactCells([A, C]).sort(),
    country: "CA",
    country_name: "Canada",
    geoname_id: 6_167_865,
    ...TORONTO,
    name: "TORONTO",
    region: "Ontario",
    region_code: "ON",
    weights: [9, 1],
  };
  town.append({ kind: "city", body: { city: "toronto", step: "register", details } });
  expect(row).toBeGreaterThan(0);
  const { metrics, cells } = counted(town);
  expect(metrics).toMatchObject({
    observed_cells_90d: 2,
    observed_eligible_cells_90d: 1,
    eligible_coverage_cells: 2,
    cell_coverage_ratio_90d: 0.9,
  });
  expect(cells.map(([cell]) => cell)).toEqual([A, B]);
});
