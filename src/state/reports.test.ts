import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeOnBoth, sharedState, TestState } from "../../tests/support/state/stores.ts";
import { ReportKind, ReportOutcome } from "../contract/enums.ts";
import { REPORT_REPEAT_HOURS, REPORTS_KEPT_DAYS } from "../contract/limits.ts";
import { NO_REPORT_COUNTS, ReportCounts } from "../contract/service/status.ts";
import { DAY_MS, HOUR_MS } from "../kernel/time.ts";
import { countReports, type NewReport, type Reports, type Resolution } from "./reports.ts";

describe("reports", () => {
  const REPORT: NewReport = {
    about: "pr_1",
    record: "pr_1",
    kind: "wrong_name",
    text: "The sign says Corner Bakery.",
    email: "reader@mail.test",
  };
  const UPHELD: Resolution = {
    outcome: "upheld",
    ledgerRow: 12,
    resolvedBy: "review-desk",
    note: "Seen it.",
  };

  /** What is left of a report. */
  async function left(reports: Reports, id: string) {
    const report = await reports.get(id);
    return [report?.about, report?.record, report?.text, report?.email, report?.resolutions.at(-1)?.note];
  }

  describeOnBoth("reports", (engine) => {
    const shared = sharedState(engine);

    test("the same, sent again within a day, is one; other words, subject or sender make another", async () => {
      const { test: own } = shared;
      const { reports } = own.state;
      const id = await reports.file(REPORT);
      expect(id).toMatch(/^rep_[0-9a-z]{16}$/);
      expect(await reports.file({ ...REPORT, email: "Reader@mail.test" })).toBe(id);
      const others = [
        { text: "The sign says Corner Bar." },
        { about: "pr_2" },
        { about: null, record: null },
        { kind: "other" as const },
        { email: "other@mail.test" },
        { email: null },
      ];
      const ids = await Promise.all(others.map((other) => reports.file({ ...REPORT, ...other })));
      expect(new Set([id, ...ids]).size).toBe(1 + others.length);
      own.pass(REPORT_REPEAT_HOURS * HOUR_MS);
      expect(await reports.file(REPORT)).not.toBe(id);
    });

    test("sent many times at once it is one", async () => {
      await using second = await shared.test.another();
      const report = { ...REPORT, text: "Sent by an impatient finger." };
      const all = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((at) => (at % 2 === 0 ? shared.test.state : second).reports.file(report)),
      );
      expect(new Set(all).size).toBe(1);
    });

    test("of two who decide at once one does; who decides again must say so, and the first decision stays", async () => {
      await using own = await TestState.open(engine);
      await using second = await own.another();
      const { reports } = own.state;
      const id = await reports.file(REPORT);
      const both = await Promise.all([reports, second.reports].map((one) => one.resolve(id, UPHELD, false)));
      expect(both.map(({ outcome }) => outcome).sort()).toEqual(["refused", "resolved"]);
      own.pass(DAY_MS);
      const other: Resolution = {
        outcome: "duplicate",
        ledgerRow: null,
        resolvedBy: "review-desk",
        note: null,
      };
      expect((await reports.resolve(id, other, false)).outcome).toBe("refused");
      expect((await reports.resolve(id, other, true)).outcome).toBe("resolved");
      const times = [own.time - DAY_MS, own.time];
      expect((await reports.get(id))?.resolutions).toMatchObject([
        { ...UPHELD, resolvedAt: times[0] },
        { ...other, resolvedAt: times[1] },
      ]);
      const fresh = await reports.file({ ...REPORT, about: "9" });
      expect((await reports.resolve(fresh, other, true)).outcome).toBe("refused");
      expect(await reports.resolve("rep_none", other, false)).toEqual({ outcome: "unknown" });
      expect((await reports.open()).map(({ publicId }) => publicId)).toEqual([fresh]);
      const all = await reports.all();
      expect(all.map(({ publicId }) => publicId)).toEqual([id, fresh]);
      const courses = all.map(({ receivedAt, resolutions }) => ({
        receivedAt,
        resolutions: resolutions.map(({ outcome, resolvedAt }) => ({ outcome, resolvedAt })),
      }));
      const told = await reports.courses();
      expect(told.sort((a, b) => a.receivedAt - b.receivedAt)).toMatchObject(courses);
    });

    test("a transaction that fails takes a report back", async () => {
      const { state } = shared.test;
      const before = (await state.reports.all()).length;
      const failing = state.transaction(async ({ reports }) => {
        await reports.file({ ...REPORT, text: "Nobody will ever read this." });
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await state.reports.all()).toHaveLength(before);
    });

    test("text, note and address go a while after the last resolution, and not before; what is open stays", async () => {
      await using own = await TestState.open(engine);
      const { reports } = own.state;
      const waiting = await reports.file({ ...REPORT, about: "pr_2" });
      const id = await reports.file(REPORT);
      await reports.resolve(id, UPHELD, false);
      own.pass(DAY_MS);
      await reports.resolve(id, UPHELD, true);
      own.pass(REPORTS_KEPT_DAYS * DAY_MS - 1);
      expect(await reports.prune()).toBe(0);
      expect(await left(reports, id)).toEqual(["pr_1", "pr_1", REPORT.text, REPORT.email, UPHELD.note]);
      own.pass(1);
      expect(await reports.prune()).toBe(1);
      expect(await reports.prune()).toBe(0);
      expect(await left(reports, id)).toEqual(["pr_1", "pr_1", null, null, null]);
      expect((await reports.get(id))?.resolutions.map(({ note }) => note)).toEqual([null, null]);
      expect(await left(reports, waiting)).toEqual(["pr_2", "pr_1", REPORT.text, REPORT.email, undefined]);
      expect(await reports.file(REPORT)).not.toBe(id);
    });

    test("what was said of a record or a row that goes is gone, and nothing of others", async () => {
      await using own = await TestState.open(engine);
      const { reports } = own.state;
      const about = (changes: Partial<NewReport>) => reports.file({ ...REPORT, ...changes });
      const record = await about({});
      const asset = await about({ about: "as_1" });
      const row = await about({ about: "7", record: null });
      const others = [
        await about({ about: "pr_10", record: "pr_10" }),
        await about({ about: "77", record: null }),
        await about({ about: null, record: null }),
      ];
      await reports.resolve(asset, UPHELD, false);
      expect((await own.state.forgetRecord("pr_1", () => undefined)).reports).toBe(2);
      expect(await reports.forgetRows(new Set([7, 8]))).toBe(1);
      for (const id of [record, row])
        expect(await left(reports, id)).toEqual([null, null, null, REPORT.email, undefined]);
      expect(await left(reports, asset)).toEqual([null, null, null, REPORT.email, null]);
      for (const id of others) expect((await reports.get(id))?.text).toBe(REPORT.text);
      expect(await reports.all()).toHaveLength(6);
      expect((await reports.resolve(record, UPHELD, false)).outcome).toBe("resolved");
    });

    test("any text is kept as it is, but for what no database takes", async () => {
      const { reports } = shared.test.state;
      const text = "a\0b \u202egnp.exe\u2066 <script>alert(1)</script>\n'; DROP TABLE reports; -- \ud800";
      const id = await reports.file({ ...REPORT, text });
      expect((await reports.get(id))?.text).toBe(text.replace("\0", "").replace("\ud800", "\ufffd"));
      for (const kind of ReportKind.options)
        expect(await reports.file({ ...REPORT, kind, text })).toMatch(/^rep_/);
    });
  });
});

describe("report counts", () => {
  const FROM = Date.parse("2026-02-01T00:00:00Z");
  const UNTIL = Date.parse("2026-05-02T00:00:00Z");
  const SPAN = { from: FROM, until: UNTIL };

  const resolution = (outcome: ReportOutcome, resolvedAt: number) => ({ outcome, resolvedAt });

  test("counts by the last decision of the time, and days to the first", () => {
    const at = (days: number) => FROM + days * DAY_MS;
    const counts = countReports(
      [
        { receivedAt: at(-5), resolutions: [] },
        { receivedAt: at(-5), resolutions: [resolution("upheld", at(1))] },
        { receivedAt: at(-5), resolutions: [resolution("upheld", UNTIL)] },
        { receivedAt: FROM, resolutions: [] },
        { receivedAt: at(1), resolutions: [resolution("upheld", at(3)), resolution("duplicate", at(9))] },
        { receivedAt: at(1), resolutions: [resolution("not_upheld", at(1.26))] },
        { receivedAt: at(2), resolutions: [resolution("upheld", UNTIL)] },
        { receivedAt: UNTIL, resolutions: [] },
      ],
      SPAN,
    );
    expect(counts).toEqual({
      reports_from: "2026-02-01T00:00:00Z",
      reports_until: "2026-05-02T00:00:00Z",
      received: 4,
      open: 2,
      upheld: 0,
      not_upheld: 1,
      duplicate: 1,
      withdrawn: 0,
      out_of_scope: 0,
      open_from_before: 2,
      median_days_to_resolution: 1.1,
    });
    const nothing = countReports([], SPAN);
    expect(nothing).toMatchObject({ received: 0, open: 0, median_days_to_resolution: null });
    expect(Object.keys(nothing)).toEqual(Object.keys(NO_REPORT_COUNTS));
  });

  const time = fc.integer({ min: FROM - 30 * DAY_MS, max: UNTIL + 30 * DAY_MS });
  const reports = fc.array(
    fc.record({
      receivedAt: time,
      resolutions: fc
        .array(fc.record({ outcome: fc.constantFrom(...ReportOutcome.options), at: time }), { maxLength: 3 })
        .map((all) => all.sort((a, b) => a.at - b.at).map(({ outcome, at }) => resolution(outcome, at))),
    }),
  );

  test("the parts add up, and what comes after the time changes nothing", () => {
    fc.assert(
      fc.property(reports, (all) => {
        const counts = ReportCounts.parse(countReports(all, SPAN));
        const parts = [counts.open, ...ReportOutcome.options.map((outcome) => counts[outcome])];
        expect(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)).toBe(counts.received);
        const then = all
          .filter(({ receivedAt }) => receivedAt < UNTIL)
          .map((report) => ({
            ...report,
            resolutions: report.resolutions.filter(({ resolvedAt }) => resolvedAt < UNTIL),
          }));
        expect(countReports(then, SPAN)).toEqual(counts);
      }),
    );
  });
});
