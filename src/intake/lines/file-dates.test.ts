import fc from "fast-check";
import { expect, test } from "vitest";
import { ColumnMap } from "./column-map.ts";
import { dateReader, otherReading, reads } from "./date-format.ts";
import { decideDates, hasTwoReadings } from "./file-dates.ts";

const REQUIRED = ["source_type", "source_ref", "observer", "lat", "lng", "name", "asset_type"];

function map(...formats: string[]): ColumnMap {
  const constants = Object.fromEntries(REQUIRED.map((field) => [field, "1"]));
  return ColumnMap.parse({ columns: { seen: "observed_at" }, constants, date_formats: formats });
}

async function decided(formats: string[], ...dates: string[]): Promise<readonly string[]> {
  async function* bytes() {
    yield Buffer.from(["seen", ...dates].join("\n"));
  }
  const read = await decideDates(map(...formats), bytes(), { name: "visits.csv", encoding: "utf-8" });
  return read.date_formats;
}

const BOTH = ["MM/DD/YYYY", "DD/MM/YYYY"];

test("one date that has one reading decides for all", async () => {
  expect(await decided(BOTH, "03/04/2026", "03/25/2026")).toEqual(["MM/DD/YYYY"]);
  expect(await decided(BOTH, "03/04/2026", "25/03/2026")).toEqual(["DD/MM/YYYY"]);
  expect(await decided([...BOTH, "iso"], "25/03/2026", "2026-04-01")).toEqual(["DD/MM/YYYY", "iso"]);
  expect(await decided(BOTH, "99/99/2026", "yesterday", "")).toEqual(BOTH);
});

test("without such a date the file is refused with the two readings", async () => {
  await expect(decided(BOTH, "03/04/2026", "05/05/2026")).rejects.toThrow(
    'visits.csv: 03/04/2026 is 2026-03-04 as MM/DD/YYYY and 2026-04-03 as DD/MM/YYYY, and no line of the file decides: leave the right one in "date_formats"',
  );
});

test("a file that has both is refused", async () => {
  await expect(decided(BOTH, "25/03/2026", "03/26/2026")).rejects.toThrow(
    "03/26/2026 can only be MM/DD/YYYY, and 25/03/2026 can only be DD/MM/YYYY",
  );
});

test("one form in the map is the operator's word, unless no date of the file can be of it", async () => {
  expect(await decided(["M/D/YYYY"], "3/4/2026")).toEqual(["M/D/YYYY"]);
  expect(await decided(["M/D/YYYY"], "3/25/2026", "25/3/2026")).toEqual(["M/D/YYYY"]); // the odd line is rejected
  await expect(decided(["M/D/YYYY"], "3/4/2026", "25/3/2026")).rejects.toThrow(
    '25/3/2026 can only be D/M/YYYY, and no date of the file can only be M/D/YYYY, as "date_formats" states',
  );
  expect(await decided(["YYYY-MM-DD"], "2026-03-04")).toEqual(["YYYY-MM-DD"]);
});

test("standard input needs one form", () => {
  expect(hasTwoReadings(map(...BOTH))).toBe(true);
  expect(hasTwoReadings(map("M/D/YYYY", "DD/MM/YYYY"))).toBe(true);
  expect(hasTwoReadings(map("M/D/YYYY", "iso"))).toBe(false);
  expect(hasTwoReadings(map("YYYY-MM-DD", "YYYY-DD-MM"))).toBe(false);
});

test("a form and its other reading read a date alike only when day and month are equal", () => {
  expect(otherReading("D.MM.YYYY")).toBe("M.DD.YYYY");
  expect(otherReading("YYYY-MM-DD")).toBeUndefined();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 }), (a, b) => {
      const text = `${a}/${b}/2026`;
      const [first, second] = ["M/D/YYYY", "D/M/YYYY"].map((format) => reads(format, text));
      if (first === true && second === true)
        expect(dateReader(["M/D/YYYY"])(text) === dateReader(["D/M/YYYY"])(text)).toBe(a === b);
      else expect(first === true || second === true || (a > 12 && b > 12) || Math.max(a, b) > 28).toBe(true);
    }),
  );
});
