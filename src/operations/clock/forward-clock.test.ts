import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import { assertClockNotAhead } from "./forward-clock.ts";

const NOW = Date.parse("2036-11-23T09:00:00Z");

interface Facts {
  readonly reference?: number;
  readonly known?: number;
  readonly accepted?: string;
}

async function refusal({ reference, known, accepted }: Facts): Promise<string> {
  try {
    await assertClockNotAhead({
      now: NOW,
      reference: reference === undefined ? undefined : { at: reference, from: "tsa.example" },
      newest: async () =>
        known === undefined ? undefined : { at: known, what: "the last row of the ledger" },
      accepted,
    });
    return "";
  } catch (error) {
    return String(error);
  }
}

test("a clock more than an hour ahead of the reference is refused, and says what to type in", async () => {
  expect(await refusal({ reference: NOW - HOUR_MS })).toBe("");
  const text = await refusal({ reference: NOW - HOUR_MS - 1 });
  expect(text).toContain(
    "the clock says 2036-11-23T09:00:00Z, which is more than an hour ahead of tsa.example (2036-",
  );
  expect(text).toContain("Nothing was written");
  expect(text).toContain("--accept-clock 2036-11-23");
});

test("with a reference, nothing else counts: a service that stood for a month goes on", async () => {
  expect(await refusal({ reference: NOW, known: NOW - 30 * DAY_MS })).toBe("");
  expect(await refusal({ reference: NOW - DAY_MS, known: NOW })).toContain("more than an hour ahead");
});

test("without one, a clock more than 7 days after the newest known time is refused", async () => {
  expect(await refusal({ known: NOW - 7 * DAY_MS })).toBe("");
  expect(await refusal({ known: NOW - 7 * DAY_MS - 1 })).toContain(
    "more than 7 days after the last row of the ledger",
  );
});

test("a clock behind is the writer's business; a ledger without rows accepts any clock", async () => {
  expect(await refusal({ reference: NOW + 30 * DAY_MS })).toBe("");
  expect(await refusal({ known: NOW + 30 * DAY_MS })).toBe("");
  expect(await refusal({})).toBe("");
});

test("the clock's own date is accepted, no other and no other form", async () => {
  expect(await refusal({ known: 0, accepted: "2036-11-23" })).toBe("");
  for (const accepted of ["2036-11-22", "2026-11-23", "", "yes", "2036-11-23T09:00:00Z"])
    expect(await refusal({ known: NOW, accepted })).toContain(
      "--accept-clock must be the date of the clock, 2036-11-23",
    );
});
