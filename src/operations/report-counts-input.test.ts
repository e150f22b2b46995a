import { expect, test } from "vitest";
import { DAY_MS } from "../kernel/time.ts";
import { TestState } from "../testing/state/stores.ts";
import { reportCountsBefore } from "./report-counts-input.ts";

test("whole UTC days before the release; nothing is measured before there could be a report", async () => {
  await using own = await TestState.open("sqlite", "2026-05-01T12:00:00Z");
  const { reports } = own.state;
  const day = (date: string) => reportCountsBefore(reports, Date.parse(`${date}T00:00:00Z`));
  expect(await day("2026-05-01")).toBeUndefined();
  await reports.file({ about: null, record: null, kind: "other", text: "Something is wrong.", email: null });
  expect(await day("2026-05-02")).toMatchObject({
    reports_from: "2026-02-01T00:00:00Z",
    reports_until: "2026-05-02T00:00:00Z",
    received: 1,
    open: 1,
  });
  own.pass(DAY_MS);
  expect(await day("2026-07-30")).toMatchObject({ received: 1, open_from_before: 0 });
  expect(await day("2026-07-31")).toMatchObject({ received: 0, open_from_before: 1 });
});
