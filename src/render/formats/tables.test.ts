import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ExplorerRow } from "../../contract/service/exports.ts";
import { csvText } from "./tables.ts";

/** Interface 4.8, to the letter. */
const HEADER =
  "city,industry,asset_type,claim_state,entities,observations,observed_cells,coverage_level,assets,avg_pps,avg_percentile,first_observed,last_observed";

const row: ExplorerRow = {
  city: "alpha",
  industry: null,
  asset_type: "temp_sign",
  claim_state: "claimed",
  entities: 2,
  observations: 9,
  observed_cells: 3,
  coverage_level: "low",
  assets: 2,
  avg_pps: 55.5,
  avg_percentile: null,
  first_observed: "2026-05-01",
  last_observed: null,
};

test("RFC 4180 lines under the exact header, unknowns empty", () => {
  expect(csvText([row])).toBe(`${HEADER}\r\nalpha,,temp_sign,claimed,2,9,3,low,2,55.5,,2026-05-01,\r\n`);
  expect(csvText([])).toBe(`${HEADER}\r\n`);
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"])(
  "%j does not reach a spreadsheet as a formula",
  (city) => {
    const [read] = parse(csvText([{ ...row, city }]), { columns: true });
    expect(read).toMatchObject({ city: `'${city}` });
  },
);

test("any text reads back as it was, but for the apostrophe before a formula", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.option(fc.string()), (city, industry) => {
      const [, read = []] = parse(csvText([{ ...row, city, industry }]), { record_delimiter: "\r\n" });
      expect([city, `'${city}`]).toContain(read[0]);
      expect([industry ?? "", `'${industry}`]).toContain(read[1]);
    }),
  );
});
