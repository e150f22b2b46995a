import fc from "fast-check";
import { expect, test } from "vitest";
import { dateReader } from "./date-format.ts";

test.for([
  [["M/D/YYYY"], {}, "5/1/2026", "2026-05-01"],
  [["DD.MM.YYYY"], {}, "01.05.2026", "2026-05-01"],
  [["YYYY-MM-DD HH:mm:ss"], { offset: "-05:00" }, "2026-05-01 09:30:05", "2026-05-01T09:30:05-05:00"],
  [["YYYYMMDD"], {}, "20260501", "2026-05-01"],
  [["M/D/YYYY", "iso"], {}, "2026-05-01", "2026-05-01"],
  [["M/D/YYYY"], {}, "1.5.2026", "1.5.2026"],
  [["MM/DD/YYYY hh:mm:ss A"], { offset: "-05:00" }, "07/23/2026 12:05:00 AM", "2026-07-23T00:05:00-05:00"],
  [["MM/DD/YYYY hh:mm:ss A"], { offset: "-05:00" }, "07/23/2026 12:00:00 PM", "2026-07-23T12:00:00-05:00"],
  [["MM/DD/YYYY hh:mm:ss A"], { offset: "-05:00" }, "07/23/2026 01:00:00 pm", "2026-07-23T13:00:00-05:00"],
  [["MM/DD/YYYY hh:mm:ss A"], { offset: "-05:00" }, "07/23/2026 13:00:00 PM", "07/23/2026 13:00:00 PM"],
  [["M/D/YYYY h:mmA"], { offset: "Z" }, "7/3/2026 9:30PM", "2026-07-03T21:30:00Z"],
  [["MM/DD/YYYY 12:00:00 AM"], {}, "07/23/2026 12:00:00 AM", "2026-07-23"],
  [["MM/DD/YYYY hh:mm:ss A"], { dateOnly: true }, "07/23/2026 11:59:59 PM", "2026-07-23"],
  [["YYYY-MM-DDTHH:mm:ss.SSS"], { offset: "-05:00" }, "2026-07-23T09:30:05.123", "2026-07-23T09:30:05-05:00"],
  [["YYYY-MM-DDT00:00:00.000"], {}, "2026-07-23T00:00:00.000", "2026-07-23"],
  [["iso"], { offset: "-05:00" }, "2026-07-23T09:30:05.123", "2026-07-23T09:30:05.123-05:00"],
  [["iso"], { offset: "-05:00" }, "2026-07-23T09:30", "2026-07-23T09:30-05:00"],
  [["iso"], { offset: "-05:00" }, "2026-07-23T09:30:05Z", "2026-07-23T09:30:05Z"],
  [["iso"], { offset: "-05:00" }, "2026-07-23", "2026-07-23"],
  [["iso"], {}, "2026-07-23T09:30:05", "2026-07-23T09:30:05"],
  [["iso"], { dateOnly: true }, "2026-07-23T23:59:59.999+14:00", "2026-07-23"],
  [["iso"], { dateOnly: true }, "yesterday", "yesterday"],
  [["DD/MM/YY"], {}, "27/11/26", "2026-11-27"],
  [["D MMM YYYY"], { language: "fr" }, "1 août 2026", "2026-08-01"],
  [["D MMM YY"], { language: "fr" }, "27 Janv. 26", "2026-01-27"],
  [["D MMM YYYY"], { language: "fr" }, "27 jui 2026", "27 jui 2026"], // June or July
  [["D MMM YYYY"], { language: "pl" }, "27 listopada 2026", "2026-11-27"],
  [["D MMM YYYY"], { language: "hr" }, "27 listopada 2026", "2026-10-27"],
  [["D. MMM YYYY"], { language: "de" }, "3. März 2026", "2026-03-03"],
  [["ddd D [de] MMM [de] YYYY"], { language: "pt" }, "sex., 27 de novembro de 2026", "2026-11-27"],
  [["DD/MM/YYYY H[h]mm"], { offset: "-03:00" }, "27/11/2026 8h05", "2026-11-27T08:05:00-03:00"],
  [["YYYY年M月D日 H時mm分"], { offset: "+09:00" }, "2026年11月7日 8時05分", "2026-11-07T08:05:00+09:00"],
  [["unix"], {}, "1795790400", "2026-11-27T14:40:00.000Z"],
  [["unix"], { dateOnly: true }, "1795790400123", "2026-11-27"],
  [["excel"], { offset: "+01:00" }, "46353,586111", "2026-11-27T14:04:00+01:00"],
  [["excel"], {}, "46353", "2026-11-27"],
] as const)("%j %j: %s", ([formats, options, text, iso]) => {
  expect(dateReader(formats, options)(text)).toBe(iso);
});

test.for([
  ["MM/YYYY", {}, "each once"],
  ["D/D/YYYY MM", {}, "each once"],
  ["DD MMM YYYY", {}, 'has months by name: give their "language"'],
  ["YYYY-MM-DD HH:mm", {}, 'give "time_zone", for example "Europe/Brussels", or "utc_offset"'],
  ["yyyy-MM-DD", {}, '"yyyy", which stands for nothing'],
  ["DD/MM/YY YYYY", {}, "each once"],
  ["YYYY-MM-DDTHH:mm:ssZ", { offset: "Z" }, '"Z", which stands for nothing'],
  ["MM/DD/YYYY hh:mm", { offset: "Z" }, "hh or h together with A"],
  ["MM/DD/YYYY HH:mm A", { offset: "Z" }, "hh or h together with A"],
  ["MM/DD/YYYY A", { offset: "Z" }, "hh or h together with A"],
  ["MM/DD/YYYY HH:mm hh A", { offset: "Z" }, "each part of the time once"],
  ["MM/DD/YYYY mm:ss", { offset: "Z" }, "hours beside minutes"],
  ["MM/DD/YYYY HH:ss", { offset: "Z" }, "minutes beside seconds"],
  ["DMYYYY", {}, "a separator after M, D, H and h"],
  ["", {}, "each once"],
] as const)("%s %j is refused", ([format, options, message]) => {
  expect(() => dateReader([format], options)).toThrow(message);
});

test("any day of four centuries reads back, and any other text comes back as it is", () => {
  const day = fc.date({ min: new Date("1990-01-01"), max: new Date("2399-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(day, fc.string(), (date, other) => {
      const iso = date.toISOString().slice(0, 10);
      const [year, month, dayOfMonth] = iso.split("-");
      expect(dateReader(["D.M.YYYY"])(`${Number(dayOfMonth)}.${Number(month)}.${year}`)).toBe(iso);
      if (!/^\d+\.\d+\.\d+$/.test(other)) expect(dateReader(["D.M.YYYY"])(other)).toBe(other);
    }),
  );
});
