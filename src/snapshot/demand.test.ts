import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { NO_REPORT_COUNTS, type ReportCounts } from "../contract/service/status.ts";
import type { DemandInput } from "./demand.ts";
import { openSnapshot } from "./snapshot.ts";

describe("demand", () => {
  const AS_OF = "2026-05-01T13:00:00Z";
  const city = (slug: string, dailyClients: number) => ({
    city: slug,
    dailyClients,
    searches: 40,
    searchesWithoutResult: 4,
    alertSubscriptions: 1,
  });
  const DEMAND: DemandInput = {
    windowEnd: Date.parse("2026-05-01T00:00:00Z"),
    windowDays: 30,
    cities: [city("toronto", 10), city("guelph", 9), city("atlantis", 900)],
  };

  function town() {
    const town = new TestTown();
    town.city("toronto");
    const record = town.record("Alpha");
    town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
    return town;
  }

  test("the same demand gives the same bytes, another one another release, and its hash alone the same id", () => {
    using built = town();
    const size = built.seal();
    const one = built.build(size, AS_OF, { demand: DEMAND });
    const again = built.build(size, AS_OF, { demand: structuredClone(DEMAND) });
    expect(readFileSync(again.path).equals(readFileSync(one.path))).toBe(true);
    const other = built.build(size, AS_OF, { demand: { ...DEMAND, windowDays: 29 } });
    const none = built.build(size, AS_OF);
    expect(new Set([one.releaseId, other.releaseId, none.releaseId]).size).toBe(3);
    const snapshot = openSnapshot(one.path);
    const { demandHash } = snapshot.release();
    snapshot.close();
    expect(demandHash).toMatch(/^[0-9a-f]{64}$/);
    expect(built.build(size, AS_OF, { demandHash }).releaseId).toBe(one.releaseId);
  });

  test("a city with fewer than 10 clients, or that the release does not have, is not in its file", () => {
    using built = town();
    const size = built.seal();
    const { path } = built.build(size, AS_OF, { demand: DEMAND });
    const snapshot = openSnapshot(path);
    const { windowEnd, windowDays } = DEMAND;
    expect(snapshot.demand("toronto")).toEqual({ ...city("toronto", 10), windowEnd, windowDays });
    expect(snapshot.demand("guelph")).toBeUndefined();
    expect(snapshot.demand("atlantis")).toBeUndefined();
    snapshot.close();
    expect(readFileSync(path, "latin1")).not.toContain("atlantis");
    const few = openSnapshot(
      built.build(size, AS_OF, { demand: { ...DEMAND, cities: [city("toronto", 9)] } }).path,
    );
    expect(few.demand("toronto")).toBeUndefined();
    few.close();
  });
});

describe("report counts", () => {
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
    const [without, none, some, others] = [undefined, NO_REPORT_COUNTS, COUNTS, { ...COUNTS, open: 2 }].map(
      of,
    );
    expect(without).toEqual({ releaseId: none?.releaseId, reportsHash: null, counts: NO_REPORT_COUNTS });
    expect(some?.counts).toEqual(COUNTS);
    expect(some?.reportsHash).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set([without, some, others].map((one) => one?.releaseId)).size).toBe(3);
  });
});

describe("incidents", () => {
  const AS_OF = "2026-05-01T13:00:00Z";
  const first = { started: "2026-04-01T00:00:00Z", resolved: null, title: "First", text: "Text" };
  const second = { ...first, started: "2026-04-02T00:00:00Z", title: "Second" };

  test("incidents are stored newest first, and are an input of the release whatever their order in the file", () => {
    using town = new TestTown();
    town.city("toronto");
    const size = town.seal();
    const built = town.build(size, AS_OF, { incidents: [first, second] });
    const ids = [
      town.build(size, AS_OF, { incidents: [second, first] }),
      town.build(size, AS_OF),
      town.build(size, AS_OF, { incidents: [first] }),
      town.build(size, AS_OF, { incidents: [{ ...first, text: "Other" }, second] }),
    ].map(({ releaseId }) => releaseId);
    expect(ids[0]).toBe(built.releaseId);
    expect(new Set([built.releaseId, ...ids]).size).toBe(4);
    const snapshot = openSnapshot(built.path);
    expect(snapshot.incidents().map(({ title }) => title)).toEqual(["Second", "First"]);
    const { incidentsHash } = snapshot.release();
    snapshot.close();
    // A replay knows those that are shown, and the hash of all.
    expect(town.build(size, AS_OF, { incidents: [first], incidentsHash }).releaseId).toBe(built.releaseId);
  });
});
