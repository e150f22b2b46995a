import { gridDisk, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { TestTown, TORONTO } from "../../../tests/support/release/town-release.ts";
import { cellBitmap, cellManifestId } from "../../ledger/looks.ts";
import { tableCsv } from "../../render/formats/tables.ts";
import { citation } from "../citations/citation.ts";
import { contextOf } from "../release-store.ts";
import { evidence } from "./evidence.ts";
import { observationTable } from "./observation-table.ts";
import { observations } from "./observations.ts";

const public_id = "demo_alpha";
const HOME = latLngToCell(TORONTO.lat, TORONTO.lng, 8);
const LIST = gridDisk(HOME, 2).sort();

/** A storefront, seen in February twice (one row was rejected), on 31 March and in May; others were there in April and June. */
function release() {
  const town = new TestTown("2026-07-20T12:00:00Z");
  town.city("toronto");
  const record = town.record("Alpha");
  const asset = town.asset(record);
  const see = (observer: string, day: string) => town.see(record, asset, observer, `${day}T15:00:00Z`);
  const seen = ["2026-02-10", "2026-02-11", "2026-03-31", "2026-05-05"].map((day) => see(`o${day}`, day));
  town.review("reject", seen[1] ?? 0);
  for (const [month, cell] of [
    ["2026-04", HOME],
    ["2026-05", HOME],
    ["2026-06", LIST.find((each) => each !== HOME) ?? ""],
  ] as const) {
    const cells = cellBitmap(LIST, new Set([cell])) ?? "";
    const body = {
      cells,
      city: "toronto",
      manifest: cellManifestId(LIST),
      span: "month",
      start: `${month}-01`,
    };
    town.append({ kind: "look", body: { ...body, span: "month" } });
  }
  return { town, seen, context: contextOf(town.snapshot("2026-07-21T12:00:00Z")) };
}

test("months tell sightings from visits without one, and say nothing of the others", () => {
  const { town, context } = release();
  using _ = town;
  const month = (month: string, sightings: number, area_visited: boolean) => ({
    month,
    sightings,
    independent: sightings,
    area_visited,
  });
  expect(evidence.read(context, { public_id }, {}).months).toEqual([
    month("2026-02", 1, false),
    month("2026-03", 1, false),
    month("2026-04", 0, true),
    month("2026-05", 1, true),
  ]);
});

test("days and months filter the list, in the city's solar time, and rejected rows stay listed", () => {
  const { town, context, seen } = release();
  using _ = town;
  const ids = (query: Record<string, string>) =>
    observations.read(context, { public_id }, query).observations.map(({ id }) => id);
  expect(ids({ from: "2026-02", to: "2026-02" })).toEqual([seen[1], seen[0]]);
  expect(ids({ from: "2026-03-31", to: "2026-03-31" })).toEqual([seen[2]]);
  expect(ids({ from: "2026-04" })).toEqual([seen[3]]);
  expect(ids({ to: "2026-02-10" })).toEqual([seen[0]]);
  expect(ids({ from: "2026-04", to: "2026-04" })).toEqual([]);
});

test("all pages of a filter lead through its rows, and a cursor is good for no other filter", () => {
  const { town, context, seen } = release();
  using _ = town;
  const read = (query: Record<string, string>) =>
    observations.read(context, { public_id }, { limit: "1", ...query });
  const first = read({ from: "2026-03" });
  expect(first).toMatchObject({ count: 1, total_count: 2, has_more: true });
  const cursor = first.next_cursor ?? "";
  expect(read({ from: "2026-03", cursor })).toMatchObject({
    has_more: false,
    observations: [{ id: seen[2] }],
  });
  for (const query of [{}, { to: "2026-03" }, { from: "2026-03", to: "2026-05" }])
    expect(() => read({ ...query, cursor })).toThrow(/other filters/);
});

test.each([
  [{ from: "2026-13" }, /^from must be a day or a month/],
  [{ from: "yesterday" }, /^from must be a day or a month/],
  [{ to: "2026-02-30" }, /^to must be a day or a month/],
  [{ to: "1969-12" }, /^to must be between 1970 and 9999/],
  [{ from: "2026-05", to: "2026-04" }, /^from must not be after to/],
])("%j is refused", (query, fault) => {
  const { town, context } = release();
  using _ = town;
  expect(() => observations.read(context, { public_id }, query)).toThrow(fault);
});

test("a period is counted, and its months are cited by an id that is found again", () => {
  const { town, context, seen } = release();
  using _ = town;
  const { period } = observations.read(context, { public_id }, { from: "2026-03-15", to: "2026-05-10" });
  expect(period).toMatchObject({
    from: "2026-03-15",
    to: "2026-05-10",
    sightings: 2,
    independent: 2,
    independent_observers: 2,
    first_observed_on: "2026-03-31",
    last_observed_on: "2026-05-05",
    citation: { from: "2026-03", to: "2026-05" },
  });
  const { citation_id: id = "", quote = "" } = period?.citation ?? {};
  expect(quote).toContain(
    'In the months 2026-03 to 2026-05, "Alpha" was physically observed in TORONTO 2 times',
  );
  expect(citation.read(context, { id }, {})).toMatchObject({
    status: "current",
    citation: { quote, period: { from: "2026-03", to: "2026-05" }, rows: [seen[3], seen[2]], row_count: 2 },
    newest: { citation_id: id },
  });
});

test("the citation of months stays what it was when other months change, and is superseded when its own do", () => {
  const { town, context } = release();
  using _ = town;
  const { period } = observations.read(context, { public_id }, { from: "2026-03", to: "2026-03" });
  const { citation_id: id = "" } = period?.citation ?? {};
  const { record, assets } = evidence.read(context, { public_id }, {}).rows;
  const statusAfter = (day: string, released: string) => {
    town.at(`${released}T12:00:00Z`);
    town.see(record, assets[0] ?? 0, "later", `${day}T15:00:00Z`);
    const next = contextOf(town.snapshot(`${released}T13:00:00Z`));
    return citation.read(next, { id }, {}).status;
  };
  expect(statusAfter("2026-06-03", "2026-07-22")).toBe("current");
  expect(statusAfter("2026-03-20", "2026-07-23")).toBe("superseded");
});

test("months without a sighting are counted and not cited: nothing follows from them", () => {
  const { town, context } = release();
  using _ = town;
  const { period } = observations.read(context, { public_id }, { from: "2026-04", to: "2026-04" });
  expect(period).toMatchObject({ sightings: 0, first_observed_on: null, citation: null });
  expect(observations.read(context, { public_id }, {}).period).toBeNull();
});

test("the table has the rows of the days, and the terms in each of them", () => {
  const { town, context, seen } = release();
  using _ = town;
  const rows = observationTable.read(context, { record: public_id }, { from: "2026-03" });
  expect(rows.map(({ id, terms }) => [id, terms])).toEqual([
    [seen[3], "https://example.org/terms/"],
    [seen[2], "https://example.org/terms/"],
  ]);
  expect(() => observationTable.read(context, { record: "demo_none" }, {})).toThrow("not found");
  expect(tableCsv(["id", "terms"], rows)).toContain(`${seen[3]},https://example.org/terms/\r\n`);
});
