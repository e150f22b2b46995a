import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { TestPatient } from "../../tests/support/operations/patient.ts";
import { homePaths } from "../kernel/home.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../kernel/time.ts";
import { checkNextShare, forecast, keepCheckedShare, noteSizes, readSizes } from "./disk-sizes.ts";

describe("disk sizes", () => {
  const START = Date.parse("2026-05-01T00:30:00Z");
  const MIB = 1 << 20;
  const night = (day: number, free: number) => ({
    at: isoTime(START + day * DAY_MS),
    free_bytes: free,
    ledger_bytes: 0,
    state_bytes: 0,
  });

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sizes-"));
    mkdirSync(homePaths(folder).night);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("the nights of two months are kept, one entry a day", () => {
    const home = homePaths(folder);
    writeFileSync(home.ledger, "12345");
    writeFileSync(`${home.ledger}-wal`, "678");
    for (let day = 0; day < 70; day += 1) noteSizes(home, START + day * DAY_MS);
    noteSizes(home, START + 69 * DAY_MS + HOUR_MS);
    const sizes = readSizes(home);
    expect(sizes).toHaveLength(60);
    expect(sizes.at(-1)).toMatchObject({ at: "2026-07-09T01:30:00Z", ledger_bytes: 8, state_bytes: 0 });
    expect(sizes.at(-1)?.free_bytes).toBeGreaterThan(0);
  });

  test.each(["", "{", "[{}]", "null"])("a file that holds %j counts as none", (text) => {
    const home = homePaths(folder);
    writeFileSync(home.sizes, text);
    expect(readSizes(home)).toEqual([]);
    noteSizes(home, START);
    expect(JSON.parse(readFileSync(home.sizes, "utf8"))).toHaveLength(1);
  });

  test("the forecast follows the trend, whatever one night did", () => {
    const falling = Array.from({ length: 10 }, (_, day) => night(day, (1000 - 10 * day) * MIB));
    expect(forecast(falling, 900 * MIB)).toEqual({ bytesADay: 10 * MIB, days: 90 });
    expect(forecast([...falling.slice(0, 9), night(9, 100 * MIB)], 900 * MIB)?.days).toBe(90);
    expect(forecast(falling.slice(0, 6), 900 * MIB)).toBeUndefined();
    expect(
      forecast(
        falling.map((each) => ({ ...each, free_bytes: MIB })),
        MIB,
      ),
    ).toBeUndefined();
  });

  test("the doctor warns a month before the disk is full", async () => {
    using service = new TestPatient();
    const nights = Array.from({ length: 8 }, (_, day) => night(day, (10_000 - 100 * day) * MIB));
    writeFileSync(service.home.sizes, JSON.stringify(nights));
    service.freeBytes = 3000 * MIB;
    expect(await service.problems("disk forecast")).toEqual([]);
    service.freeBytes = 2900 * MIB;
    expect(await service.problems("disk forecast")).toEqual([
      "HOME/night: the disk will be full in 29 days, by the last nights: 100 MiB a day",
    ]);
  });
});

describe("ledger share", () => {
  const homeOf = (ledger: TestLedger) => ({ ledgerCheck: `${ledger.folder}/ledger-check.json` });

  test("a small ledger is checked whole each time, whatever the file says", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const home = homeOf(ledger);
    using reader = ledger.reader();
    const sealedRows = reader.latestCheckpoint()?.size ?? 0;
    const share = checkNextShare(reader, home);
    expect(share).toEqual({ after: 0, checkedTo: sealedRows, sealedRows });
    expect(existsSync(home.ledgerCheck)).toBe(false);
    keepCheckedShare(home, share);
    expect(JSON.parse(readFileSync(home.ledgerCheck, "utf8"))).toEqual({ checked_to: sealedRows });
    for (const text of ['{"checked_to": -1}', "{", '{"checked_to": "x"}', '{"checked_to": 1e300}', ""]) {
      writeFileSync(home.ledgerCheck, text);
      expect(checkNextShare(reader, home)).toEqual(share);
    }
  });

  /** Ten checkpoints of 11 rows each. */
  function longLedger(): TestLedger {
    const ledger = new TestLedger();
    using writer = ledger.writer();
    for (let day = 0; day < 10; day += 1) {
      ledger.appendAt(writer, `2026-05-${10 + day}T12:00:00Z`, 10);
      writer.seal({ now: true });
    }
    return ledger;
  }

  const never = () => false;

  test("shares end at checkpoints, follow each other, and go round", () => {
    using ledger = longLedger();
    using reader = ledger.reader();
    const ends: number[] = [];
    for (let turn = 0, after = 0; turn < 5; turn += 1) {
      after = reader.checkRows({ after: after === 110 ? 0 : after, rows: 30, isLate: never });
      ends.push(after);
    }
    expect(ends).toEqual([33, 66, 99, 110, 33]);
    expect(reader.checkRows({ after: 0, rows: Infinity, isLate: () => true })).toBe(11);
    expect(reader.checkRows({ after: 5, rows: 1, isLate: never })).toBe(11); // 5 is no checkpoint
  });

  test("a changed byte is found in the share that has its row, in body, digest, leaf and private values", () => {
    for (const sql of [
      "UPDATE openings SET body = replace(body, 'claimed', 'verified') WHERE row = 40",
      "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 40",
      "UPDATE openings SET private = replace(private, 'ref 40', 'ref 41') WHERE row = 40",
      "UPDATE openings SET private = '{' WHERE row = 40",
    ]) {
      using ledger = longLedger();
      const database = new Database(ledger.path);
      database.exec(sql);
      database.close();
      using reader = ledger.reader();
      expect(() => reader.checkRows({ after: 33, rows: 1, isLate: never }), sql).toThrow(/^row 40: /);
      expect(reader.checkRows({ after: 0, rows: 30, isLate: never })).toBe(33);
      expect(reader.checkRows({ after: 44, rows: Infinity, isLate: never })).toBe(110);
    }
  });
});
