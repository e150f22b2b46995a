import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestState } from "../../tests/support/state/stores.ts";
import { requestRecord } from "../activity/seen-request.ts";
import { homePaths } from "../kernel/home.ts";
import { DAY_MS } from "../kernel/time.ts";
import { openState } from "../state/open-state.ts";
import { activityBefore, reportCountsBefore } from "./release-settings.ts";

const NOBODY = { isInternal: () => false, places: () => undefined };
const DAY = Date.parse("2026-05-01T00:00:00Z");

function request(at: number) {
  const seen = {
    times: 1,
    at,
    method: "GET",
    url: "/",
    status: 200,
    latencyMs: 1,
    userAgent: "",
    address: "192.0.2.1",
  };
  return requestRecord(
    { ...seen, clientId: null, timedOut: false, foundNothing: false, message: null },
    NOBODY,
  );
}

test("the window has the days that were measured, seven at most, and the ones before only when all were", async () => {
  const folder = mkdtempSync(join(tmpdir(), "activity-"));
  await using state = await openState(undefined, homePaths(folder));
  const before = (day: number) => activityBefore(state.usage, DAY + day * DAY_MS);
  expect(await before(1)).toBeUndefined();
  await state.usage.record([0, 0, 1, 6, 7, 13].map((day) => request(DAY + day * DAY_MS + 5)));
  expect([await before(-3), await before(0)]).toEqual([undefined, undefined]);
  const seen = [];
  for (const day of [1, 6, 7, 13, 14, 15]) {
    const { windowStart, windowEnd, counts, previousExternalRequests } = (await before(day)) ?? {};
    const days = ((windowEnd ?? 0) - (windowStart ?? 0)) / DAY_MS;
    seen.push([day, days, counts?.externalRequests, previousExternalRequests]);
  }
  expect(seen).toEqual([
    [1, 1, 2, null],
    [6, 6, 3, null],
    [7, 7, 4, null],
    [13, 7, 2, null],
    [14, 7, 2, 4],
    [15, 7, 1, 3],
  ]);
  expect((await before(3))?.measuredSince).toBe("2026-05-01");
  rmSync(folder, { recursive: true });
});

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
