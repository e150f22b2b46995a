/** The commands on a small town: what they preview, what the code of a preview does, and what they refuse. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";

const CLOCK = ["--clock", "2026-05-02T12:00:00Z"];
const BY = ["--as", "review-desk", "--reason", "different_businesses", ...CLOCK];
const DIRTY = "Rival\u001b[2J\u202e House";

let town: TestTown;
let rows: { alpha: string; other: string; left: string };

beforeEach(() => {
  town = new TestTown();
  for (const city of ["toronto", "zurich"]) town.city(city);
  const seen = (name: string, observers: readonly string[], city = "toronto") => {
    const record = town.record(name, { city });
    const asset = town.asset(record);
    const sightings = observers.map((each) =>
      town.see(record, asset, each, "2026-04-28T10:00:00Z", { city }),
    );
    return { record, sightings };
  };
  const alpha = seen("Alpha", ["a", "b", "c"]);
  const bravo = seen("Bravo", ["d"]);
  seen("Far", ["e"], "zurich");
  const merged = town.record("Merged");
  town.review("merge", merged, { into: bravo.record, tags: {} });
  town.redact([town.record("Erased")]);
  const gone = seen("Left", ["f", "g"]);
  for (const row of gone.sightings)
    rawLedger(town.writer).prepare("UPDATE openings SET private = NULL WHERE row = ?").run(row);
  const [[one], [other], [left]] = [alpha.sightings, bravo.sightings, gone.sightings];
  rows = { alpha: String(one), other: String(other), left: String(left) };
  town.writer.close();
});

afterEach(() => town[Symbol.dispose]());

async function review(args: readonly string[], by = BY): Promise<string> {
  return (await presenceAt(homePaths(town.ledger.folder), ["review", ...args, ...by])).stdout;
}

function lastRow(): number {
  using reader = town.ledger.reader();
  return reader.head().lastRow;
}

const Preview = z.looseObject({ confirm: z.string() });
const Done = z.looseObject({ done: z.literal("decided"), new_record: z.string().optional() });

/** Previews, tries a wrong code, and makes it; only the last writes. */
async function made(...args: string[]) {
  const before = lastRow();
  expect(await review(args)).toContain("run the command again with --confirm");
  const preview = Preview.parse(JSON.parse(await review([...args, "--json"])));
  await expect(review([...args, "--confirm", "00000000"])).rejects.toThrow("does not match");
  expect(lastRow()).toBe(before);
  const confirmed = [...args, "--confirm", preview.confirm];
  const done = Done.parse(JSON.parse(await review([...confirmed, "--json"])));
  expect(lastRow()).toBeGreaterThan(before);
  await expect(review(confirmed)).rejects.toThrow(OperatorError); // the code is of a ledger of before
  return { ...preview, ...done };
}

test("a split is previewed, made with the code of the preview alone, and taken back", async () => {
  const split = await made("split", "demo_alpha", "--row", rows.alpha, "--name", "Heron House");
  expect(split).toMatchObject({ observations_leaving: 1, observations_staying: 2, principals_linked: 1 });
  const back = await made("split", split.new_record ?? "", "--undo");
  expect(back).toMatchObject({ returns_to: "demo_alpha", observations_returning: 1, principals_linked: 0 });
});

test("so is a name, and so are two records that are kept apart", async () => {
  const named = await made("rename", "demo_alpha", "--name", "Heron House", "--website", "heron.example");
  expect(named).toMatchObject({
    name: "Alpha",
    new_name: "Heron House",
    new_website: "https://heron.example",
  });
  expect(await made("rename", "demo_alpha", "--undo")).toMatchObject({ name: "Heron House" });
  expect(await made("apart", "demo_alpha", "demo_bravo")).toMatchObject({ correction: "apart" });
  await made("apart", "demo_alpha", "demo_bravo", "--undo");
});

test.for<[string, () => string[], RegExp]>([
  ["a split of an erased record", () => ["split", "demo_erased", "--row", rows.alpha], /no item, row number/],
  [
    "a split of a merged record",
    () => ["split", "demo_merged", "--row", rows.other],
    /was joined with demo_bravo/,
  ],
  ["a split of nothing", () => ["split", "demo_alpha"], /select the observations to move/],
  ["a split of all", () => ["split", "demo_bravo", "--row", rows.other], /these are all 1 observations/],
  [
    "a split of another record's row",
    () => ["split", "demo_alpha", "--row", rows.other],
    /no observation of/,
  ],
  ["a split to a dirty name", () => ["split", "demo_alpha", "--row", rows.alpha, "--name", DIRTY], /--name/],
  [
    "a split by what a leaver's lines said",
    () => ["split", "demo_left", "--seen", "Left"],
    /no observation of "Left"/,
  ],
  [
    "a leaver's row without a name",
    () => ["split", "demo_left", "--row", rows.left],
    /was erased: give .* a --name/,
  ],
  ["a split's undo where nothing moved", () => ["split", "demo_alpha", "--undo"], /nothing to undo/],
  ["a name for an erased record", () => ["rename", "demo_erased", "--name", "A Name"], /no item, row number/],
  ["a name for a merged record", () => ["rename", "demo_merged", "--name", "A Name"], /was joined with/],
  ["no name", () => ["rename", "demo_alpha"], /give --name, or --undo/],
  ["a generic name", () => ["rename", "demo_alpha", "--name", "Restaurant"], /generic/],
  ["a dirty name", () => ["rename", "demo_alpha", "--name", DIRTY], /--name/],
  ["a name's undo where no reviewer named it", () => ["rename", "demo_alpha", "--undo"], /no reviewer named/],
  ["apart from another city's", () => ["apart", "demo_alpha", "demo_far"], /one city|cities/],
  ["a join with another city's", () => ["join", "demo_alpha", "demo_far"], /one city|cities/],
  ["apart from an erased record", () => ["apart", "demo_alpha", "demo_erased"], /no item, row number/],
  ["apart from a merged record", () => ["apart", "demo_alpha", "demo_merged"], /merged|joined/],
])("%s is refused, and nothing is written", async ([, args, message], { expect }) => {
  const before = lastRow();
  await expect(review(args())).rejects.toThrow(OperatorError);
  await expect(review(args())).rejects.toThrow(message);
  expect(lastRow()).toBe(before);
});

test("a leaver's rows move under a name that a reviewer gives", async () => {
  const split = await made("split", "demo_left", "--row", rows.left, "--name", "Heron House");
  expect(split).toMatchObject({ observations_leaving: 1, seen_as: [] });
});

test("roles and reasons that are none are refused", async () => {
  const named = ["rename", "demo_alpha", "--name", "Heron House"];
  const by = (role: string, reason: string) => review(named, ["--as", role, "--reason", reason, ...CLOCK]);
  await expect(by("review-desk", "because\u001b[2J")).rejects.toThrow(/^--reason: not a reason code/);
  await expect(by("Jane\u202e Doe", "operator_error")).rejects.toThrow(/^--as: give a role/);
});
