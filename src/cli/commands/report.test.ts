/** The commands on a small town. Rows: 1 city, 2 record, 3 naming, 4 asset, 5 observation, 6 a review, 7 another, 8 the redaction of 7. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { openState } from "../../state/open-state.ts";
import type { NewReport } from "../../state/reports.ts";

const REPORT: NewReport = {
  about: "demo_alpha",
  record: "demo_alpha",
  kind: "not_genuine",
  text: "Nobody was there.\n\u001b[2J\u202eevil",
  email: "reporter@mail.test",
};
const BY = ["--as", "review-desk"];

let town: TestTown;

beforeEach(() => {
  town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha", { industry_method: "name_rule" });
  const row = town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  town.review("reject", row);
  town.redact([town.review("verify", row)]);
  town.writer.close();
});

afterEach(() => town[Symbol.dispose]());

const home = () => homePaths(town.ledger.folder);
const state = () => openState(undefined, home(), { clock: () => 0 });

async function file(changes: Partial<NewReport> = {}): Promise<string> {
  await using opened = await state();
  return await opened.reports.file({ ...REPORT, ...changes });
}

async function presence(...args: string[]): Promise<string> {
  return (await presenceAt(home(), args)).stdout;
}

const refusal = (...args: string[]) =>
  presence(...args).then(
    () => "not refused",
    (error: unknown) => {
      expect(error).toBeInstanceOf(OperatorError);
      return String(error);
    },
  );

async function queued() {
  await using opened = await state();
  return (await opened.outbox.list()).map(({ key, target, payload }) => ({ key, target, payload }));
}

test("list and show: the text and the address are shown by one command alone, and cannot steer a terminal", async () => {
  const id = await file();
  const other = await file({ about: "4", record: null, kind: "other", email: null });
  const lists = await Promise.all([
    presence("report", "list"),
    presence("review", "list"),
    presence("report", "list", "--json"),
  ]);
  for (const list of lists) {
    expect(list).toContain(id);
    expect(list).toContain(other);
    expect(list).not.toMatch(/Nobody|reporter@/);
  }
  const shown = await presence("report", "show", id);
  expect(shown).toContain("reporter@mail.test");
  expect(shown).toContain("Nobody was there.\n\\u{1b}[2J\\u{202e}evil");
  expect(await presence("review", "show", id)).toBe(shown);
  expect(JSON.parse(await presence("report", "show", id, "--json"))).toMatchObject({
    text: REPORT.text,
    status: "open",
  });
  expect(await refusal("report", "show", "rep_none")).toContain("no report rep_none");
});

test("open reports stand among what waits, each with the record that it is about", async () => {
  const id = await file();
  const row = await file({ about: "4", record: null });
  const page = await file({ about: null, record: null });
  const [counts, ...items] = (await presence("review", "list", "--kind", "report", "--json"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(counts).toMatchObject({ counts: [{ kind: "report", decisions: 3, items: 3 }] });
  const common = { kind: "report", version: null, waits_since: "1970-01-01T00:00:00Z" };
  expect(items).toHaveLength(3);
  const alpha = expect.objectContaining({ row: 2, name: "Alpha" });
  for (const [of, about, subject] of [
    [id, "demo_alpha", alpha],
    [row, "4", alpha],
    [page, "the service", null],
  ] as const) {
    const facts = expect.arrayContaining([{ label: "about", value: about }]);
    expect(items).toContainEqual(expect.objectContaining({ ...common, id: of, facts, subject }));
  }
  const inCity = await presence("review", "list", "--city", "toronto");
  expect(inCity).toContain("rule:5610");
  expect(inCity).toContain(id);
  expect(inCity).not.toContain(page);
  expect(await presence("review", "list", "--kind", "industry")).not.toContain("rep_");
});

test("what is upheld names the ledger's decision that it led to", async () => {
  const id = await file();
  const resolve = (...args: string[]) => refusal("report", "resolve", id, ...BY, "--outcome", ...args);
  expect(await resolve("upheld")).toContain("--row is missing: name the ledger row");
  expect(await resolve("upheld", "--row", "99")).toContain("--row 99: the ledger has no such row");
  expect(await resolve("upheld", "--row", "5")).toContain("(row 5 is of kind observation)");
  expect(await resolve("upheld", "--row", "7")).toContain("--row 7: the row was redacted");
  expect(await resolve("upheld", "--row", "x")).toContain("--row must be a whole number from 1 (got x)");
  expect(await resolve("duplicate", "--row", "6")).toContain("--row applies only to --outcome upheld");
  expect(await refusal("report", "resolve", id, "--as", "Jo Smith", "--outcome", "withdrawn")).toContain(
    "never a person",
  );
  expect(await queued()).toEqual([]);
  const said = await presence(
    "report",
    "resolve",
    id,
    ...BY,
    "--outcome",
    "upheld",
    "--row",
    "6",
    "--note",
    "Seen.",
    "--json",
  );
  expect(JSON.parse(said)).toMatchObject({
    status: "resolved",
    outcome: "upheld",
    ledger_row: 6,
    mails_queued: 1,
  });
  expect(await queued()).toEqual([
    {
      key: `${id}:resolved:1`,
      target: id,
      payload: '{"message":"report_resolved","outcome":"upheld","decision":1}',
    },
  ]);
  const page = await file({ about: null, record: null, email: null });
  const other = await presence("report", "resolve", page, ...BY, "--outcome", "upheld", "--json");
  expect(JSON.parse(other)).toMatchObject({ ledger_row: null, mails_queued: 0 });
  expect(await presence("report", "list")).toBe("");
  expect(await presence("report", "list", "--all")).toContain(`${id}  upheld`);
});

test("decided about again only by saying so", async () => {
  const id = await file();
  const resolve = (outcome: string, ...args: string[]) => [
    "report",
    "resolve",
    id,
    ...BY,
    "--outcome",
    outcome,
    ...args,
  ];
  expect(await refusal(...resolve("duplicate", "--again"))).toContain(
    `report ${id} is open: "resolve again" is for what is resolved`,
  );
  await presence(...resolve("duplicate"));
  expect(await refusal(...resolve("withdrawn"))).toContain(
    `report ${id} is resolved: "resolve" is for what is open; allowed now: resolve again`,
  );
  await presence(...resolve("withdrawn", "--again"));
  expect((await queued()).map(({ key }) => key).sort()).toEqual([`${id}:resolved:1`, `${id}:resolved:2`]);
  expect(await presence("report", "show", id)).toContain("withdrawn");
});

test("without a state nothing is reported, and none is made", async () => {
  expect(await presence("report", "list")).toBe("");
  expect(await refusal("report", "show", "rep_1")).toContain("there is no state yet");
  expect(await presence("review", "list", "--kind", "report")).toBe("nothing waits for a decision\n");
});
