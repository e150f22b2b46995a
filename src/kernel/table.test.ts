import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  answerer,
  blob,
  boolean,
  checkedJson,
  encoder,
  flag,
  inserter,
  integer,
  json,
  oneOf,
  real,
  selection,
  serial,
  table,
  text,
  values,
} from "./table.ts";

const visits = table("visits", {
  public: {
    id: integer().primaryKey(),
    placeName: text<"here" | "there">().unique(),
    isNight: boolean(),
    wasSeen: boolean().nullable(),
    score: real().nullable(),
    tags: json<readonly string[]>(),
    note: json<{ readonly by: string }>().nullable(),
    into: integer().named("stays"),
    hash: blob(),
  },
  indexes: ["CREATE INDEX visits_score ON visits (score);"],
});

const visit = {
  id: 1,
  placeName: "here",
  isNight: true,
  wasSeen: null,
  score: 0.5,
  tags: ["a"],
  note: null,
  into: 7,
  hash: new Uint8Array([1, 255]),
} as const;

function open() {
  const db = new Database(":memory:");
  db.exec(visits.create);
  return db;
}

test("a definition makes a strict table of its columns in order", () => {
  expect(visits.create.replace(/\s+/g, " ")).toBe(
    "CREATE TABLE visits ( id INTEGER PRIMARY KEY, place_name TEXT NOT NULL UNIQUE, is_night INTEGER NOT NULL, was_seen INTEGER, score REAL, tags TEXT NOT NULL, note TEXT, stays INTEGER NOT NULL, hash BLOB NOT NULL ) STRICT;",
  );
  const pairs = table("pairs", { public: { one: text(), other: integer() }, primaryKey: ["one", "other"] });
  expect(pairs.create).toContain("PRIMARY KEY (one, other)\n) STRICT, WITHOUT ROWID;");
  expect(pairs.createInPostgres).toMatch(/PRIMARY KEY \(one, other\)\n\);$/);
});

test("a row comes back as it was written, whatever the order of its properties", () => {
  const db = open();
  const insert = inserter(db, visits);
  const { hash, ...others } = visit;
  expect(insert({ hash, ...others })).toEqual([1, "here", 1, null, 0.5, '["a"]', null, 7, hash]);
  const read = selection(visits.columns).prepare<[number]>(db, "FROM visits WHERE id = ?");
  expect(read.get(1)).toEqual({ ...visit, hash: Buffer.from(hash) });
  expect(read.get(2)).toBeUndefined();
  expect(read.all(1)).toHaveLength(1);
  expect(values<[], string>(db, "SELECT place_name FROM visits").all()).toEqual(["here"]);
});

test("a selection leaves columns out and computes others", () => {
  const db = open();
  inserter(db, visits)(visit);
  const short = selection({ ...visits.columns, hash: text().as("hex(hash)") }, "tags", "note", "into");
  expect(short.prepare(db, "FROM visits").all()).toEqual([
    { id: 1, placeName: "here", isNight: true, wasSeen: null, score: 0.5, hash: "01FF" },
  ]);
});

test("a column too few, too many or of another type neither type-checks nor is stored", () => {
  const db = open();
  const insert = inserter(db, visits);
  const { score: _score, ...short } = visit;
  // @ts-expect-error: without `score`
  expect(() => insert(short)).toThrow("score is missing in a row");
  // @ts-expect-error: `place` is no column
  expect(() => insert({ ...short, place: 0.5 })).toThrow("score is missing");
  // @ts-expect-error: `other` is no column
  expect(() => insert({ ...visit, other: 1 })).toThrow("expected id,placeName");
  // @ts-expect-error: neither of the two names
  insert({ ...visit, id: 2, placeName: "elsewhere" });
  // @ts-expect-error: a text where a number belongs
  expect(() => insert({ ...visit, id: 3, into: "x" })).toThrow(/cannot store TEXT value in INTEGER column/);
  expect(values<[], number>(db, "SELECT count(*) FROM visits").get()).toBe(1);
});

test("checked JSON is refused when it is written and when it is read", () => {
  const reports = table("reports", { public: { report: checkedJson(z.object({ count: z.int() })) } });
  const encode = encoder(reports.columns);
  expect(encode({ report: { count: 1 } })).toEqual(['{"count":1}']);
  expect(() => encode({ report: { count: 0.5 } })).toThrow(z.ZodError);
  const db = new Database(":memory:");
  db.exec(`${reports.create} INSERT INTO reports VALUES ('{"count":"many"}')`);
  expect(() => selection(reports.columns).prepare(db, "FROM reports").get()).toThrow(z.ZodError);
});

test("each engine has its words, and a row is answered without its hashes", () => {
  const links = table("links", {
    private: { id: serial(), isOpen: flag(), state: oneOf(["new", "old"]) },
    personal: { sentTo: text().nullable() },
    hash: { tokenHash: text().unique() },
    constraints: ["CHECK (is_open = 0 OR state = 'new')"],
  });
  expect(links.create.replace(/\s+/g, " ")).toBe(
    "CREATE TABLE links ( id INTEGER PRIMARY KEY AUTOINCREMENT, is_open INTEGER NOT NULL CHECK (is_open = 0 OR is_open = 1), state TEXT NOT NULL CHECK (state = 'new' OR state = 'old'), sent_to TEXT, token_hash TEXT NOT NULL UNIQUE, CHECK (is_open = 0 OR state = 'new') ) STRICT;",
  );
  expect(links.createInPostgres.replace(/\s+/g, " ")).toBe(
    "CREATE TABLE links ( id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, is_open BIGINT NOT NULL CHECK (is_open = 0 OR is_open = 1), state TEXT NOT NULL CHECK (state = 'new' OR state = 'old'), sent_to TEXT, token_hash TEXT NOT NULL UNIQUE, CHECK (is_open = 0 OR state = 'new') );",
  );
  expect(links.marks).toEqual({
    id: "private",
    is_open: "private",
    state: "private",
    sent_to: "personal",
    token_hash: "hash",
  });
  const stored = { id: 1, is_open: 1, state: "new", sent_to: null, token_hash: "00" } as const;
  expect(answerer(links)(stored)).toEqual({ id: 1, isOpen: true, state: "new", sentTo: null });
});
