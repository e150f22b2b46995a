import { cellToParent, gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { MAX_CELL_RECORDS } from "../../contract/limits.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { cityArea } from "./city-area.ts";

const HERE = latLngToCell(TORONTO.lat, TORONTO.lng, 8);
const [, NEXT = ""] = gridDisk(HERE, 1);

function readArea(cell: string, fill: (town: TestTown) => void) {
  using town = new TestTown();
  town.city("toronto");
  fill(town);
  const snapshot = openSnapshot(town.build(town.seal(), "2026-05-20T12:00:00Z").path);
  try {
    return cityArea.read(
      { ...fakeContext(), snapshot },
      { city: "toronto", area: cellToParent(cell, 6) },
      {},
    );
  } finally {
    snapshot.close();
  }
}

test("each cell has its records, whose observations add up to those of the cell", () => {
  const { cells } = readArea(HERE, (town) => {
    const often = town.record("Often");
    const [here, next, van] = [town.asset(often), town.asset(often), town.asset(often, "vehicle_wrap")];
    const once = town.record("Once");
    town.see(once, town.asset(once), "a", "2026-04-09T10:00:00Z", { h3_cell: HERE });
    for (const day of ["10", "12"]) town.see(often, here, "a", `2026-04-${day}T10:00:00Z`, { h3_cell: HERE });
    town.see(often, next, "b", "2026-04-11T10:00:00Z", { h3_cell: NEXT });
    const wide = cellToParent(HERE, 5);
    town.see(often, van, "b", "2026-04-11T10:00:00Z", { asset_type: "vehicle_wrap", h3_cell: wide });
  });
  const cell = cells.find(({ h3_cell }) => h3_cell === HERE);
  expect(cell).toMatchObject({ observations: 3, records: 2, last_observed: "2026-04-12" });
  expect(cell?.first_records).toMatchObject([
    { name: "Often", observations: 2, last_observed: "2026-04-12" },
    { name: "Once", observations: 1, last_observed: "2026-04-09" },
  ]);
  for (const { observations, first_records } of cells)
    expect(first_records.reduce((sum, record) => sum + record.observations, 0)).toBe(observations);
});

test("a crowded cell names its first records, and counts all", () => {
  const { cells } = readArea(HERE, (town) => {
    for (let n = 0; n <= MAX_CELL_RECORDS; n += 1) {
      const record = town.record(`Shop ${n}`);
      town.see(record, town.asset(record), "a", "2026-04-10T10:00:00Z", { h3_cell: HERE });
    }
  });
  const cell = cells.find(({ h3_cell }) => h3_cell === HERE);
  expect(cell?.records).toBe(MAX_CELL_RECORDS + 1);
  expect(cell?.first_records).toHaveLength(MAX_CELL_RECORDS);
});

test("what is rejected, redacted or seen of vehicles alone is in no cell, and a merged record is named as the other one", () => {
  const { cells } = readArea(HERE, (town) => {
    const see = (name: string, type: "storefront" | "vehicle_wrap" = "storefront") => {
      const [record, h3_cell] = [town.record(name), type === "storefront" ? HERE : cellToParent(HERE, 5)];
      const seen = { asset_type: type, h3_cell };
      return { record, row: town.see(record, town.asset(record, type), "a", "2026-04-10T10:00:00Z", seen) };
    };
    const [kept, merged, rejected, redacted] = ["Kept", "Merged", "Rejected", "Redacted"].map((name) =>
      see(name),
    );
    see("Van", "vehicle_wrap");
    town.review("merge", merged?.record ?? 0, { into: kept?.record ?? 0 });
    town.review("reject", rejected?.row ?? 0);
    town.redact([redacted?.row ?? 0]);
  });
  const cell = cells.find(({ h3_cell }) => h3_cell === HERE);
  expect(cell).toMatchObject({ observations: 2, records: 1 });
  expect(cell?.first_records).toMatchObject([{ name: "Kept", observations: 2 }]);
});

test("an area without cells of the city is none", () => {
  const elsewhere = latLngToCell(-TORONTO.lat, TORONTO.lng, 8);
  expect(() => readArea(elsewhere, () => {})).toThrow("not found");
});
