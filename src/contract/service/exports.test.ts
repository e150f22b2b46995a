import { expect, it } from "vitest";
import { exampleAnswer } from "../../render/reference/examples.ts";
import { explorerCsv } from "../../resources/cities/tables.ts";
import { EXPLORER_COLUMNS, ExplorerRow } from "./exports.ts";

it("has exactly the header of the interface", () => {
  expect(EXPLORER_COLUMNS.join(",")).toBe(
    "city,industry,asset_type,claim_state,entities,observations,observed_cells,coverage_level,assets,avg_pps,avg_percentile,first_observed,last_observed",
  );
});

it("accepts its example, and nulls only for cells that may be empty", () => {
  const [row] = exampleAnswer(explorerCsv);
  expect(ExplorerRow.parse(row)).toEqual(row);
  const mayBeEmpty = EXPLORER_COLUMNS.filter(
    (column) => ExplorerRow.safeParse({ ...row, [column]: null }).success,
  );
  expect(mayBeEmpty).toEqual(["industry", "avg_pps", "avg_percentile", "first_observed", "last_observed"]);
});
