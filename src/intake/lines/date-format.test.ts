import fc from "fast-check";
import { expect, test } from "vitest";
import { dateReader } from "./date-format.ts";

test.for([
  [["M/D/YYYY"], undefined, "5/1/2026", "2026-05-01"],
  [["DD.MM.YYYY"], undefined, "01.05.2026", "2026-05-01"],
  [["YYYY-MM-DD HH:mm:ss"], "-05:00", "2026-05-01 09:30:05", "2026-05-01T09:30:05-05:00"],
  [["YYYYMMDD"], undefined, "20260501", "2026-05-01"],
  [["M/D/YYYY", "iso"], undefined, "2026-05-01", "2026-05-01"],
  [["M/D/YYYY"], undefined, "1.5.2026", "1.5.2026"],
] as const)("%j %j: %s", ([formats, offset, text, iso]) => {
  expect(dateReader(formats, offset)(text)).toBe(iso);
});

test.for([
  [["MM/YYYY"], undefined, "each once"],
  [["D/D/YYYY MM"], undefined, "each once"],
  [["YYYY-MM-DD HH:mm"], undefined, 'give "utc_offset"'],
] as const)("%j is refused", ([formats, offset, message]) => {
  expect(() => dateReader(formats, offset)).toThrow(message);
});

test("any day of four centuries reads back, and any other text comes back as it is", () => {
  const day = fc.date({ min: new Date("1990-01-01"), max: new Date("2399-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(day, fc.string(), (date, other) => {
      const iso = date.toISOString().slice(0, 10);
      const [year, month, dayOfMonth] = iso.split("-");
      expect(dateReader(["D.M.YYYY"], undefined)(`${Number(dayOfMonth)}.${Number(month)}.${year}`)).toBe(iso);
      if (!/^\d+\.\d+\.\d+$/.test(other)) expect(dateReader(["D.M.YYYY"], undefined)(other)).toBe(other);
    }),
  );
});
