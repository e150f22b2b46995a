import { describe, expect, test } from "vitest";
import { LineFault } from "./fault.ts";
import { assertTimeZone, zoneClock } from "./local-time.ts";

function reasonOf(zone: string, local: string): string {
  try {
    return zoneClock(zone)(local);
  } catch (error) {
    if (error instanceof LineFault) return error.reason;
    throw error;
  }
}

describe("the clock of a zone", () => {
  test.for([
    ["Europe/Brussels", "2026-01-15T14:05:00", "2026-01-15T14:05:00+01:00"],
    ["Europe/Brussels", "2026-07-15T14:05", "2026-07-15T14:05+02:00"],
    // Summer time begins on 29 March 2026 at 2:00: 2:00 to 3:00 are skipped.
    ["Europe/Brussels", "2026-03-29T01:59:59", "2026-03-29T01:59:59+01:00"],
    ["Europe/Brussels", "2026-03-29T02:00:00", "no_such_local_time"],
    ["Europe/Brussels", "2026-03-29T02:59:59", "no_such_local_time"],
    ["Europe/Brussels", "2026-03-29T03:00:00", "2026-03-29T03:00:00+02:00"],
    // It ends on 25 October 2026 at 3:00: 2:00 to 3:00 come twice.
    ["Europe/Brussels", "2026-10-25T01:59:59", "2026-10-25T01:59:59+02:00"],
    ["Europe/Brussels", "2026-10-25T02:00:00", "ambiguous_local_time"],
    ["Europe/Brussels", "2026-10-25T02:59:59.9", "ambiguous_local_time"],
    ["Europe/Brussels", "2026-10-25T03:00:00", "2026-10-25T03:00:00+01:00"],
    ["Australia/Lord_Howe", "2026-07-01T12:00:00", "2026-07-01T12:00:00+10:30"],
    ["America/St_Johns", "2026-01-01T00:10:00", "2026-01-01T00:10:00-03:30"],
    ["Pacific/Apia", "2011-12-30T12:00:00", "no_such_local_time"], // a day that the calendar skipped
    ["UTC", "2026-02-31T25:00:00", "2026-02-31T25:00:00"], // left to validation
  ] as const)("of %s at %s", ([zone, local, read]) => {
    expect(reasonOf(zone, local)).toBe(read);
  });

  test("every hour of a year is the instant that the zone's own clock shows", () => {
    const clock = zoneClock("Europe/Brussels");
    const shown = new Intl.DateTimeFormat("sv-SE", {
      ...{ timeZone: "Europe/Brussels", dateStyle: "short", timeStyle: "medium" },
    });
    const refused: string[] = [];
    for (let instant = Date.UTC(2026, 0, 1); instant < Date.UTC(2027, 0, 1); instant += 3_600_000) {
      const local = shown.format(instant).replace(" ", "T");
      try {
        expect(Date.parse(clock(local))).toBe(instant);
      } catch (error) {
        if (!(error instanceof LineFault)) throw error;
        refused.push(local);
      }
    }
    expect(refused).toEqual(["2026-10-25T02:00:00", "2026-10-25T02:00:00"]);
  });
});

test("a name that is no time zone is refused with the near one", () => {
  for (const good of ["Europe/Brussels", "America/Argentina/Buenos_Aires", "UTC"]) assertTimeZone(good);
  expect(() => assertTimeZone("Brussels")).toThrow("(got Brussels): did you mean Europe/Brussels?");
  for (const bad of ["", "CET+1", "+01:00", "Europe/Ghent", "../../etc/passwd", "Europe/Brussels\n"])
    expect(() => assertTimeZone(bad), bad).toThrow("is not a time zone of the IANA database");
});
