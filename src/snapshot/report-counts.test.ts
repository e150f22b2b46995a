import { expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { NO_REPORT_COUNTS, type ReportCounts } from "../contract/service/status.ts";
import { openSnapshot } from "./snapshot.ts";

const COUNTS: ReportCounts = {
  reports_from: "2026-02-01T00:00:00Z",
  reports_until: "2026-05-02T00:00:00Z",
  received: 3,
  open: 1,
  upheld: 1,
  not_upheld: 0,
  duplicate: 1,
  withdrawn: 0,
  out_of_scope: 0,
  open_from_before: 2,
  median_days_to_resolution: 1.5,
};

test("are an input of the release; what was not measured is null and makes no difference", () => {
  using town = new TestTown();
  town.city("toronto");
  const size = town.seal();
  const of = (reportCounts: ReportCounts | undefined) => {
    const { path } = town.build(
      size,
      "2026-05-02T12:00:00Z",
      reportCounts === undefined ? {} : { reportCounts },
    );
    const snapshot = openSnapshot(path);
    const { releaseId, reportsHash } = snapshot.release();
    const counts = snapshot.reportCounts();
    snapshot.close();
    return { releaseId, reportsHash, counts };
  };
  const [without, none, some, others] = [undefined, NO_REPORT_COUNTS, COUNTS, { ...COUNTS, open: 2 }].map(of);
  expect(without).toEqual({ releaseId: none?.releaseId, reportsHash: null, counts: NO_REPORT_COUNTS });
  expect(some?.counts).toEqual(COUNTS);
  expect(some?.reportsHash).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([without, some, others].map((one) => one?.releaseId)).size).toBe(3);
});
