import { expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import type { SourceBody, TallyBody } from "../../ledger/rows/rows.ts";
import { contextOf } from "../release-store.ts";
import { independence } from "./independence.ts";

const details: NonNullable<SourceBody["details"]> = {
  asset_types: ["storefront"],
  consent: "consent-1",
  kind: "scout",
  licence: "licence-1",
  name: null,
  operator: null,
  vetting: "individual",
};

function read(...rows: (SourceBody | TallyBody)[]) {
  using town = new TestTown();
  town.city("toronto");
  for (const body of rows) town.append("month" in body ? { kind: "tally", body } : { kind: "source", body });
  return independence.read(contextOf(town.snapshot("2026-05-20T12:00:00Z")), {}, {});
}

const step = (name: SourceBody["step"], changes: Partial<SourceBody> = {}): SourceBody => ({
  details: null,
  source: "alpha-scouts",
  step: name,
  ...changes,
});

test("a source has the state of its last row", () => {
  const rows = [step("add", { details }), step("suspend")];
  expect(read(...rows).sources).toMatchObject([
    {
      source: "alpha-scouts",
      vetting: "individual",
      name: null,
      operator: null,
      state: "suspended",
      registered_row: 2,
      assigned: [],
    },
  ]);
  expect(read(...rows, step("resume")).sources).toMatchObject([{ state: "active" }]);
  expect(read(...rows, step("withdraw")).sources).toMatchObject([{ state: "withdrawn" }]);
});

const month = (name: string, reviewed: number, false_alarms: number): TallyBody => ({
  checks: [{ check: "clock", restored: null, set_aside: 12 }],
  month: name,
  sample: { false_alarms, reviewed },
  vouched: [{ observers: null, source: "alpha-scouts" }],
});

test("months are listed newest first, and a rate needs enough reviews", () => {
  const { months, false_alarms } = read(month("2026-03", 20, 1), month("2026-04", 40, 2));
  expect(months.map((each) => each.month)).toEqual(["2026-04", "2026-03"]);
  expect(months[1]?.sample).toEqual({
    reviewed: 20,
    false_alarms: 1,
    rate: null,
    confidence_interval: null,
  });
  expect(months[0]).toMatchObject({
    checks: [{ check: "clock", set_aside: 12, restored: null }],
    vouched: [{ source: "alpha-scouts", observers: null }],
    sample: { rate: 0.05 },
  });
  expect(false_alarms).toEqual({
    reviewed: 60,
    false_alarms: 3,
    rate: 0.05,
    confidence_interval: { low: 0.0171, high: 0.137, level: 0.95, method: "wilson" },
  });
});

test("of a month the last tally counts", () => {
  const { months, false_alarms } = read(month("2026-03", 40, 9), month("2026-03", 50, 0));
  expect(months).toHaveLength(1);
  expect(false_alarms).toMatchObject({ reviewed: 50, false_alarms: 0 });
});

test("every check is described, the one from public data first", () => {
  const { checks, sources, months, false_alarms } = read();
  expect([sources, months, false_alarms]).toEqual([[], [], null]);
  expect(checks[0]).toMatchObject({ check: "source_cannot_see", decided_from: "public_data" });
  expect(checks.slice(1).every(({ decided_from }) => decided_from === "private_traces")).toBe(true);
  expect(new Set(checks.map(({ check }) => check)).size).toBe(checks.length);
  expect(checks.find(({ check }) => check === "same_look")?.parameters).toEqual([
    { name: "sameLook.minutes", value: 30 },
  ]);
});
