import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { mendingOf } from "../../snapshot/mend/mending.ts";
import { openSnapshot } from "../../snapshot/snapshot.ts";
import { buildInThreads } from "./fold-threads.ts";

/** Builds whose rows are kept in files of eight, against builds that read the ledger. */

const AS_OF = "2026-05-20T12:00:00Z";
const ROWS_A_FILE = 8;

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.city("toronto");
  town.city("chicago", { lat: 41.88, lng: -87.63 });
});
afterEach(() => town[Symbol.dispose]());

const folder = () => `${town.ledger.path}-cache`;
const names = () => readdirSync(folder()).sort();
const path = (name = "rows-9") => join(folder(), name);

/** A record of three observations in each city; returns the rows of the record in the first one, its naming last. */
function record(name: string) {
  const [rows = []] = ["toronto", "chicago"].map((city) => {
    const own = town.record(`${name}-${city}`, { city });
    const asset = town.asset(own);
    const observations = ["a", "b", "c"].map((who) =>
      town.see(own, asset, `${name}-${city}-${who}`, "2026-04-28T10:00:00Z", { city }),
    );
    return [own, asset, ...observations, own + 1];
  });
  return rows;
}

async function kept(size: number, changes: Parameters<TestTown["input"]>[2] = {}, program = "test") {
  const input = town.input(size, AS_OF, changes);
  await buildInThreads(input, { threads: 1, rowsAtOnce: 5, keeping: { program, rowsAFile: ROWS_A_FILE } });
  return readFileSync(input.out);
}

function read(size: number, changes: Parameters<TestTown["input"]>[2] = {}) {
  return readFileSync(town.build(size, AS_OF, changes).path);
}

/** A first night of two records, with decisions about both. */
async function firstNight() {
  const alpha = record("Alpha");
  const beta = record("Beta");
  town.review("reject", alpha[2] ?? 0);
  town.append({ kind: "recount", body: { target: alpha[3] ?? 0, counts: false } });
  town.move(alpha[4] ?? 0, beta[0] ?? 0, beta[1] ?? 0, "moved");
  const size = town.seal();
  expect((await kept(size)).equals(read(size))).toBe(true);
  town.at("2026-05-03T12:00:00Z");
  return { alpha, beta, size };
}

describe("the next night has the bytes of one that reads all rows", () => {
  test("with new rows, and decisions about kept ones", async () => {
    const { alpha, beta } = await firstNight();
    expect(names()).toEqual(["rows-1", "rows-17", "rows-9"]);
    const [own = 0, asset = 0, first = 0] = beta;
    town.redact([first]);
    town.see(own, asset, "Beta-toronto-a", "2026-04-28T10:00:00Z");
    town.review("verify", alpha[2] ?? 0);
    town.review("flag", alpha[0] ?? 0);
    town.move(beta[3] ?? 0, alpha[0] ?? 0, alpha[1] ?? 0, "moved too");
    record("Gamma");
    const size = town.seal();
    expect((await kept(size)).equals(read(size))).toBe(true);
    record("Delta");
    const next = town.seal();
    expect((await kept(next)).equals(read(next))).toBe(true);
    expect(names().length).toBeGreaterThan(5);
  });

  test("and so has a patch release", async () => {
    const { alpha, size } = await firstNight();
    const mended = openSnapshot(town.build(size, AS_OF).path);
    const mends = mendingOf(mended);
    mended.close();
    record("Tomorrow");
    town.redact(alpha);
    const later = town.seal();
    expect((await kept(later, { mends })).equals(read(later, { mends }))).toBe(true);
    expect((await kept(later)).equals(read(later))).toBe(true);
  });

  test.each<[string, (file: string) => void]>([
    ["missing", (file) => rmSync(file)],
    ["empty", (file) => writeFileSync(file, "")],
    ["changed by one bit", (file) => writeFileSync(file, flipped(readFileSync(file)))],
    ["another range", (file) => writeFileSync(file, readFileSync(path("rows-1")))],
    ["of no kept rows", (file) => writeFileSync(file, "rows")],
  ])("a file is %s: its rows and those after it are read, and kept again", async (_, damage) => {
    await firstNight();
    record("Gamma");
    const size = town.seal();
    const whole = readFileSync(path());
    damage(path());
    expect((await kept(size)).equals(read(size))).toBe(true);
    expect(readFileSync(path()).equals(whole)).toBe(true);
  });

  test("nothing can be kept, because a file has the folder's name", async () => {
    writeFileSync(folder(), "");
    record("Alpha");
    const size = town.seal();
    expect((await kept(size)).equals(read(size))).toBe(true);
    town.writer.scrub();
  });

  test("another program kept the rows", async () => {
    const { size } = await firstNight();
    const before = readFileSync(path());
    expect((await kept(size, {}, "other")).equals(read(size))).toBe(true);
    expect(readFileSync(path()).equals(before)).toBe(false);
  });

  test("the rows were kept from another ledger", async () => {
    await firstNight();
    using other = new TestTown("2026-05-01T13:00:00Z");
    const own = town;
    town = other;
    other.city("toronto");
    other.city("chicago", { lat: 41.88, lng: -87.63 });
    record("Alpha");
    record("Omega");
    town.append({ kind: "recount", body: { target: 5, counts: false } });
    const size = town.seal();
    await kept(size);
    for (const name of names())
      writeFileSync(path(name), readFileSync(join(`${own.ledger.path}-cache`, name)));
    expect((await kept(size)).equals(read(size))).toBe(true);
    town = own;
  });
});

test("an erasure takes its rows out of the files, and the others stay kept", async () => {
  const { alpha, size } = await firstNight();
  const holds = () => names().filter((name) => readFileSync(path(name)).includes("Alpha-toronto"));
  const untouched = readFileSync(path("rows-17"));
  expect(holds()).toEqual(["rows-1"]);
  writeFileSync(path("rows-1.new"), readFileSync(path("rows-1"))); // a build was killed
  town.writer.erase({ reason: "privacy_request", rows: alpha });
  town.writer.scrub();
  expect(holds()).toEqual([]);
  expect(names()).toEqual(["rows-1", "rows-17", "rows-9"]);
  expect(readFileSync(path("rows-17")).equals(untouched)).toBe(true);
  await expect(kept(size)).rejects.toThrow(`row ${alpha[0]}: redacted later`);
  const next = town.seal();
  const before = readFileSync(path("rows-1"));
  expect((await kept(next)).equals(read(next))).toBe(true);
  expect(readFileSync(path("rows-1")).equals(before)).toBe(true);
});

test("an erasure that cannot write a file anew deletes it", async () => {
  const { alpha } = await firstNight();
  mkdirSync(path("rows-1.new"));
  town.writer.erase({ reason: "privacy_request", rows: alpha });
  town.writer.scrub();
  expect(names()).toEqual(["rows-17", "rows-9"]);
});

test("private observers of cached rows are not proved again, but by the check of rows", async () => {
  const { alpha, size } = await firstNight();
  rawLedger(town.writer)
    .prepare("UPDATE openings SET private = replace(private, 'SECRET-', 'CHANGED-') WHERE row = ?")
    .run(alpha[2]);
  const changed = new RegExp(`^row ${alpha[2]}: .*observer does not fit its digests`);
  expect(() => read(size)).toThrow(changed);
  await kept(size);
  using reader = town.ledger.reader();
  expect(() => reader.checkRows({ after: 0, rows: size, isLate: () => false })).toThrow(changed);
});

function flipped(bytes: Buffer): Buffer {
  const at = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  return bytes;
}
