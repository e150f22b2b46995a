import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OBSERVATION_FIELDS } from "../../src/intake/lines/observation-input.ts";
import { parseVkey } from "../../src/ledger/keys/note.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { Operator } from "../support/operations/operator.ts";
import { currentName, releaseFaults } from "../support/release/whole-release.ts";
import { SmallDisk } from "../support/servers/small-disk.ts";
import { DAYS, foundTown, ndjson, observedTown, townObservations } from "../support/towns/town.ts";

/** Every refusal ends with exit code 1 and says what is wrong, where, and what to do; the texts are part of the product. */

const TOWN = { seed: 9, observations: 300, records: 6 };

let town: Operator;

beforeAll(async () => {
  town = new Operator();
  await observedTown(town, TOWN);
  await town.ok(["build"]);
});

afterAll(() => town[Symbol.dispose]());

/** The town with its release, free to be spoiled. */
function townCopy(parent?: string): Operator {
  const copy = new Operator({}, parent);
  cpSync(town.home.root, copy.home.root, { recursive: true, verbatimSymlinks: true });
  copy.write("observations.ndjson", ndjson(townObservations({ ...TOWN, seed: 10 })));
  return copy;
}

/** Which names are chosen before the first seal depends on the ledger's keys, and so does the size of its tree. */
function sized(operator: Operator, refusal = ""): string {
  const { size } = openLedgerReader(operator.home.ledger).latestCheckpoint() ?? { size: 0 };
  return refusal.replace(`newest has ${size}`, "newest has SIZE");
}

const INGEST = ["ingest", "observations.ndjson", "--synthetic", "--clock", "2026-05-02T00:00:00Z"];

describe("the ledger", () => {
  test("is missing", async () => {
    using operator = new Operator();
    operator.write("observations.ndjson", "");
    expect(await operator.refused(["build"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/ledger.db: there is no ledger: check PRESENCE_HOME, or create one with \`presence init\`"`,
    );
    expect(await operator.refused(["ingest", "observations.ndjson"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/ledger.db: there is no ledger: check PRESENCE_HOME, or create one with \`presence init\`"`,
    );
    expect(await operator.refused(["seal"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/ledger.db: there is no ledger: check PRESENCE_HOME, or create one with \`presence init\`"`,
    );
  });

  test("is there already", async () => {
    using operator = townCopy();
    const init = ["init", "--environment", "demo", "--origin", "test.example/presence"];
    expect(await operator.refused(init)).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/ledger.db: a ledger already exists, and is never overwritten"`,
    );
  });

  test("has a writer already", async () => {
    using operator = townCopy();
    const many = operator.write("many.ndjson", ndjson(townObservations({ ...TOWN, observations: 15_000 })));
    const first = operator.start([
      "ingest",
      many,
      "--synthetic",
      "--json",
      "--batch",
      "100",
      "--clock",
      DAYS.seal,
    ]);
    await new Promise((resolve) => first.child.stderr?.once("data", resolve));
    const text = await operator.refused(INGEST);
    expect(text.replace(String(first.child.pid), "PID")).toMatchInlineSnapshot(
      `"presence: another process (pid PID) is writing to FOLDER/var/night/ledger.db: wait until it ends, or stop it, and run again"`,
    );
    expect((await first.done).code).toBe(0);
    await operator.ok(INGEST);
  });

  test("was written by a clock that is ahead", async () => {
    using operator = townCopy();
    const early = ["--clock", "2026-04-30T00:00:00Z"];
    expect(
      await operator.refused(["ingest", "observations.ndjson", "--synthetic", ...early]),
    ).toMatchInlineSnapshot(
      `"presence: clock set back: it says 2026-04-30T00:00:00.000Z, but the last row of FOLDER/var/night/ledger.db was accepted at 2026-05-01T08:00:00.000Z: set the clock right and run again; if the last row is wrong, see \`presence clock\`"`,
    );
    expect(await operator.refused(["seal", "--now", ...early])).toMatchInlineSnapshot(
      `"presence: clock set back: it says 2026-04-30T00:00:00.000Z, but the last row of FOLDER/var/night/ledger.db was accepted at 2026-05-01T08:00:00.000Z: set the clock right and run again; if the last row is wrong, see \`presence clock\`"`,
    );
  });

  test("is of production, whose clock nobody sets", async () => {
    using operator = new Operator();
    await operator.ok(["init", "--origin", "test.example/log"]);
    operator.write("observations.ndjson", "");
    expect(await operator.refused(["seal", "--now", "--clock", "2026-01-01"])).toMatchInlineSnapshot(
      `"presence: --clock cannot be used with a production ledger: leave the option out"`,
    );
    expect(
      await operator.refused(["ingest", "observations.ndjson", "--clock", "2026-01-01"]),
    ).toMatchInlineSnapshot(
      `"presence: --clock cannot be used with a production ledger: leave the option out"`,
    );
  });

  test("never mixes demonstration data with real data", async () => {
    using operator = townCopy();
    expect(await operator.refused(["ingest", "observations.ndjson"])).toMatchInlineSnapshot(
      `"presence: this ledger holds demonstration data (--synthetic), and real observations never mix with it: use another ledger"`,
    );
  });

  test("is another file", async () => {
    using operator = new Operator();
    mkdirSync(operator.home.night, { recursive: true });
    operator.write(
      "var/night/ledger.db",
      "not a database at all, but long enough to have a header of one\n".repeat(20),
    );
    expect(await operator.refused(["seal"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/ledger.db: not a ledger file"`,
    );
  });
});

describe("the keys", () => {
  test("are missing", async () => {
    using operator = townCopy();
    rmSync(join(operator.home.keys, "demo.intake.json"));
    expect(await operator.refused(INGEST)).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.intake.json: the key file is missing: restore it from your backup"`,
    );
    rmSync(join(operator.home.keys, "demo.signing.json"));
    expect(await operator.refused(["seal", "--now"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.signing.json: the key file is missing: restore it from your backup"`,
    );
    rmSync(join(operator.home.keys, "demo.manifest.json"));
    expect(await operator.refused(["build"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.manifest.json: the key file is missing: restore it from your backup"`,
    );
  });

  test("are another ledger's", async () => {
    using operator = townCopy();
    using other = new Operator();
    await other.ok(["init", "--environment", "demo", "--origin", "test.example/presence"]);
    const put = (from: Operator, name: string) =>
      cpSync(join(from.home.keys, name), join(operator.home.keys, name));
    put(other, "demo.signing.json");
    expect(await operator.refused(INGEST)).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.signing.json: not the key that signs for test.example/presence now: restore the newest copy of key and ledger from your backup"`,
    );
    expect(await operator.refused(["seal", "--now"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.signing.json: not the key that signs for test.example/presence now: restore the newest copy of key and ledger from your backup"`,
    );
    put(town, "demo.signing.json");
    put(other, "demo.intake.json");
    expect(await operator.refused(INGEST)).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.intake.json: not the key that FOLDER/var/night/ledger.db was created with: restore the right one from your backup"`,
    );
  });

  test("may be read by others", async () => {
    using operator = townCopy();
    chmodSync(join(operator.home.keys, "demo.signing.json"), 0o640);
    expect(await operator.refused(["seal", "--now"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.signing.json: other users may read this key (mode 640): run chmod 600 FOLDER/var/night/keys/demo.signing.json"`,
    );
  });

  test("are damaged", async () => {
    using operator = townCopy();
    operator.write("var/night/keys/demo.manifest.json", "{}");
    expect(await operator.refused(["build"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.manifest.json: the key file is damaged: restore it from your backup"`,
    );
    operator.write("var/night/keys/demo.signing.json", "{}");
    expect(await operator.refused(["seal", "--now"])).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.signing.json: the key file is damaged: restore it from your backup"`,
    );
  });

  test("have signed more than the ledger holds", async () => {
    using operator = townCopy();
    using older = townCopy();
    await operator.ok(INGEST);
    await operator.ok(["seal", "--now", "--clock", "2026-05-02T01:00:00Z"]);
    cpSync(join(operator.home.keys, "demo.head"), join(older.home.keys, "demo.head"));
    const refused = lastLine(await older.refused(["build"]));
    expect(sized(older, refused?.replace(/a head of \d+ rows/, "a head of SIZE rows"))).toMatchInlineSnapshot(
      `"presence: FOLDER/var/night/keys/demo.head: a head of SIZE rows was signed, which this ledger does not hold (its newest has SIZE): it is an older or another copy; restore the ledger that belongs to this head"`,
    );
  });
});

describe("a ledger that was changed is not built, and the release before stays", () => {
  test.each([
    [
      "leaf hash",
      "UPDATE rows SET leaf_hash = zeroblob(32) WHERE id = 40",
      "row 40: its leaf hash does not fit its digests: the ledger was changed; restore it from your backup",
    ],
    [
      "time",
      "UPDATE rows SET accepted_at = 1 WHERE id = 40",
      "row 40: it was accepted before the row above it: the ledger was changed; restore it from your backup",
    ],
    [
      "missing row",
      "DELETE FROM rows WHERE id = 40",
      "row 40: it is missing: the ledger was changed; restore it from your backup",
    ],
    [
      "missing values",
      "DELETE FROM openings WHERE row = 40",
      "row 40: silent omission, its values are gone and no redaction names it: the ledger was changed; restore it from your backup",
    ],
    [
      "edited body",
      `UPDATE openings SET body = replace(body, ':"', ':"x') WHERE row = 40`, // a text in a row of any kind
      "row 40: its body or salt does not fit its digests: the ledger was changed; restore it from your backup",
    ],
  ])("%s", async (_name, sql, text) => {
    using operator = townCopy();
    const database = new Database(operator.home.ledger);
    expect(database.prepare(sql).run().changes).toBe(1);
    database.close();
    const before = currentName(operator.home);
    expect(lastLine(await operator.refused(["build"]))).toBe(`presence: ${text}`);
    expectUntouched(operator, before);
  });
});

/** Without the stages that were done before. */
function lastLine(text: string): string | undefined {
  return text.split("\n").at(-1);
}

function expectUntouched({ home }: Operator, before: string | undefined): void {
  using reader = openLedgerReader(town.home.ledger); // its own may be on a disk too full to be read
  expect(currentName(home)).toBe(before);
  expect(releaseFaults(join(home.night, before ?? ""), parseVkey(reader.meta.vkey))).toEqual([]);
  expect(readdirSync(home.releases).map((name) => `releases/${name}`)).toEqual([before]);
}

describe("build", () => {
  test("with nothing sealed", async () => {
    using operator = new Operator();
    await foundTown(operator);
    expect(await operator.refused(["build"])).toMatchInlineSnapshot(
      `"presence: no rows are sealed yet: run \`presence seal --now\` first"`,
    );
  });

  test("of a size or a time that is none", async () => {
    expect(sized(town, await town.refused(["build", "--tree-size", "7"]))).toMatchInlineSnapshot(
      `"presence: --tree-size 7: no checkpoint has that size; the newest has SIZE"`,
    );
    expect(sized(town, await town.refused(["build", "--tree-size", "many"]))).toMatchInlineSnapshot(
      `"presence: --tree-size many: no checkpoint has that size; the newest has SIZE"`,
    );
    expect(await town.refused(["build", "--as-of", "2026-02-30T00:00"])).toMatchInlineSnapshot(
      `"presence: --as-of must be a date (2026-01-31) or a time with zone (2026-01-31T12:00:00Z) (got 2026-02-30T00:00)"`,
    );
    expect(await town.refused(["build", "--as-of", "yesterday"])).toMatchInlineSnapshot(
      `"presence: --as-of must be a date (2026-01-31) or a time with zone (2026-01-31T12:00:00Z) (got yesterday)"`,
    );
    expect(await town.refused(["build", "--as-of", "2026-02-31"])).toMatchInlineSnapshot(
      `"presence: --as-of must be a date (2026-01-31) or a time with zone (2026-01-31T12:00:00Z) (got 2026-02-31)"`,
    );
    expect(await town.refused(["seal", "--clock", "2026-02-31T00:00:00Z"])).toMatchInlineSnapshot(
      `"presence: --clock must be a date (2026-01-31) or a time with zone (2026-01-31T12:00:00Z) (got 2026-02-31T00:00:00Z)"`,
    );
  });

  test("while another one runs", async () => {
    using operator = townCopy();
    const first = operator.start(["build"]);
    await new Promise((resolve) => first.child.stderr?.once("data", resolve));
    const text = await operator.refused(["build"]);
    expect(text.replace(String(first.child.pid), "PID")).toMatchInlineSnapshot(
      `"presence: another process (pid PID) is building a release in FOLDER/var/night: wait until it ends, or stop it, and run again"`,
    );
    expect((await first.done).code).toBe(0);
  });
});

describe("a full disk", () => {
  const cannotMount = "a small disk can only be mounted by root";

  const fill = (operator: Operator, { folder }: SmallDisk, kilobytesLeft: number) => {
    const { bavail, bsize } = statfsSync(folder);
    operator.write("filler", Buffer.alloc(bavail * bsize - kilobytesLeft * 1024));
  };

  test("during ingest: what was acknowledged is kept, and the rest comes with the next run", async ({
    skip,
  }) => {
    using disk = SmallDisk.mounted(32);
    if (disk === undefined) return skip(cannotMount);
    using operator = townCopy(disk.folder);
    fill(operator, disk, 1500);
    const file = town.write(
      "many.ndjson",
      ndjson(townObservations({ ...TOWN, seed: 12, observations: 8000 })),
    );
    const args = ["ingest", file, "--synthetic", "--json", "--batch", "250", "--clock", DAYS.seal];
    const said = (await operator.refused(args)).split("\n");
    const { committed } = JSON.parse(said.at(-2) ?? "");
    expect(
      said.at(-1)?.replace(town.folder, "FOLDER").replaceAll(String(committed.accepted), "N"),
    ).toMatchInlineSnapshot(
      `"presence: FOLDER/many.ndjson: FOLDER/var/night/ledger.db: the disk is full: nothing of this batch was kept, all batches before it are; free some space and run again (N lines were read up to there: N accepted, 0 known, 0 rejected)"`,
    );
    // Which write fails first depends on the sizes of the files.
    expect((await operator.refused(["seal", "--now", "--clock", DAYS.seal])).split("\n").at(-1)).toMatch(
      /^presence: .*disk is full.*free some space and run/,
    );
    disk.grow(64);
    const { accepted, already_known } = JSON.parse(await operator.ok(args));
    expect(already_known).toBe(committed.accepted);
    expect(accepted + already_known).toBe(8000);
  });

  test.for([0, 1000])("during build, with %i kB left", async (kilobytes, { skip }) => {
    using disk = SmallDisk.mounted(32);
    if (disk === undefined) return skip(cannotMount);
    using operator = townCopy(disk.folder);
    const before = currentName(operator.home);
    fill(operator, disk, kilobytes);
    const text = lastLine(await operator.refused(["build", "--as-of", "2026-05-01T09:00:00Z"]));
    expect(text?.replace(/\([^)]+\)/, "(…)")).toBe(
      "presence: a disk is full (…): acknowledged rows are kept, and the previous release stays published; free some space and run the command again",
    );
    expectUntouched(operator, before);
    rmSync(join(operator.folder, "filler"));
    await operator.ok(["build", "--as-of", "2026-05-01T09:00:00Z"]);
  });
});

const WITH_GAZETTEER = [
  "city",
  "add",
  "--clock",
  DAYS.seal,
  "--geoname",
  "1",
  "--radius-km",
  "5",
  "--gazetteer",
];

describe("input files", () => {
  test("that do not exist", async () => {
    expect(await town.refused(["ingest", "nowhere.ndjson", "--synthetic"])).toMatchInlineSnapshot(
      `"presence: nowhere.ndjson: file not found"`,
    );
    expect(await town.refused(["ingest", "x.csv", "--map", "nowhere.json"])).toMatchInlineSnapshot(
      `"presence: x.csv: file not found"`,
    );
    expect(await town.refused([...WITH_GAZETTEER, "nowhere.txt"])).toMatchInlineSnapshot(
      `"presence: nowhere.txt: file not found"`,
    );
    for (const name of ["plain.ndjson", "rows.ndjson"]) town.write(name, "");
    const rejects = (...args: string[]) => town.refused(["ingest", "plain.ndjson", "--synthetic", ...args]);
    expect(await rejects("--rejects", "nowhere/rejects.ndjson")).toMatchInlineSnapshot(
      `"presence: nowhere/rejects.ndjson: the rejects file cannot be written (ENOENT: no such file or directory, open 'nowhere/rejects.ndjson'): name another file with --rejects"`,
    );
    expect(await rejects("--rejects", "plain.ndjson")).toMatchInlineSnapshot(
      `"presence: --rejects plain.ndjson is the input: name another file"`,
    );
    expect(await rejects("rows.ndjson", "--rejects", "r.ndjson")).toMatchInlineSnapshot(
      `"presence: --rejects works with one input file only: without it, each input has its own rejects file"`,
    );
  });

  test("that are cut off: what came whole is kept", async () => {
    using operator = townCopy();
    const whole = gzipSync(ndjson(townObservations({ ...TOWN, seed: 10 })));
    operator.write("cut.ndjson.gz", whole.subarray(0, whole.length >> 1));
    const ingest = (file: string) => ["ingest", file, "--synthetic", "--clock", DAYS.seal, "--json"];
    const text = await operator.refused(ingest("cut.ndjson.gz"));
    expect(
      text
        .split("\n")
        .at(-1)
        ?.replaceAll(/\d+ (lines|accepted)/g, "N $1"),
    ).toMatchInlineSnapshot(
      `"presence: cut.ndjson.gz: the file is truncated or damaged (unexpected end of file): N lines were read up to there: N accepted, 0 known, 0 rejected; get a complete copy and run it again"`,
    );
    operator.write("whole.ndjson.gz", whole);
    const { accepted, already_known } = JSON.parse(await operator.ok(ingest("whole.ndjson.gz")));
    expect(already_known).toBe(Number(/(\d+) accepted/.exec(text)?.[1]));
    expect(accepted + already_known).toBe(TOWN.observations);
  });

  test("column maps", async () => {
    town.write("rows.csv", "id,when\n1,2026-04-01\n");
    const fields = OBSERVATION_FIELDS.map((field) => `"${field}"`).join("|");
    const refused = async (map: unknown) => {
      const file = town.write("map.json", typeof map === "string" ? map : JSON.stringify(map));
      const args = ["ingest", "rows.csv", "--map", file, "--synthetic", "--clock", DAYS.seal];
      return (await town.refused(args)).replace(fields, "FIELDS");
    };
    expect(await refused("{")).toMatchInlineSnapshot(
      `"presence: FOLDER/map.json: column map: the file is not JSON"`,
    );
    expect(await refused({ columns: { id: "reference" }, colour: "blue" })).toMatchInlineSnapshot(`
      "presence: FOLDER/map.json: column map:
      columns.id: Invalid option: expected one of FIELDS
      Unrecognized key: "colour""
    `);
    expect(await refused({ columns: { id: "source_ref", where: "lat" } })).toMatchInlineSnapshot(
      `"presence: rows.csv: column map: the file has no column "where" (for lat)"`,
    );
    expect(await refused({ columns: { id: "source_ref", when: "observed_at" } })).toMatchInlineSnapshot(
      `"presence: rows.csv: column map: nothing gives source_type, observer, lat, lng, name, asset_type: add a column, a template or a constant"`,
    );
    const constants = {
      source_type: "scout",
      observer: "o",
      lat: "1",
      lng: "1",
      name: "n",
      asset_type: "billboard",
    };
    const columns = { id: "source_ref", when: "observed_at" };
    expect(await refused({ columns, constants, date_formats: ["QQ"] })).toMatchInlineSnapshot(
      `"presence: FOLDER/map.json: column map: date format "QQ" has "QQ", which stands for nothing: use YYYY YY MMM MM M DD D ddd HH H hh h mm ss SSS A, [words] in brackets, or "iso", "unix" or "excel" by itself"`,
    );
  });

  test("cities and outlines", async () => {
    const add = (...args: string[]) => town.refused(["city", "add", "--clock", DAYS.seal, ...args]);
    expect(await add("--geoname", "42", "--radius-km", "5")).toMatchInlineSnapshot(
      `"presence: --geoname 42: the gazetteer has no such city. Find its id with \`presence gazetteer search NAME\`, or name a newer GeoNames dump with --gazetteer"`,
    );
    expect(await add("--geoname", "900000001", "--radius-km", "5")).toMatchInlineSnapshot(
      `"presence: Bench City 1 (GeoNames 900000001) is already registered, as "bench-city-1": \`presence city outline bench-city-1\` changes its outline, \`presence city cells bench-city-1\` its eligible cells"`,
    );
    expect(await add("--geoname", "900000001")).toMatchInlineSnapshot(
      `"presence: give either --boundary or --radius-km"`,
    );
    expect(await add("--geoname", "900000001", "--radius-km", "far")).toMatchInlineSnapshot(
      `"presence: --radius-km must be a number of kilometers, such as 12.5 (got far)"`,
    );
    const outline = (text: string) =>
      add("--geoname", "900000001", "--boundary", town.write("outline.geojson", text));
    expect(await outline("{")).toMatchInlineSnapshot(
      `"presence: FOLDER/outline.geojson: the file is not JSON"`,
    );
    expect(await outline('{"type":"Point","coordinates":[1,2]}')).toMatchInlineSnapshot(
      `"presence: FOLDER/outline.geojson: the outline has no area; the outline is a Point"`,
    );
    expect(await outline('{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}')).toMatchInlineSnapshot(
      `"presence: FOLDER/outline.geojson: not a GeoJSON outline: coordinates.0: Too small: expected array to have >=4 items"`,
    );
    expect(
      await outline('{"type":"Polygon","coordinates":[[[500,2],[501,4],[502,5],[500,2]]]}'),
    ).toMatchInlineSnapshot(
      `"presence: FOLDER/outline.geojson: polygon 1: position [500, 2]: longitude is -180 to 180 and latitude -90 to 90: export the outline in WGS 84 (EPSG:4326), in degrees"`,
    );
    expect(await outline('{"type":"FeatureCollection","features":[]}')).toMatchInlineSnapshot(
      `"presence: FOLDER/outline.geojson: the outline has no area"`,
    );
    expect(await add("--geoname", "900000001", "--boundary", "nowhere.geojson")).toMatchInlineSnapshot(
      `"presence: --boundary nowhere.geojson: file not found"`,
    );
    expect(await town.refused(["city", "pause", "atlantis", "--clock", DAYS.seal])).toMatchInlineSnapshot(
      `"presence: no city "atlantis"; registered are: bench-city-1"`,
    );
    town.write("empty.txt", "");
    expect(await town.refused([...WITH_GAZETTEER, "empty.txt"])).toMatchInlineSnapshot(
      `"presence: no city to write to FOLDER/var/night/gazetteer.ndjson: is the input a GeoNames dump such as cities15000.txt?"`,
    );
  });
});

describe("the command line", () => {
  test("says what it does not know, and where to look", async () => {
    expect(await town.refused(["biuld"])).toMatchInlineSnapshot(`
      "error: unknown command 'biuld'
      (Did you mean build?)
      (run with --help for usage)"
    `);
    expect(await town.refused(["build", "--asof", "2026-01-01"])).toMatchInlineSnapshot(`
      "error: unknown option '--asof'
      (Did you mean --as-of?)
      (run with --help for usage)"
    `);
    expect(await town.refused(["ingest"])).toMatchInlineSnapshot(`
      "error: missing required argument 'file'
      (run with --help for usage)"
    `);
    expect(await town.refused(["ingest", "x.ndjson", "--batch", "0"])).toMatchInlineSnapshot(
      `"presence: --batch must be a whole number from 1 to 100000 (got 0)"`,
    );
    expect(
      await town.refused(["init", "--origin", "x.example", "--environment", "test"]),
    ).toMatchInlineSnapshot(`
      "error: option '--environment <name>' argument 'test' is invalid. Allowed choices are production, demo.
      (run with --help for usage)"
    `);
  });

  test("lists every command, and shows the whole of the one that is asked for", async () => {
    const all = await town.ok(["--help", "--all"]);
    for (const command of ["init", "ingest", "opt-out", "nightly", "serve", "start", "demo"])
      expect(all).toMatch(new RegExp(`^  ${command} +[a-z]`, "m"));
    expect(await town.ok(["help", "seal"])).toBe(await town.ok(["seal", "--help"]));
    expect(await town.ok(["help", "seal"])).toContain("--now ");
    expect(await town.ok(["city", "add", "--help"])).toContain("--geoname <id>");
    expect(await town.ok(["redact", "--help"])).toContain("Usage: presence redact [options] [target]");
  });

  test("names the environment variable that is wrong", async () => {
    const refused = (env: Record<string, string>) => town.refused(["build"], { env });
    expect(await refused({ PORT: "abc" })).toMatchInlineSnapshot(
      `"presence: environment variable PORT must be a whole number from 0 to 65535 (got abc)"`,
    );
    expect(await refused({ BASE_URL: "ftp://example.org" })).toMatchInlineSnapshot(
      `"presence: environment variable BASE_URL must be an http:// or https:// address"`,
    );
    expect(await refused({ RELEASES_KEPT: "0" })).toMatchInlineSnapshot(
      `"presence: environment variable RELEASES_KEPT must be a whole number from 1 to 365 (got 0)"`,
    );
  });
});
