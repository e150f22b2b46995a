import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { LedgerRedactions } from "../contract/ledger/ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { ROWS_PER_REDACTION, scrubFile } from "./erase.ts";
import { continues, ledgerRedactions, redactionCounts } from "./redaction-counts.ts";
import { SALT_BYTES } from "./rows/digests.ts";
import type { Redaction } from "./rows/redactions.ts";
import type { LedgerWriter } from "./writer.ts";

/** Every byte of the ledger on the disk. Another process reads them: to close a file by system calls would drop the writer's locks. */
function bytesOf({ path }: TestLedger): Buffer {
  const files = [path, `${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  return execFileSync("cat", files, { maxBuffer: 1e9 });
}

interface StoredOpening {
  readonly row: number;
  readonly salts: Buffer;
  readonly body: string;
  readonly private: string | null;
}

function openings(writer: LedgerWriter, rows: readonly number[]): StoredOpening[] {
  const find = rawLedger(writer).prepare<[number], StoredOpening>("SELECT * FROM openings WHERE row = ?");
  return rows.map((row) => find.get(row)).filter((found) => found !== undefined);
}

/** What may not be found any more: salts as bytes and as disclosures write them, and the values. */
function secrets(found: readonly StoredOpening[]): Buffer[] {
  return found.flatMap(({ salts, body, private: hidden }) => {
    const parts = Array.from({ length: salts.length / SALT_BYTES }, (_, at) =>
      salts.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES),
    );
    return [
      ...parts,
      ...parts.map((salt) => Buffer.from(salt.toString("base64url"))),
      Buffer.from(body),
    ].concat(hidden === null ? [] : [Buffer.from(hidden)]);
  });
}

function foundIn(bytes: Buffer, sought: readonly Buffer[]): number {
  return sought.filter((needle) => bytes.includes(needle)).length;
}

/** Everything that a redaction may not touch. */
function tree(ledger: TestLedger) {
  const database = new Database(ledger.path, { readonly: true });
  const rows = database
    .prepare("SELECT id, kind, accepted_at, digests, leaf_hash FROM rows ORDER BY id")
    .raw()
    .all();
  const checkpoints = database.prepare("SELECT * FROM checkpoints ORDER BY size").raw().all();
  database.close();
  return { rows, checkpoints };
}

function appendMany(writer: LedgerWriter, count: number): void {
  writer.transaction(() => {
    for (let added = 0; added < count; added += 1) {
      const word = randomBytes(12).toString("hex");
      writer.append({
        kind: "record",
        body: {
          city: "toronto",
          is_synthetic: false,
          public_id: `pr_${word}`,
        },
        private: { place: `SECRET place ${word}`, contact: `SECRET phone ${word}` },
      });
    }
  });
}

function lastRow(ledger: TestLedger): number {
  using reader = ledger.reader();
  let rows = 0;
  for (const row of reader.verifiedRows(reader.latestCheckpoint()?.size ?? 0)) rows = row.id;
  return rows;
}

const REDACT = { reason: "privacy_request" } as const;

/** A small file, and one that is taken for a large one. */
const SIZES = [
  ["rebuilt", Number.POSITIVE_INFINITY],
  ["overwritten", 0],
] as const;

describe("erase", () => {
  test.each(SIZES)(
    "takes salts and values out of file and log, and leaves the tree as it is (%s)",
    (_, rebuiltBytes) => {
      using ledger = new TestLedger();
      using writer = ledger.writer();
      appendMany(writer, 400);
      writer.seal({ now: true });
      const before = tree(ledger);
      const rows = [7, 8, 9, 200, 399];
      const sought = secrets(openings(writer, rows));
      expect(sought).toHaveLength(5 * (3 + 3 + 2));
      // A salt in the text form of disclosures is in no file of the ledger to begin with.
      expect(foundIn(bytesOf(ledger), sought)).toBe(5 * (3 + 2));
      expect(writer.erase({ ...REDACT, rows })).toEqual([402]);
      scrubFile(rawLedger(writer), ledger.path, { rebuiltBytes });
      expect(foundIn(bytesOf(ledger), sought)).toBe(0);
      expect(openings(writer, rows)).toEqual([]);
      writer.seal({ now: true });
      const after = tree(ledger);
      expect(after.rows.slice(0, before.rows.length)).toEqual(before.rows);
      expect(after.checkpoints.slice(0, before.checkpoints.length)).toEqual(before.checkpoints);
      expect(lastRow(ledger)).toBe(403);
      expect(foundIn(bytesOf(ledger), sought)).toBe(0);
    },
  );

  test.each(SIZES)("leaves no copy where SQLite moved things about before (%s)", (_, rebuiltBytes) => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 1);
    const names = Array.from(
      { length: 6000 },
      (_, at) => `name ${sha256Hex(`n${at}`).repeat(1 + ((at * 7) % 3))}`,
    );
    const insert = rawLedger(writer).prepare(
      "INSERT INTO record_names VALUES ('toronto', ?, 'pl', ?, 1, 1, NULL)",
    );
    const remove = rawLedger(writer).prepare(
      "DELETE FROM record_names WHERE city = 'toronto' AND name_key = ?",
    );
    writer.transaction(() => names.map((name, at) => insert.run(name, at)));
    names.sort();
    // Some from each page, again and again: pages are joined, and a name may stay behind where it was.
    const gone = Array.from({ length: 7 }, (_, pass) =>
      names.slice(0, 5400).filter((_name, at) => at % 7 === pass),
    );
    for (const pass of gone) writer.transaction(() => pass.map((name) => remove.run(name)));
    const freePages = () => Number(rawLedger(writer).pragma("freelist_count", { simple: true }));
    expect(freePages()).toBeGreaterThan(0);
    writer.erase({ ...REDACT, rows: [1] });
    scrubFile(rawLedger(writer), ledger.path, { rebuiltBytes });
    if (rebuiltBytes > 0) expect(freePages()).toBe(0);
    const sought = gone.flat().map((name) => Buffer.from(name.slice(0, 40)));
    expect(foundIn(bytesOf(ledger), sought)).toBe(0);
    expect(foundIn(bytesOf(ledger), [Buffer.from(names.at(-1) ?? "")])).toBe(1);
  });

  test("takes the private values alone where the public ones stay, which still prove", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 10);
    const [before] = openings(writer, [3]);
    writer.erase({ ...REDACT, rows: [4], stripped: [3] });
    writer.scrub();
    const [after] = openings(writer, [3]);
    expect(after).toEqual({
      row: 3,
      body: before?.body,
      salts: before?.salts.subarray(0, 16),
      private: null,
    });
    const lost = before?.salts.subarray(16, 32) ?? Buffer.alloc(0);
    expect(foundIn(bytesOf(ledger), [lost, Buffer.from(before?.private ?? "")])).toBe(0);
    writer.seal({ now: true });
    expect(lastRow(ledger)).toBe(12);
  });

  test("a second time erases nothing", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 10);
    let alongside = 0;
    const erasure = {
      ...REDACT,
      rows: [2, 3],
      alongside: () => {
        alongside += 1;
      },
    };
    expect(writer.erase(erasure)).toEqual([11]);
    expect(writer.erase(erasure)).toEqual([]);
    expect([writer.nextId(), alongside]).toEqual([12, 1]);
    // Of some that are gone and some that are not, only the latter are named.
    expect(writer.erase({ ...REDACT, rows: [4, 3] })).toEqual([12]);
    writer.seal({ now: true });
    using reader = ledger.reader();
    expect(reader.redactions(99).map(({ rows }) => rows)).toEqual([[2, 3], [4]]);
  });

  test("undoes everything when what goes with it fails", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 5);
    const alongside = () => {
      throw new Error("no");
    };
    expect(() => writer.erase({ ...REDACT, rows: [2], alongside })).toThrow("no");
    expect(openings(writer, [2])).toHaveLength(1);
    expect(writer.nextId()).toBe(6);
  });

  test("names very many rows in several rows", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    const count = 2 * ROWS_PER_REDACTION + 1;
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", count);
    const rows = Array.from({ length: count }, (_, at) => at + 1);
    expect(writer.erase({ ...REDACT, rows })).toEqual([count + 1, count + 2, count + 3]);
    writer.seal({ now: true });
    expect(lastRow(ledger)).toBe(count + 4);
    using reader = ledger.reader();
    expect(ledgerRedactions(reader, count + 4, LATER)).toMatchObject({
      total_rows: count,
      counts: [{ redactions: 1, rows: count }],
    });
    expect(ledgerRedactions(reader, count, LATER)).toMatchObject({ total_rows: 0, counts: [] });
  });

  test.for([
    ["a row that is not there", [99], "row 99: not there"],
    ["a seal", [4], "row 4: seal"],
    ["a redaction", [5], "row 5: redaction"],
  ] as const)("refuses %s, and erases nothing", ([, rows, message]) => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 3);
    writer.seal({ now: true });
    writer.erase({ ...REDACT, rows: [1] });
    expect(() => writer.erase({ ...REDACT, rows: [2, ...rows] })).toThrow(OperatorError);
    expect(() => writer.erase({ ...REDACT, rows: [2, ...rows] })).toThrow(message);
    expect(openings(writer, [2])).toHaveLength(1);
  });

  test("does not name what was lost in another way, which still stops a build", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 3);
    writer.seal({ now: true });
    rawLedger(writer).exec("DELETE FROM openings WHERE row = 2");
    expect(() => writer.erase({ ...REDACT, rows: [2] })).toThrow(
      "row 2: its values are gone and no redaction",
    );
    expect(() => lastRow(ledger)).toThrow(/^row 2: silent omission/);
  });

  test("erases again what came back from a backup", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 3);
    const [opening] = openings(writer, [2]);
    writer.erase({ ...REDACT, rows: [2] });
    rawLedger(writer)
      .prepare("INSERT INTO openings (row, salts, body, private) VALUES (?, ?, ?, ?)")
      .run(2, opening?.salts, opening?.body, opening?.private);
    expect(writer.erase({ ...REDACT, rows: [2] })).toEqual([5]);
    writer.seal({ now: true });
    expect(lastRow(ledger)).toBe(6);
  });
});

describe("a reader that stays", () => {
  test("keeps values in the log; the same again finishes when it has gone", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    appendMany(writer, 50);
    const sought = secrets(openings(writer, [3])).slice(0, 3);
    const reader = new Database(ledger.path, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM openings").get();
    writer.transaction(() => {
      rawLedger(writer).exec("DELETE FROM openings WHERE row = 3");
      writer.append({ kind: "redaction", body: { rows: [3] }, private: { reason: "safety" } });
    });
    expect(() => scrubFile(rawLedger(writer), ledger.path, { waitMs: 50 })).toThrow(
      /^the values are deleted, but they still lie in the write-ahead log .*ledger\.db-wal.*wait until it ends and run the same command again$/,
    );
    expect(foundIn(bytesOf(ledger), sought)).toBeGreaterThan(0);
    reader.close();
    writer.scrub();
    expect(foundIn(bytesOf(ledger), sought)).toBe(0);
  });
});

const LATER = Date.parse("2027-01-01T00:00:00Z");

describe("counts of redactions", () => {
  const redaction = (id: number, rows: number[], changes: Partial<Redaction> = {}): Redaction => ({
    id,
    acceptedAt: Date.parse("2026-11-30T23:59:59Z"),
    reason: "safety",
    rows,
    ...changes,
  });

  test("by month, in one kind whatever their reason; a row that is named twice counts once", () => {
    const december = Date.parse("2026-12-01T00:00:00Z");
    const counts = redactionCounts(
      [
        redaction(10, [1, 2]),
        redaction(12, [3]),
        redaction(14, [4, 5, 6], { reason: "owner_request", acceptedAt: december }),
        redaction(16, [1, 7], { reason: "data_error", acceptedAt: december }),
      ],
      LATER,
    );
    expect(LedgerRedactions.parse(counts)).toEqual({
      schema: "com.service.ledger_redactions.v1",
      total_rows: 7,
      counts: [
        { month: "2026-11", kind: "redaction", reason: null, redactions: 2, rows: 3 },
        { month: "2026-12", kind: "redaction", reason: null, redactions: 2, rows: 4 },
      ],
      reasons_by_month: [
        { month: "2026-11", reasons: [], reasons_withheld: true },
        { month: "2026-12", reasons: [], reasons_withheld: true },
      ],
    });
    expect(redactionCounts([], LATER)).toMatchObject({ total_rows: 0, counts: [], reasons_by_month: [] });
  });

  const three = [redaction(10, [1]), redaction(12, [2]), redaction(14, [3])];

  test("a reason counts from three decisions on", () => {
    const other = redaction(16, [4], { reason: "legal_order" });
    const fourth = redaction(18, [5]);
    expect(redactionCounts([...three, other, fourth], LATER).reasons_by_month).toEqual([
      { month: "2026-11", reasons: [{ reason: "safety", redactions: 4 }], reasons_withheld: true },
    ]);
    expect(redactionCounts(three, LATER).reasons_by_month).toEqual([
      { month: "2026-11", reasons: [{ reason: "safety", redactions: 3 }], reasons_withheld: false },
    ]);
  });

  test("a month that is not over shows no reason, so two releases cannot be compared", () => {
    const lastDay = Date.parse("2026-11-30T23:59:59Z");
    expect(redactionCounts(three, lastDay).reasons_by_month).toEqual([
      { month: "2026-11", reasons: [], reasons_withheld: true },
    ]);
  });

  test("a reason is private to its row", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 2);
    writer.erase({ reason: "owner_request", rows: [1] });
    expect(JSON.stringify(openings(writer, [3]))).toContain("owner_request");
    expect(writer.live.redactions().map(({ reason }) => reason)).toEqual(["owner_request"]);
    expect(rawLedger(writer).prepare("SELECT body FROM openings WHERE row = 3").pluck().get()).toBe(
      '{"rows":[1]}',
    );
  });

  test("a row goes on only from a full one of the same decision right before", () => {
    const full = Array.from({ length: ROWS_PER_REDACTION }, (_, at) => at);
    expect(continues(redaction(11, [1]), redaction(10, full))).toBe(true);
    expect(continues(redaction(11, [1]), redaction(10, [1]))).toBe(false);
    expect(continues(redaction(12, [1]), redaction(10, full))).toBe(false);
    expect(continues(redaction(11, [1], { reason: "data_error" }), redaction(10, full))).toBe(false);
    expect(continues(redaction(11, [1]), undefined)).toBe(false);
  });
});
