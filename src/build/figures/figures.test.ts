import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import { openNote, parseVkey } from "../../ledger/keys/note.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { Between } from "./between.ts";
import {
  figuresText,
  observationsOf,
  parseFigures,
  type RecordFigures,
  type ReleaseFigures,
  recordsOf,
} from "./figures.ts";
import { releaseFigures } from "./release-figures.ts";
import { openFigures, readFigures, writeFigures } from "./signed-figures.ts";

/** Real releases: three records of two observations each. */

const AS_OF = "2026-05-20T12:00:00Z";
const NEXT = "2026-05-21T12:00:00Z";

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.city("toronto");
  for (const name of ["Alpha", "Bravo", "Charlie"]) {
    const record = town.record(name);
    const asset = town.asset(record);
    town.see(record, asset, `${name}-a`, "2026-04-28T10:00:00Z");
    town.see(record, asset, `${name}-b`, "2026-04-30T15:00:00Z");
  }
});
afterEach(() => town[Symbol.dispose]());

const open = (note: string) => openNote(note, parseVkey(town.ledger.signingKey().vkey));

/** The figures of a release of the sealed rows. */
function figuresOf(asOf: string): ReleaseFigures {
  using reader = town.ledger.reader();
  const { size = 0 } = reader.latestCheckpoint() ?? {};
  const snapshot = openSnapshot(town.build(size, asOf).path);
  try {
    return releaseFigures(snapshot);
  } finally {
    snapshot.close();
  }
}

/** The same of all rows, written to the town's folder. */
function figuresAt(asOf: string): ReleaseFigures {
  town.seal();
  const figures = figuresOf(asOf);
  const sign = (text: string) => town.ledger.signingKey().sign(text);
  writeFigures(town.ledger.folder, figures, town.ledger.signingKey().name, sign);
  return figures;
}

function recordOf(figures: ReleaseFigures, id: string) {
  const found = recordsOf(figures).find((record) => record.id === id);
  if (found === undefined) throw new Error(`${id} is in no city`);
  return found;
}

test("are the same for the same release, and what is written is what is read", () => {
  const figures = figuresAt(AS_OF);
  expect(figuresText(figuresOf(AS_OF))).toBe(figuresText(figures));
  expect(openFigures(readFigures(town.ledger.folder), open)).toEqual(figures);
  expect(recordsOf(figures).map(({ id }) => id)).toEqual(["demo_alpha", "demo_bravo", "demo_charlie"]);
  const alpha = recordOf(figures, "demo_alpha");
  expect(alpha).toMatchObject({ name: "Alpha", accepted: 2, counting: 2, rank: null, holds_until: null });
  expect(observationsOf(alpha)).toHaveLength(2);
});

test("are believed only as they were signed", () => {
  const { release_id } = figuresAt(AS_OF);
  const { text, note } = readFigures(town.ledger.folder);
  const other = town.ledger.signingKey().sign(`log/manifest\n${release_id}\n${sha256Hex(text)}\n`);
  const refused: [string, string, string][] = [
    [text.replace("Alpha", "Alpho"), note, "not the one that figures.note signs"],
    [text, other, "not the one that figures.note signs"],
    [text, note.replace(release_id, `${release_id}0`), "signature"],
    [text, "", ""],
  ];
  for (const [body, signed, problem] of refused) {
    const opening = () => openFigures({ text: body, note: signed }, open);
    expect(opening).toThrow(FormatError);
    expect(opening).toThrow(problem);
  }
  expect(() => readFigures(join(town.ledger.folder, "none"))).toThrow("the file of figures is missing");
});

test("say until when a record stays eligible if nothing new is seen", () => {
  const record = town.record("Delta");
  const asset = town.asset(record);
  const days = ["2026-03-01", "2026-04-02", "2026-04-03", "2026-04-04", "2026-04-05"];
  for (const observer of ["one", "two", "three", "four"])
    for (const day of days) town.see(record, asset, observer, `${day}T15:00:00Z`);
  const { gate, holds_until } = recordOf(figuresAt(AS_OF), "demo_delta");
  expect(gate).toBe("eligible");
  const at = (date: string | null) => recordOf(figuresOf(`${date}T20:00:00Z`), "demo_delta").gate;
  expect(at(holds_until)).toBe("eligible");
  expect(at(isoDate(Date.parse(holds_until ?? "") + DAY_MS))).toBe("evidence_building");
});

test.each([
  ["nothing", ""],
  ["no JSON", "{"],
  ["another file", '{"format":"other"}\n'],
  ["a city without figures", "CITY"],
])("are no figures: %s", (_, text) => {
  const first = figuresText({ ...parsed(), cities: [] });
  expect(() => parseFigures(text === "CITY" ? `${first}{"city":"x"}\n` : text)).toThrow(FormatError);
});

function parsed(): ReleaseFigures {
  return {
    ...{ format: "release-figures", version: 1, release_id: "a", data_as_of: AS_OF, last_sealed_row: 1 },
    ...{ methods: { score: "s", coverage: "c" }, merged: [], withdrawn: [], changes: [], cities: [] },
  };
}

/** What differs in the record Alpha after `change` to the town. */
function changedBy(change: (alpha: RecordFigures) => void) {
  const before = figuresAt(AS_OF);
  change(recordOf(before, "demo_alpha"));
  const between = new Between(before, figuresAt(NEXT));
  const pair = between.pairs().find(({ was }) => was?.id === "demo_alpha");
  if (pair?.was === undefined) throw new Error("Alpha was not there");
  return { between, pair, parts: pair.is && between.partsOf(pair.was, pair.is) };
}

test("tell what a new sighting changed", () => {
  const { parts, between, pair } = changedBy(({ row, assets }) => {
    town.see(row, assets[0] ?? 0, "third", "2026-05-10T10:00:00Z");
  });
  expect(parts).toEqual(["evidence", "score"]);
  expect(between.newObservationsOf(pair.is)).toHaveLength(1);
  expect(between.isMeant(pair)).toBe(false);
});

test("tell what a reviewer's decision changed, and that somebody meant it", () => {
  const { parts, between, pair } = changedBy(({ row }) => town.review("classify", row, { industry: "I" }));
  expect(parts).toContain("identity");
  expect(between.changesOf(pair)).toMatchObject([{ change: "classify" }]);
  expect(between.isMeant(pair)).toBe(true);
});

test("tell a new name by a line from a reviewer's", () => {
  const { parts, between, pair } = changedBy(({ row }) => town.rename(row, "Alpha Two"));
  expect(parts).toEqual(["identity", "score"]); // the score is a day older
  expect(between.changesOf(pair)).toMatchObject([{ change: "naming" }]);
  expect(between.isMeant(pair)).toBe(false);
});

test("an erased record leaves with its name, its rows and its digests", () => {
  let erased: number[] = [];
  const { between, pair } = changedBy((alpha) => {
    erased = [alpha.row, ...observationsOf(alpha)];
    town.redact(erased);
  });
  expect(pair.is).toBeUndefined();
  expect(between.erasedOf(pair.was)).toEqual(erased);
  const text = figuresText(between.after);
  const { evidence, identity } = pair.was?.digests ?? {};
  for (const value of ["demo_alpha", "Alpha", evidence, identity]) expect(text).not.toContain(value);
});
