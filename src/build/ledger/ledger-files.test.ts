import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { leafHash, nodeHash, rootOf, sha256, tilesOfTree } from "../../../tests/support/ledger/small-tree.ts";
import { filesOf, type TestRelease, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { isTrial, repetitions } from "../../../tests/support/trial.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { digestTexts, leafText } from "../../ledger/rows/digests.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { filesInFolder } from "../../proof/audit/site-files.ts";
import { parseDisclosure, parseLeaf, splitEntries } from "../../proof/tlog/leaf.ts";
import { parseTreeHead } from "../../proof/tlog/note.ts";
import { disclosuresPath, entriesPath } from "../../proof/tlog/proof.ts";
import { rowProof } from "../../proof/tlog/tile-tree.ts";

const DAY = 86_400_000;

interface Night {
  /** Rows appended, each time followed by a seal: of finished days only, or of the open rest too. */
  readonly seals: readonly { readonly rows: number; readonly now: boolean }[];
  readonly redact: readonly number[]; // each names a row, by its share of all of them
  readonly rotate: boolean;
}

const night: fc.Arbitrary<Night> = fc.record({
  seals: fc.array(
    fc.record({
      rows: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(253, 254, 255, 256, 257, 511, 520)),
      now: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  redact: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 2 }),
  rotate: fc.boolean(),
});

function append(ledger: TestLedger, writer: LedgerWriter, rows: number): void {
  ledger.appendAt(writer, new Date(ledger.time).toISOString(), rows);
}

/** Rows that may be erased. */
function eligible(ledger: TestLedger): number[] {
  using reader = ledger.reader();
  const size = reader.latestCheckpoint()?.size ?? 0;
  return Array.from(reader.verifiedRows(size)).flatMap(({ id, kind }) => (kind === "status" ? [id] : []));
}

/** Lives through a night; true when there is something to publish. */
function liveThrough(ledger: TestLedger, { seals, redact, rotate }: Night): boolean {
  {
    using writer = ledger.writer();
    for (const { rows, now } of seals) {
      ledger.time += DAY / 4;
      append(ledger, writer, rows);
      writer.seal({ now });
    }
    if (rotate) writer.rotateSigningKey();
  }
  const rows = eligible(ledger);
  const chosen = redact.map((share) => rows[Math.floor(share * (rows.length - 1))]);
  const gone = chosen.filter((row) => row !== undefined);
  using writer = ledger.writer();
  if (gone.length > 0) {
    writer.erase({ reason: "safety", rows: gone });
    writer.seal({ now: true });
  }
  using reader = ledger.reader();
  return reader.latestCheckpoint() !== undefined;
}

function ledgerWith(rows: number): TestLedger {
  const ledger = new TestLedger();
  addSealed(ledger, rows);
  return ledger;
}

/** Appends so many rows and a seal. */
function addSealed(ledger: TestLedger, rows: number): void {
  using writer = ledger.writer();
  append(ledger, writer, rows);
  writer.seal({ now: true });
}

/** Of many files at once: to compare them byte by byte takes the matcher seconds. */
function hashesOf(files: ReadonlyMap<string, Buffer>): Map<string, string> {
  return new Map(Array.from(files, ([path, bytes]) => [path, sha256Hex(bytes)]));
}

/** What a reader of the published files alone makes of them, from the definitions. */
function leavesOf(files: ReadonlyMap<string, Buffer>, size: number): Buffer[] {
  const bundles = Array.from({ length: Math.ceil(size / 256) }, (_, index) =>
    splitEntries(
      files.get(`ledger/${entriesPath(index, Math.min(256, size - 256 * index))}`) ?? Buffer.alloc(0),
    ),
  );
  return bundles.flat().map((entry) => Buffer.from(entry));
}

const Line = z.object({ i: z.int(), d: z.string() });

function disclosedRows(files: ReadonlyMap<string, Buffer>, size: number): Map<number, string> {
  const lines = Array.from({ length: Math.ceil(size / 256) }, (_, index) =>
    String(files.get(`ledger/${disclosuresPath(index)}`))
      .split("\n")
      .slice(0, -1),
  );
  const parsed = lines.flat().map((line) => Line.parse(JSON.parse(line)));
  return new Map(parsed.map(({ i, d }) => [i, d]));
}

/** Tiles and roots of every signed size straight from the definitions, and nothing else in the folder of tiles. */
function assertTree(files: ReadonlyMap<string, Buffer>, release: TestRelease): void {
  const entries = leavesOf(files, release.treeSize);
  const leaves = entries.map((entry) => leafHash(entry));
  expect(leaves).toHaveLength(release.treeSize);
  const due = new Set<string>();
  for (const [path, note] of files) {
    if (!path.startsWith("ledger/checkpoints/")) continue;
    const { size, root } = parseTreeHead(note.toString());
    expect(path).toBe(`ledger/checkpoints/${size}`);
    expect(Buffer.from(root)).toEqual(rootOf(leaves.slice(0, size)));
    for (const [tile, bytes] of tilesOfTree(leaves.slice(0, size))) {
      due.add(`ledger/${tile}`);
      expect(files.get(`ledger/${tile}`)?.equals(bytes), `${size}: ${tile}`).toBe(true);
    }
    for (let index = 0; index * 256 < size; index += 1)
      due.add(`ledger/${entriesPath(index, Math.min(256, size - 256 * index))}`);
  }
  expect([...files.keys()].filter((path) => path.startsWith("ledger/tile/")).sort()).toEqual([...due].sort());
  expect(files.get("ledger/checkpoint")).toEqual(files.get(`ledger/checkpoints/${release.treeSize}`));
}

/** A row's body is out exactly when a seal covers it or it says of itself what a gap is, and nothing erased it. */
function assertDisclosed(ledger: TestLedger, files: ReadonlyMap<string, Buffer>, release: TestRelease): void {
  const { treeSize, inputs } = release;
  const disclosed = disclosedRows(files, treeSize);
  using reader = ledger.reader();
  const due = Array.from(reader.verifiedRows(treeSize)).flatMap(({ id, kind, body }) =>
    body !== undefined && (id <= inputs.last_sealed_row || kind === "seal" || kind === "redaction")
      ? [id]
      : [],
  );
  expect([...disclosed.keys()]).toEqual(due);
  for (const [index, entry] of leavesOf(files, treeSize).entries()) {
    const { row, digests } = parseLeaf(entry.toString());
    expect(row).toBe(index + 1);
    const disclosure = disclosed.get(row);
    if (disclosure === undefined) continue;
    expect(parseDisclosure(disclosure).name).toBe("body");
    expect(digests).toContain(sha256Text(disclosure));
  }
}

function sha256Text(text: string): string {
  return sha256(Buffer.from(text)).toString("base64url");
}

/** Publishes what a night brought both ways, and holds it against the definitions and the release before. */
function publishBothWays(
  ledger: TestLedger,
  releases: TestReleases,
  before: TestRelease | undefined,
): TestRelease {
  const release = releases.publish(ledger, before === undefined ? {} : { earlier: before });
  const files = filesOf(release.site);
  expect(hashesOf(files)).toEqual(hashesOf(filesOf(releases.publish(ledger).site)));
  assertTree(files, release);
  assertDisclosed(ledger, files, release);
  const old = before === undefined ? [] : [...filesOf(before.site)];
  for (const [path, bytes] of old.filter(([path]) => /^ledger\/(tile|checkpoints)\//.test(path)))
    expect(files.get(path)?.equals(bytes), path).toBe(true);
  return release;
}

test("releases that continue one another, night by night, are those made from nothing", () => {
  let published = 0;
  fc.assert(
    fc.property(fc.array(night, { minLength: 1, maxLength: 4 }), (nights) => {
      using ledger = new TestLedger();
      using releases = new TestReleases();
      let before: TestRelease | undefined;
      for (const each of nights) {
        ledger.time += DAY;
        if (!liveThrough(ledger, each)) continue;
        before = publishBothWays(ledger, releases, before);
        published += 1;
      }
    }),
    { numRuns: repetitions(100, 5), seed: 7 },
  );
  expect(published).toBeGreaterThan(isTrial ? 150 : 5);
});

describe("a night", () => {
  test.each([255, 256, 257, 511, 512])("without new rows leaves a tree of %i rows as it is", (size) => {
    using ledger = ledgerWith(size - 1);
    using releases = new TestReleases();
    const earlier = releases.publish(ledger);
    expect(earlier.treeSize).toBe(size);
    const again = releases.publish(ledger, { earlier });
    expect(hashesOf(filesOf(again.site))).toEqual(hashesOf(filesOf(earlier.site)));
    expect(again.effects.written).toBe(0);
  });

  test("writes its right edge and links the rest", () => {
    using ledger = ledgerWith(3000);
    using releases = new TestReleases();
    const earlier = releases.publish(ledger);
    addSealed(ledger, 10);
    const { effects } = releases.publish(ledger, { earlier });
    // Leaves, bundle, disclosures, checkpoint twice; the level above and all that is whole stay.
    expect(effects.written).toBe(5);
    expect(effects.linked).toBeGreaterThan(30);
  });

  test("that redacts a row of an old bundle takes its disclosure away, and only that", () => {
    using ledger = ledgerWith(1000);
    using releases = new TestReleases();
    const earlier = releases.publish(ledger);
    {
      using writer = ledger.writer();
      writer.erase({ reason: "safety", rows: [300] });
      writer.seal({ now: true });
    }
    const before = filesOf(earlier.site);
    const after = filesOf(releases.publish(ledger, { earlier }).site);
    const [old, now] = [disclosedRows(before, 1001), disclosedRows(after, 1003)];
    expect([...old.keys()].filter((row) => !now.has(row))).toEqual([300]);
    expect(after.get("ledger/disclosures/000.ndjson")).toEqual(before.get("ledger/disclosures/000.ndjson"));
    expect(after.get("ledger/disclosures/001.ndjson")).not.toEqual(
      before.get("ledger/disclosures/001.ndjson"),
    );
  });

  test("that seals what was open discloses it then, and not before", () => {
    using ledger = new TestLedger();
    using releases = new TestReleases();
    {
      using writer = ledger.writer();
      ledger.appendAt(writer, "2026-05-01T12:00:00Z", 300);
      ledger.appendAt(writer, "2026-05-02T12:00:00Z", 300);
      writer.seal({ now: false });
    }
    const earlier = releases.publish(ledger);
    const open = disclosedRows(filesOf(earlier.site), 601);
    expect([earlier.treeSize, earlier.inputs.last_sealed_row]).toEqual([601, 300]);
    expect([open.size, open.has(300), open.has(301), open.has(601)]).toEqual([301, true, false, true]);
    {
      using writer = ledger.writer();
      writer.seal({ now: true });
    }
    const release = releases.publish(ledger, { earlier });
    expect(disclosedRows(filesOf(release.site), release.treeSize).size).toBe(602);
  });
});

test("proofs in earlier trees stay as they were, byte for byte", async () => {
  using ledger = ledgerWith(200);
  addSealed(ledger, 400);
  using releases = new TestReleases();
  const earlier = releases.publish(ledger);
  const more = isTrial ? 70_000 : 3000; // above 65,536 the tree has a third level of tiles
  addSealed(ledger, more);
  const later = releases.publish(ledger, { earlier });
  const proofIn =
    ({ site }: TestRelease) =>
    (row: number, size: number) =>
      rowProof({ row, size }, filesInFolder(join(site, "ledger")).read, nodeHash);
  for (const size of [201, 602])
    for (const row of [1, 100, 200, 201, 256, 257, 600].filter((row) => row <= size))
      expect(await proofIn(later)(row, size)).toBe(await proofIn(earlier)(row, size));
  const size = 603 + more;
  await expect(proofIn(later)(size, size)).resolves.toContain(`\nindex ${size - 1}\n`);
});

test("an earlier, smaller tree is published as it was then", () => {
  using ledger = ledgerWith(400);
  using releases = new TestReleases();
  const first = releases.publish(ledger);
  const bytes = filesOf(first.site);
  addSealed(ledger, 700);
  const second = releases.publish(ledger, { earlier: first });
  const rebuilt = filesOf(releases.publish(ledger, { earlier: second, treeSize: first.treeSize }).site);
  for (const path of ["ledger/checkpoint", "ledger/tile/1/000.p/1", "ledger/disclosures/001.ndjson"])
    expect(rebuilt.get(path), path).toEqual(bytes.get(path));
  expect(hashesOf(rebuilt)).toEqual(hashesOf(bytes));
});

describe("an earlier release with a damaged right edge is not continued", () => {
  const EDGE = "ledger/tile/1/000.p/3";
  const damages: [string, (file: string) => void][] = [
    ["another byte", (file) => damage(file, (bytes) => bytes.fill(bytes.readUInt8(5) ^ 1, 5, 6))],
    ["cut short", (file) => damage(file, (bytes) => bytes.subarray(0, -1))],
    ["empty", (file) => damage(file, () => Buffer.alloc(0))],
    ["too long", (file) => damage(file, (bytes) => Buffer.concat([bytes, bytes]))],
    ["missing", (file) => rmSync(file)],
  ];

  test.each(damages)("%s", (_, harm) => {
    using ledger = ledgerWith(900);
    using releases = new TestReleases();
    const earlier = releases.publish(ledger);
    harm(join(earlier.site, EDGE));
    addSealed(ledger, 5);
    const release = releases.publish(ledger, { earlier });
    const whole = filesOf(releases.publish(ledger).site);
    expect(hashesOf(filesOf(release.site))).toEqual(hashesOf(whole));
    expect(whole.get(EDGE)).toHaveLength(96);
  });
});

test("a release of another ledger is not continued", () => {
  using other = ledgerWith(900);
  using ledger = new TestLedger("2026-05-03T12:00:00Z");
  addSealed(ledger, 900);
  using releases = new TestReleases();
  const release = releases.publish(ledger, { earlier: releases.publish(other) });
  expect(hashesOf(filesOf(release.site))).toEqual(hashesOf(filesOf(releases.publish(ledger).site)));
});

test("a ledger whose rows no longer lead to a signed root is not published", () => {
  using ledger = ledgerWith(10);
  addSealed(ledger, 10);
  using releases = new TestReleases();
  const digests = Buffer.alloc(160, 1);
  const database = new Database(ledger.path);
  database.exec("DELETE FROM openings WHERE row = 5");
  database
    .prepare("UPDATE rows SET digests = ?, leaf_hash = ? WHERE id = 5")
    .run(digests, leafHash(Buffer.from(leafText(5, "status", digestTexts(digests)))));
  database.close();
  expect(() => releases.publish(ledger)).toThrow(/^checkpoint 11: the rows do not lead to its root: /);
});

function damage(file: string, change: (bytes: Buffer) => Buffer): void {
  const bytes = readFileSync(file);
  rmSync(file); // it may be linked
  writeFileSync(file, change(bytes));
}
