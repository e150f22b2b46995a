import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOW, sighting } from "../../../tests/support/ledger/intake-ledger.ts";
import { LineFault } from "./fault.ts";
import { observedInstant, parseObservation } from "./observation-input.ts";

const iso = (text: string, lng = 0) => new Date(observedInstant(text, lng, NOW)).toISOString();

describe("observed_at", () => {
  test.for([
    ["2026-05-01T09:30:00Z", "2026-05-01T09:30:00.000Z"],
    ["2026-05-01T09:30-04:00", "2026-05-01T13:30:00.000Z"],
    ["2026-05-01T09:30:15.250+05:30", "2026-05-01T04:00:15.250Z"],
    ["2024-02-29", "2024-02-29T12:00:00.000Z"],
  ] as const)("%s", ([text, instant]) => expect(iso(text)).toBe(instant));

  test("a bare date is noon by the sun: 15 degrees are an hour", () => {
    expect(iso("2026-05-01", -79.4)).toBe("2026-05-01T17:00:00.000Z");
    expect(iso("2026-05-01", 139.7)).toBe("2026-05-01T03:00:00.000Z");
  });

  test.for([
    "2026-02-29",
    "2026-04-31",
    "2026-13-01",
    "2026-05-01T25:00Z",
    "2026-05-01 09:30Z",
    "1/5/2026",
    "2026-05-01T09:30",
  ])("%s is refused", (text) =>
    expect(() => iso(text)).toThrow(expect.objectContaining({ reason: "invalid_date" })),
  );

  test("the limits are 1990 and fourteen hours ahead, both to the second", () => {
    expect(iso("1990-01-01T00:00:00Z")).toBe("1990-01-01T00:00:00.000Z");
    expect(() => iso("1989-12-31T23:59:59Z")).toThrow(expect.objectContaining({ reason: "ancient_date" }));
    expect(iso("2026-05-11T02:00:00Z")).toBe("2026-05-11T02:00:00.000Z");
    expect(() => iso("2026-05-11T02:00:01Z")).toThrow(expect.objectContaining({ reason: "future_date" }));
  });
});

test("any value is an observation or a fault that does not repeat private values", () => {
  const secret = "s3cret-value";
  const value = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom(...Object.keys(sighting("a")), "phone", "address"),
      fc.oneof(fc.jsonValue(), fc.constant(secret)),
    ),
    fc.constant(sighting("a", { phone: secret.repeat(20) })),
  );
  fc.assert(
    fc.property(value, (input) => {
      try {
        expect(parseObservation(input)).toMatchObject({
          source_type: expect.any(String),
          lat: expect.any(Number),
        });
      } catch (error) {
        expect(error).toBeInstanceOf(LineFault);
        expect(String(error)).not.toContain(secret);
      }
    }),
  );
});
