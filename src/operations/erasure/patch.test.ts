import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Operator } from "../../../tests/support/operations/operator.ts";
import { benchObservations } from "../../../tests/support/towns/observations.ts";
import { DAYS, ndjson } from "../../../tests/support/towns/town.ts";
import {
  CLOCK,
  current,
  type Done,
  erased,
  FIRST,
  json,
  type Manifest,
  manifestOf,
  type Needles,
  recordIn,
  SECOND,
  traces,
  twoTownsCopied,
} from "../../../tests/support/towns/two-towns.ts";
import { CityAreaResponse } from "../../contract/cities/city.ts";
import { CITY_TABLE_FILES, cityTablesFolder } from "../../contract/service/city-tables.ts";
import { releasePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { contextAt } from "../../resources/release-store.ts";
import { routes } from "../../site/routes/routes.ts";
import { changedContent } from "../../snapshot/mend/changed-content.ts";

/** Two towns: something is erased in the first. */

let operator: Operator;

beforeAll(async () => {
  operator = new Operator();
  await twoTownsCopied(operator);
});
afterAll(() => operator[Symbol.dispose]());

/** The records in the cells of a part of a map: how many there are, and the public ids of those that are named. */
function recordsOnMap(site: string, path: string) {
  const { cells } = CityAreaResponse.parse(JSON.parse(readFileSync(join(site, path), "utf8")));
  return {
    count: cells.reduce((sum, { records }) => sum + records, 0),
    sightings: cells.reduce((sum, { observations }) => sum + observations, 0),
    named: cells.flatMap(({ first_records }) => first_records.map(({ public_id }) => public_id)),
  };
}

/** The parts of the first town's map that name a record, by their paths. */
function partsNaming(site: string, publicId: string) {
  const folder = `api/v1/city/${FIRST}/cells`;
  const parts = readdirSync(join(site, folder)).map((name) => {
    const path = `${folder}/${name}`;
    return [path, recordsOnMap(site, path)] as const;
  });
  return new Map(parts.filter(([, { named }]) => named.includes(publicId)));
}

describe("an opt-out", () => {
  let nightly: Manifest;
  let before: Map<string, number>;
  let needles: Needles;
  let done: Done;
  let partsBefore: ReturnType<typeof partsNaming>;

  beforeAll(async () => {
    const directory = current(operator);
    nightly = manifestOf(directory);
    const { site } = releasePaths(directory);
    before = new Map(Object.keys(nightly.files).map((path) => [path, statSync(join(site, path)).ino]));
    needles = recordIn(operator, FIRST, 1);
    partsBefore = partsNaming(site, needles.publicId);
    expect(traces(directory, needles.texts).length).toBeGreaterThan(20);
    done = await erased(operator, ["opt-out", needles.publicId]);
  });

  test("is out of every file of the only release that is left, at once", () => {
    const directory = current(operator);
    expect(basename(directory)).toBe(done.release);
    expect(traces(directory, needles.texts)).toEqual([]);
    expect(readdirSync(operator.home.releases)).toEqual([done.release]);
  });

  test("is out of the tables of all cities, whose packed bytes no search of texts can read", async () => {
    const { site } = releasePaths(current(operator));
    const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };
    for (const file of [FIRST, SECOND].flatMap((city) =>
      CITY_TABLE_FILES.map((name) => cityTablesFolder(city) + name),
    )) {
      const bytes = Uint8Array.from(readFileSync(join(site, file)));
      const rows = file.endsWith(".gz")
        ? gunzipSync(bytes).toString().split("\r\n")
        : await parquetReadObjects({ file: bytes.buffer, compressors });
      const text = JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? Number(value) : value));
      for (const needle of needles.texts) expect(text, file).not.toContain(needle);
      if (!file.includes("events")) expect(rows.length).toBeGreaterThan(1);
    }
  });

  test("has a release of its own, which says what it mends and carries over", () => {
    const patch = manifestOf(current(operator));
    expect(patch.release_id).not.toBe(nightly.release_id);
    expect(patch.inputs.tree_size).toBeGreaterThan(nightly.inputs.tree_size);
    expect(patch.inputs.as_of).toBe(nightly.inputs.as_of);
    expect(patch.mends).toMatchObject({
      release_id: nightly.release_id,
      tree_size: nightly.inputs.tree_size,
      carried_over: { cities: [FIRST], values: ["scores", "ranks", "coverage"] },
    });
    expect(patch.files[`ledger/checkpoints/${patch.inputs.tree_size}`]).toBeDefined();
  });

  test("leaves the files of other records and cities as they are: the same files on disk", () => {
    const { site } = releasePaths(current(operator));
    const { files } = manifestOf(current(operator));
    const others = Object.keys(files).filter(
      (path) => /^(record|cite|api\/v1\/(entity|citation))\//.test(path) || path.includes(SECOND),
    );
    expect(others.length).toBeGreaterThan(50);
    const made = others.filter((path) => statSync(join(site, path)).ino !== before.get(path));
    expect(made).toEqual([]);
    expect(done.files_linked).toBeGreaterThan(done.files_made);
  });

  test("changes what lists the record, and the city says that its scores are from before", () => {
    const index = json(current(operator), `api/v1/city/${FIRST}/index.json`);
    expect(index).toMatchObject({
      carried_over: { values: ["scores", "ranks", "coverage"] },
      total_count: index.rankings.length,
    });
    const page = readFileSync(
      join(releasePaths(current(operator)).site, "city", FIRST, "index.html"),
      "utf8",
    );
    expect(page).toContain(index.carried_over.note);
    expect(json(current(operator), `api/v1/city/${SECOND}/index.json`)).not.toHaveProperty("carried_over");
  });

  test("every file is what the server would answer", () => {
    const context = contextAt(releasePaths(current(operator)).snapshot);
    const { site } = releasePaths(current(operator));
    const different = routes.flatMap((route) =>
      [...route.enumerate(context.snapshot)].flatMap((values) => {
        const path = route.filePath(values);
        return readFileSync(join(site, path), "utf8") === route.answer(context, values, {}) ? [] : [path];
      }),
    );
    context.close();
    expect(different).toEqual([]);
  });

  test("verifies and replays, and replay names what is carried over", async () => {
    expect(await operator.ok(["verify"])).toContain("no fault");
    const report = JSON.parse(await operator.ok(["replay", "--json"]));
    expect(report).toMatchObject({ differences: [], faults: [] });
    expect(report.carried_over).toMatchObject({ coverage: 1 });
    expect(report.carried_over.scores).toBeGreaterThan(2);
  });

  test("is out of the part of the map that had it, whose counts follow", () => {
    expect(partsBefore.size).toBeGreaterThan(0);
    const { site } = releasePaths(current(operator));
    for (const [path, records] of partsBefore) {
      const now = recordsOnMap(site, path);
      expect(now.named).not.toContain(needles.publicId);
      expect(now.count, path).toBe(
        records.count - records.named.filter((id) => id === needles.publicId).length,
      );
    }
  });

  test("gives caches a list of every address that is gone or changed", () => {
    const list = JSON.parse(readFileSync(done.purge.file, "utf8"));
    for (const path of partsBefore.keys()) expect(list.changed.join("\n")).toContain(`/${path}`);
    expect(statSync(done.purge.file).mode & 0o777).toBe(0o600);
    expect(list.removed.join("\n")).toContain(`/record/${needles.publicId}/`);
    expect(list.changed.join("\n")).toContain(`/pulse/${FIRST}/rss.xml`);
    expect(list.changed.join("\n")).not.toContain(`/pulse/${SECOND}/`);
    expect(done.purge).toMatchObject({ hook: "none", removed: list.removed.length });
  });
});

test("a redaction leaves its record with what is left, and its scores until the night", async () => {
  const { publicId } = recordIn(operator, FIRST, 0);
  const path = `api/v1/observations/${publicId}.json`;
  // The last row of a seal stays named by its leaf hash.
  const seals = JSON.stringify(json(current(operator), "api/v1/ledger-checkpoints.json"));
  const row = json(current(operator), path).observations.find(
    ({ ledger_hash, presence_kind }: { ledger_hash: string; presence_kind: string }) =>
      !seals.includes(ledger_hash) && presence_kind !== "mobile_presence",
  );
  const score = json(current(operator), `api/v1/presence-score/${publicId}.json`);
  const before = partsNaming(releasePaths(current(operator)).site, publicId);
  const done = await erased(operator, ["redact", String(row.id)]);
  const left = json(current(operator), path);
  expect(left.observations.map(({ id }: { id: number }) => id)).not.toContain(row.id);
  const { site } = releasePaths(current(operator));
  const lost = [...before].map(([part, { sightings }]) => sightings - recordsOnMap(site, part).sightings);
  expect(lost.filter((sightings) => sightings !== 0)).toEqual([1]); // in the part of the map that had its cell
  expect(traces(current(operator), [row.ledger_hash])).toEqual([]);
  // How many rows are set aside is a count of rows, which changes at once.
  const { set_aside_count: setAside, ...carried } = json(
    current(operator),
    `api/v1/presence-score/${publicId}.json`,
  );
  expect(setAside).toBe(score.set_aside_count - Number(row.set_aside !== null));
  const { set_aside_count, counting_observation_count } = score;
  expect({ ...carried, set_aside_count, counting_observation_count }).toEqual(score);
  expect(manifestOf(current(operator)).release_id).toBe(done.release);
  expect(JSON.parse(await operator.ok(["replay", "--json"]))).toMatchObject({ differences: [], faults: [] });
  expect(await operator.ok(["verify"])).toContain("no fault");
});

test("the night ends it: nothing is carried over, and lists for caches are deleted", async () => {
  await operator.ok(["build"]);
  const manifest = manifestOf(current(operator));
  expect(manifest.mends).toBeUndefined();
  expect(Object.keys(manifest.files).filter((path) => path.startsWith("carried-over/"))).toEqual([]);
  expect(json(current(operator), `api/v1/city/${FIRST}/index.json`)).not.toHaveProperty("carried_over");
  expect(existsSync(operator.home.purge)).toBe(false);
  using reader = openLedgerReader(operator.home.ledger);
  expect(manifest.inputs.tree_size).toBe(reader.latestCheckpoint()?.size);
});

test("a redaction of the only row with a name gives its record the next name at once, in every file, and verifies and replays", async () => {
  const [was, is] = ["MISREAD-GROCERS HALL", "Misread Grocers Hall"];
  const [line] = benchObservations({ seed: 1, observations: 1, records: 1, cities: 1, end: DAYS.end });
  const lines = [was, is].map((name, at) => {
    const own = {
      source: "bench-scout",
      source_type: "scout",
      source_ref: name,
      observer: `observer-0-${at}`,
    };
    return { ...line, ...own, name, asset_type: "storefront", lat: -44.97 };
  });
  for (const seen of lines) {
    await operator.ok([
      "ingest",
      operator.write(`${seen.name}.ndjson`, ndjson([seen])),
      "--synthetic",
      ...CLOCK,
    ]);
    await operator.ok(["seal", "--now", ...CLOCK]);
  }
  await operator.ok(["build"]);
  const named = (name: string) =>
    json(current(operator), `api/v1/city/${FIRST}/index.json`).rankings.find(
      (record: { name: string }) => record.name === name,
    );
  const { public_id: publicId } = named(was);
  const [row] = json(current(operator), `api/v1/observations/${publicId}.json`).observations.sort(
    (a: { id: number }, b: { id: number }) => a.id - b.id,
  );
  await erased(operator, ["redact", String(row.id)]);
  expect(named(is)).toMatchObject({ public_id: publicId });
  expect(json(current(operator), `api/v1/entity/${publicId}.json`)).toMatchObject({ entity: { name: is } });
  expect(traces(current(operator), [was])).toEqual([]);
  expect(JSON.parse(await operator.ok(["replay", "--json"]))).toMatchObject({ differences: [], faults: [] });
  expect(await operator.ok(["verify"])).toContain("no fault");
});

describe("splits and renames before an erasure", () => {
  const by = ["--as", "review-desk", "--reason", "different_businesses", "--json", ...CLOCK];
  const correct = async (...command: string[]): Promise<{ new_record?: string }> => {
    const args = ["review", ...command, ...by];
    const { confirm } = JSON.parse(await operator.ok(args));
    return JSON.parse(await operator.ok([...args, "--confirm", confirm]));
  };
  /** Every other observation gets a record of its own. */
  const splitInTwo = async (publicId: string, name: string) => {
    const { observations } = json(current(operator), `api/v1/observations/${publicId}.json`);
    const rows = observations
      .filter((_: unknown, at: number) => at % 2 === 0)
      .flatMap(({ id }: { id: number }) => ["--row", String(id)]);
    const { new_record = "" } = await correct("split", publicId, ...rows, "--name", name);
    return new_record;
  };
  const agree = async () => {
    const replayed = JSON.parse(await operator.ok(["replay", "--json"]));
    expect(replayed).toMatchObject({ differences: [], faults: [] });
    expect(await operator.ok(["verify"])).toContain("no fault");
  };
  let records: Needles[];

  beforeAll(() => {
    records = [0, 1, 2].map((at) => recordIn(operator, SECOND, at));
  });

  test("that a release shows: the names of before are gone with the record, and so is what was split off", async () => {
    const [split, renamed] = records;
    const parted = await splitInTwo(split?.publicId ?? "", "Parted Harbor House");
    await correct("rename", renamed?.publicId ?? "", "--name", "Bittern Harbor House");
    await operator.ok(["seal", "--now", ...CLOCK]);
    await operator.ok(["build"]);
    expect(traces(current(operator), ["Bittern Harbor House"]).length).toBeGreaterThan(2);
    const snapshotOf = () => releasePaths(current(operator)).snapshot;
    const before = operator.write("before.db", readFileSync(snapshotOf()));
    await erased(operator, ["opt-out", renamed?.publicId ?? ""]);
    expect(traces(current(operator), ["Bittern Harbor House", ...(renamed?.texts ?? [])])).toEqual([]);
    const { gone, goneNames } = changedContent(before, snapshotOf());
    const [publicId, name] = renamed?.texts ?? [];
    expect(gone).toEqual([publicId]);
    expect(goneNames.toSorted()).toEqual([name, "Bittern Harbor House"].toSorted());
    await agree();
    await erased(operator, ["opt-out", parted]);
    expect(traces(current(operator), [parted, "Parted Harbor House"])).toEqual([]);
    expect(traces(current(operator), [split?.publicId ?? ""]).length).toBeGreaterThan(2);
    await agree();
  });

  test("that no release shows yet: the patch shows nothing of them, and the record leaves with what was split off it", async () => {
    const [, , other] = records;
    const parted = await splitInTwo(other?.publicId ?? "", "Heron Harbor House");
    await correct("rename", other?.publicId ?? "", "--name", "Egret Harbor House");
    await erased(operator, ["opt-out", other?.publicId ?? ""]);
    expect(traces(current(operator), ["Egret Harbor House", ...(other?.texts ?? [])])).toEqual([]);
    await agree();
    await erased(operator, ["opt-out", parted]);
    await agree();
    await operator.ok(["seal", "--now", ...CLOCK]);
    await operator.ok(["build"]);
    expect(traces(current(operator), [parted, "Heron Harbor House"])).toEqual([]);
    await agree();
  });
});
