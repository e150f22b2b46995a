import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { statusRow, TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../kernel/errors.ts";
import { openLedgerReader } from "./reader.ts";
import { claimDigest, digestTexts } from "./rows/digests.ts";
import type { NewRow } from "./rows/rows.ts";
import { openLedgerWriter } from "./writer.ts";

describe("appending", () => {
  test("ids are contiguous and start at 1, and readers see only what is committed", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    using reader = ledger.reader();
    expect(reader.head()).toEqual({ lastRow: 0, latestAcceptedAt: null });
    writer.transaction(() => {
      expect(writer.nextId()).toBe(1);
      expect([1, 2, 3].map((record) => writer.append(statusRow(record)).id)).toEqual([1, 2, 3]);
      expect(reader.head().lastRow).toBe(0);
    });
    expect(reader.head()).toEqual({ lastRow: 3, latestAcceptedAt: ledger.time });
    expect(reader.counts(2)).toEqual(new Map([["status", 2]]));
  });

  test("a transaction that throws leaves nothing behind, its ids are given again", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 2);
    const failing = () => {
      writer.append(statusRow(1));
      throw new Error("intake gave up");
    };
    expect(() => writer.transaction(failing)).toThrow("intake gave up");
    expect(writer.nextId()).toBe(3);
    expect(writer.transaction(() => writer.append(statusRow(1)).id)).toBe(3);
  });

  test("only within a transaction, and transactions do not nest", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    expect(() => writer.append(statusRow(1))).toThrow("append needs a transaction");
    expect(() => writer.transaction(() => writer.transaction(() => undefined))).toThrow("do not nest");
    expect(writer.transaction(() => "still usable")).toBe("still usable");
  });

  test("a body of another shape is refused, and unknown members never reach the file", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    const row = (body: object): NewRow => Object.assign(statusRow(1), { body });
    expect(() => writer.transaction(() => writer.append(row({ record: "1", status: "claimed" })))).toThrow(
      "record",
    );
    writer.transaction(() => writer.append(row({ record: 1, status: "claimed", phone: "+1 416 555 0100" })));
    expect(rawLedger(writer).prepare("SELECT body FROM openings").pluck().all()).toEqual([
      '{"record":1,"status":"claimed"}',
    ]);
  });

  test("private values are committed to one by one, at most four", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    const values = { observer: "scout-7", place: [43.65, -79.38], note: 'a "quoted" 😀', media: null };
    writer.transaction(() => writer.append({ ...statusRow(1), private: values }));
    const stored = rawLedger(writer)
      .prepare<[], { digests: Buffer; salts: Buffer; private: string }>(
        "SELECT digests, salts, private FROM rows JOIN openings ON row = id",
      )
      .get();
    expect(JSON.parse(stored?.private ?? "")).toEqual(values);
    const digests = digestTexts(stored?.digests ?? Buffer.alloc(0));
    for (const [index, [name, value]] of Object.entries(values).entries())
      expect(digests).toContain(
        claimDigest(stored?.salts ?? Buffer.alloc(0), index + 1, { name, json: JSON.stringify(value) }),
      );
    const five: NewRow = { ...statusRow(1), private: { a: 1, b: 2, c: 3, d: 4, e: 5 } };
    expect(() => writer.transaction(() => writer.append(five))).toThrow(RangeError);
  });
});

describe("the clock", () => {
  test("is read once per transaction", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    const start = ledger.time;
    writer.transaction(() => {
      writer.append(statusRow(1));
      ledger.time += 5000;
      expect(writer.now()).toBe(start);
      writer.append(statusRow(2));
    });
    expect(rawLedger(writer).prepare("SELECT DISTINCT accepted_at FROM rows").pluck().all()).toEqual([start]);
  });

  test("may step back a minute and is held, but not more, also after a restart", () => {
    using ledger = new TestLedger();
    const start = ledger.time;
    {
      using writer = ledger.writer();
      writer.transaction(() => writer.append(statusRow(1)));
      ledger.time = start - 60_000;
      writer.transaction(() => writer.append(statusRow(2)));
      expect(rawLedger(writer).prepare("SELECT accepted_at FROM rows WHERE id = 2").pluck().get()).toBe(
        start,
      );
    }
    ledger.time = start - 60_001;
    using writer = ledger.writer();
    expect(() => writer.transaction(() => writer.append(statusRow(3)))).toThrow(
      /clock set back: .*11:58:59\.999Z.*12:00:00/,
    );
    expect(() => writer.seal({ now: true })).toThrow(OperatorError);
    expect(writer.nextId()).toBe(3);
  });
});

describe("one writer", () => {
  test("a second one is told who writes, readers are not blocked", () => {
    using ledger = new TestLedger();
    {
      using writer = ledger.writer();
      ledger.appendAt(writer, "2026-05-01T12:00:00Z", 1);
      expect(() => ledger.writer()).toThrow(OperatorError);
      expect(() => ledger.writer()).toThrow(
        `another process (pid ${process.pid}) is writing to ${ledger.path}`,
      );
      using reader = ledger.reader();
      expect(reader.head().lastRow).toBe(1);
    }
    using writer = ledger.writer();
    expect(writer.nextId()).toBe(2);
  });

  test("the lock dies with its process", () => {
    using ledger = new TestLedger();
    const child = spawnSync(process.execPath, ["--input-type=module", "-e", killedHolder(ledger)], {
      encoding: "utf8",
    });
    expect(child).toMatchObject({ signal: "SIGKILL", stderr: "" });
    using writer = ledger.writer();
    expect(writer.nextId()).toBe(1);
  });
});

function killedHolder({ path, keysDir }: TestLedger): string {
  return `import { openLedgerWriter } from ${JSON.stringify(new URL("./writer.ts", import.meta.url).href)};
    openLedgerWriter(${JSON.stringify(path)}, { keysDir: ${JSON.stringify(keysDir)}, clock: Date.now });
    process.kill(process.pid, "SIGKILL");`;
}

test("a full disk loses the batch and nothing else", () => {
  using ledger = new TestLedger();
  {
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 10);
    const pages = Number(rawLedger(writer).pragma("page_count", { simple: true }));
    rawLedger(writer).pragma(`max_page_count = ${pages + 2}`);
    expect(() => ledger.appendAt(writer, "2026-05-01T12:00:01Z", 1000)).toThrow(
      /the disk is full: nothing of this batch/,
    );
    expect(writer.nextId()).toBe(11);
    rawLedger(writer).pragma("max_page_count = 1000000");
    ledger.appendAt(writer, "2026-05-01T12:00:02Z", 1000);
    writer.seal({ now: true });
  }
  using reader = ledger.reader();
  expect(Array.from(reader.verifiedRows(1011)).at(-1)).toMatchObject({ id: 1011, kind: "seal" });
});

test("opening a file that is no ledger of this format is refused", () => {
  using ledger = new TestLedger();
  const { keysDir, folder } = ledger;
  const open = (name: string) => () => openLedgerWriter(`${folder}/${name}`, { keysDir, clock: () => 0 });
  expect(open("absent.db")).toThrow("absent.db: there is no ledger");
  writeFileSync(
    `${folder}/text.db`,
    "not a database, but long enough to have the header of one: ".repeat(20),
  );
  expect(open("text.db")).toThrow("text.db: not a ledger file");
  const other = new Database(`${folder}/other.db`);
  other.exec("CREATE TABLE rows (id)");
  other.close();
  expect(open("other.db")).toThrow("other.db: it is not a ledger file");
  const newer = new Database(ledger.path);
  newer.pragma("user_version = 99");
  newer.close();
  expect(() => openLedgerWriter(ledger.path, { keysDir, clock: () => 0 })).toThrow("format 99");
  rmSync(ledger.path);
  expect(() => openLedgerReader(ledger.path)).toThrow("there is no ledger");
});

test("deleted values are overwritten in the file", () => {
  using ledger = new TestLedger();
  using writer = ledger.writer();
  expect(rawLedger(writer).pragma("secure_delete", { simple: true })).toBe(1);
  expect(rawLedger(writer).pragma("synchronous", { simple: true })).toBe(2);
  expect(rawLedger(writer).pragma("journal_mode", { simple: true })).toBe("wal");
});
