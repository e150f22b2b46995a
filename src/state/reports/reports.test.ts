import { expect, test } from "vitest";
import { describeOnBoth, sharedState, TestState } from "../../../tests/support/state/stores.ts";
import { ReportKind } from "../../contract/enums.ts";
import { REPORT_REPEAT_HOURS, REPORTS_KEPT_DAYS } from "../../contract/limits.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import type { NewReport, Resolution } from "./report-row.ts";
import type { Reports } from "./reports.ts";

const REPORT: NewReport = {
  about: "pr_1",
  record: "pr_1",
  kind: "wrong_name",
  text: "The sign says Corner Bakery.",
  email: "reader@mail.test",
};
const UPHELD: Resolution = { outcome: "upheld", ledgerRow: 12, resolvedBy: "review-desk", note: "Seen it." };

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
