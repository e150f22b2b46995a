import { existsSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { afterEach, beforeEach, expect, test } from "vitest";
import { presenceAt } from "../../tests/support/operations/presence-here.ts";
import { contextFor } from "../../tests/support/towns/demo-view.ts";
import { type Home, homePaths } from "../kernel/home.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { newestKnownTime } from "../operations/clock.ts";
import { openState } from "../state/open-state.ts";
import { presenceProgram } from "./program.ts";

const LONG_AGO = new Date("2020-01-01T00:00:00Z");
const TODAY = "2026-11-23T12:00:00Z";
const IN_TEN_YEARS = "2036-11-23T12:00:00Z";

let home: Home;
let now: string;

beforeEach(async () => {
  home = homePaths(mkdtempSync(join(tmpdir(), "clock-guard-")));
  now = TODAY;
  await presence("init", "--environment", "production", "--origin", "example.org/presence");
});
afterEach(() => rmSync(home.root, { recursive: true }));

async function presence(...args: string[]): Promise<string> {
  if (existsSync(home.ledger)) utimesSync(home.ledger, LONG_AGO, LONG_AGO); // the machine's own clock must not count
  const { stdout, stderr } = await presenceAt(home, args, { clock: () => Date.parse(now) });
  return stdout + stderr;
}

const addCity = () => presence("city", "add", "--geoname", "6167865", "--radius-km", "2");
const pause = (...args: string[]) => presence("city", "pause", "toronto", ...args);
const lastRow = () => {
  using reader = openLedgerReader(home.ledger);
  return reader.head().lastRow;
};

test("every command that writes rows is guarded", async () => {
  const guarded: string[] = [];
  const visit = (each: CommandUnknownOpts, path: string) => {
    if (each.options.some(({ long }) => long === "--accept-clock")) guarded.push(path);
    for (const inner of each.commands) visit(inner, `${path} ${inner.name()}`.trim());
  };
  visit(await presenceProgram(contextFor(home), []), "");
  expect(guarded).toEqual(
    expect.arrayContaining(["seal", "redact", "opt-out", "key rotate", "clock correct", "ingest", "nightly"]),
  );
  expect(guarded).toEqual(
    expect.arrayContaining(["city add", "city pause", "identity set", "identity clear", "review accept"]),
  );
  expect(guarded).not.toContain("review list");
});

test("the first rows are no fault, whatever the clock says", async () => {
  now = IN_TEN_YEARS;
  await addCity();
  await presence("seal", "--now");
  expect(lastRow()).toBe(2);
});

test("a seal and a row ten years ahead are refused until the date is typed in; then the ledger stands there", async () => {
  await addCity();
  await presence("seal", "--now");
  now = IN_TEN_YEARS;
  for (const attempt of [() => presence("seal", "--now"), () => pause(), () => presence("nightly")])
    await expect(attempt()).rejects.toThrow(
      /more than 7 days after .*Nothing was written.*--accept-clock 2036-11-23/,
    );
  await expect(pause("--accept-clock", "2026-11-23")).rejects.toThrow(
    "must be the date of the clock, 2036-11-23",
  );
  expect(lastRow()).toBe(2);
  await pause("--accept-clock", "2036-11-23");
  expect(lastRow()).toBe(3);
});

test("a ledger in the future is led out by a row that says so", async () => {
  await addCity();
  now = IN_TEN_YEARS;
  await pause("--accept-clock", "2036-11-23");
  await presence("seal", "--now", "--accept-clock", "2036-11-23");
  now = TODAY;
  await expect(presence("seal", "--now")).rejects.toThrow(/clock set back: .*`presence clock`/);
  await expect(presence("clock", "correct", "--from", "2026-11-23")).rejects.toThrow(
    "--from must be the date of the last row, 2036-11-23",
  );
  expect(await presence("clock", "correct", "--from", "2036-11-23", "--json")).toContain(
    '{"row":5,"from":"2036-11-23","to":"2026-11-23"}',
  );
  await presence("city", "resume", "toronto");
  await presence("seal", "--now");
  expect(lastRow()).toBe(7);
  await expect(presence("clock", "correct", "--from", "2026-11-23")).rejects.toThrow("nothing to correct");
});

test("a quiet ledger goes on while the state was in use", async () => {
  await addCity();
  now = "2026-12-20T12:00:00Z";
  await expect(pause()).rejects.toThrow("more than 7 days after the last row of the ledger");
  const state = await openState(undefined, home, { clock: () => Date.parse("2026-12-19T12:00:00Z") });
  await state.close();
  expect(await presence("clock", "show", "--json")).toContain("the newest entry of the state");
  await pause();
});

test("the last change of the ledger's file counts, because a demonstration's rows are old", async () => {
  await addCity();
  now = "2026-12-20T12:00:00Z";
  const context = { ...contextFor(home), clock: () => Date.parse(now) };
  const changed = new Date("2026-12-15T12:00:00Z");
  utimesSync(home.ledger, changed, changed);
  expect(await newestKnownTime(context)).toEqual({
    at: changed.getTime(),
    what: "the last change of the ledger's file",
  });
});
