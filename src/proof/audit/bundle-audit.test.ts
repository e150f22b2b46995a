import { describe, expect, test } from "vitest";
import { OperatorError } from "../../kernel/errors.ts";
import { joinEntries } from "../tlog/leaf.ts";
import { bundleWidth, disclosuresPath, entriesPath } from "../tlog/proof.ts";
import { type BundleFiles, type BundlePlace, disclosuresOf, entriesOf, readBundles } from "./bundle-audit.ts";
import { Findings } from "./findings.ts";

type Files = Map<string, Buffer>;

/** Leaves `leaf 1`, `leaf 2` …, each disclosed as `d<row>`. */
function published(size: number): Files {
  const files: Files = new Map();
  for (let first = 0; first < size; first += 256) {
    const rows = Array.from({ length: Math.min(256, size - first) }, (_, at) => first + at + 1);
    const entries = rows.map((row) => Buffer.from(`leaf ${row}`));
    files.set(`ledger/${entriesPath(first / 256, rows.length)}`, Buffer.from(joinEntries(entries)));
    files.set(
      `ledger/${disclosuresPath(first / 256)}`,
      lines(rows.map((row) => `{"i":${row},"d":"d${row}"}`)),
    );
  }
  return files;
}

const lines = (texts: readonly string[]) => Buffer.from(texts.map((text) => `${text}\n`).join(""));

function placesOf(size: number): BundlePlace[] {
  return Array.from({ length: Math.ceil(size / 256) }, (_, index) => ({
    index,
    width: bundleWidth(index, size),
  }));
}

async function collected<Item>(bundles: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const bundle of bundles) all.push(bundle);
  return all;
}

function parsed(place: BundlePlace, files: BundleFiles, findings: Findings) {
  const entries = entriesOf(place, files, findings).map((entry) => Buffer.from(entry));
  return { index: place.index, entries, disclosures: disclosuresOf(place, files, findings) };
}

async function read(files: Files, size: number) {
  const findings = new Findings();
  const bundles = await collected(
    readBundles({ read: (path) => Promise.resolve(files.get(path)) }, placesOf(size)),
  );
  return {
    bundles: bundles.map(([place, read]) => parsed(place, read, findings)),
    faults: findings.faults,
  };
}

test.each([0, 1, 255, 256, 257, 6000])("the bundles of %i rows come whole and in order", async (size) => {
  const { bundles, faults } = await read(published(size), size);
  expect(faults).toEqual([]);
  expect(bundles.map(({ index }) => index)).toEqual(bundles.map((_, at) => at));
  const leaves = bundles.flatMap(({ entries }) => entries.map(String));
  expect(leaves).toEqual(Array.from({ length: size }, (_, at) => `leaf ${at + 1}`));
  const disclosed = bundles.flatMap(({ disclosures }) => [...disclosures]);
  expect(disclosed).toEqual(Array.from({ length: size }, (_, at) => [at + 1, `d${at + 1}`]));
});

const FIRST = "ledger/disclosures/000.ndjson";

describe("disclosures", () => {
  test.each([
    ["of a row of another bundle", `{"i":257,"d":"x"}`],
    ["of row 0", `{"i":0,"d":"x"}`],
    ["of a row written otherwise", `{"i":02,"d":"x"}`],
    ["with more in the line", `{"i":2,"d":"x","e":1}`],
    ["that are no base64url", `{"i":2,"d":"x="}`],
    ["that are none", ""],
    ["in another order", `{"d":"x","i":2}`],
  ])("%s are at fault, and the others count", async (_, line) => {
    const files = published(300).set(FIRST, lines([`{"i":1,"d":"d1"}`, line, `{"i":3,"d":"d3"}`]));
    const { bundles, faults } = await read(files, 300);
    expect(faults).toEqual([
      { subject: FIRST, problem: `not a disclosure of its own rows: ${JSON.stringify(line)}` },
    ]);
    expect([...(bundles[0]?.disclosures.keys() ?? [])]).toEqual([1, 3]);
  });

  test("that come twice, or without the end of their line, are at fault", async () => {
    const twice = published(3).set(FIRST, lines([`{"i":1,"d":"a"}`, `{"i":1,"d":"b"}`]));
    expect((await read(twice, 3)).faults).toHaveLength(1);
    const cut = published(3).set(FIRST, Buffer.from(`{"i":1,"d":"a"}\n{"i":2,"d":"b"}`));
    expect((await read(cut, 3)).faults).toEqual([{ subject: FIRST, problem: "its last line is cut short" }]);
  });

  test("may be none, and their file may not be missing", async () => {
    const none = published(3).set(FIRST, Buffer.alloc(0));
    expect((await read(none, 3)).faults).toEqual([]);
    none.delete(FIRST);
    expect((await read(none, 3)).faults).toEqual([{ subject: FIRST, problem: "the file is missing" }]);
  });
});

describe("leaves", () => {
  const path = "ledger/tile/entries/000.p/3";
  const whole = published(3).get(path) ?? Buffer.alloc(0);
  test.each([
    ["missing", undefined, "the file is missing"],
    ["cut short", whole.subarray(0, -1), "the entry bundle is cut short"],
    ["too few", whole.subarray(0, 16), "holds 2 leaves, not 3"],
    ["too many", Buffer.concat([whole, whole]), "holds 6 leaves, not 3"],
    ["none", Buffer.alloc(0), "holds 0 leaves, not 3"],
  ])("%s", async (_, bytes, problem) => {
    const files = published(3);
    if (bytes === undefined) files.delete(path);
    else files.set(path, bytes);
    const { bundles, faults } = await read(files, 3);
    expect(faults).toEqual([{ subject: path, problem }]);
    expect(bundles[0]?.entries.length).toBeLessThanOrEqual(3);
  });
});

test("a site that is lost ends the reading, with nothing left behind", async () => {
  const files = {
    read: (path: string) =>
      path.includes("/00") ? Promise.resolve(Buffer.alloc(0)) : Promise.reject(new OperatorError("lost")),
  };
  const rest = readBundles(files, placesOf(20_000));
  await expect(collected(rest)).rejects.toThrow("lost");
});
