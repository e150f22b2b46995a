import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { sha256, sha256Hex } from "../../src/kernel/hash.ts";
import { PUBLIC_COLUMNS } from "../../src/snapshot/schema.ts";
import { Operator } from "../support/operations/operator.ts";
import { currentName } from "../support/release/whole-release.ts";
import { benchCities } from "../support/towns/observations.ts";
import { DAYS, foundTown, ndjson, TOWN_SLUG } from "../support/towns/town.ts";

/** Values that occur nowhere by chance; each is private in every form. */
const PRIVATE = {
  phone: "+1 416 555 0173",
  phoneDigits: "4165550173",
  address: "4711 Unmistakable Crescent, Unit 9Q",
  observer: "scout-zephyrine-quillfeather",
  source_ref: "dashcam-9f1c-frame-0000731-xylograph",
  media_sha256: sha256Hex("a photograph of the sign"),
  asset_ref: "WRAP-PLATE-QZX-7731",
};

const [city] = benchCities(1);
const PLACES = [
  { lat: (city?.lat ?? 0) + 0.013579, lng: (city?.lng ?? 0) + 0.024681 },
  { lat: (city?.lat ?? 0) - 0.008642, lng: (city?.lng ?? 0) - 0.017935 },
];
/** Minutes and seconds that no cut time has. */
const TIMES = ["2026-04-28T13:47:23Z", "2026-04-29T09:37:41Z"];

/** One storefront and one vehicle, each seen at both places and times by an observer of its own. */
function observations() {
  return (["storefront", "vehicle_wrap"] as const).flatMap((asset_type) =>
    TIMES.map((observed_at, at) => ({
      source_type: "scout",
      source_ref: `${PRIVATE.source_ref}-${asset_type}-${at}`,
      observer: `${PRIVATE.observer}-${at}`,
      observed_at,
      ...PLACES[asset_type === "storefront" ? 0 : at],
      name: "Quokka Lantern Works",
      asset_type,
      phone: PRIVATE.phone,
      address: PRIVATE.address,
      media_sha256: PRIVATE.media_sha256,
      asset_ref: `${PRIVATE.asset_ref}-${asset_type}`,
    })),
  );
}

/** A value as it could leak: itself, as JSON or a URL writes it, encoded, or hashed without a key. */
function forms(value: string): Buffer[] {
  const texts = new Set([value, value.toLowerCase(), value.toUpperCase(), encodeURIComponent(value)]);
  return [...texts].flatMap((text) => {
    const bytes = Buffer.from(text);
    return [bytes, ...encoded(bytes), ...encoded(sha256(text)), sha256(text)];
  });
}

function encoded(bytes: Buffer): Buffer[] {
  const hex = bytes.toString("hex");
  const base64 = [bytes.toString("base64"), bytes.toString("base64url")];
  // A value inside a longer text keeps its inner base64 characters only when it starts on a border of three.
  return [hex, hex.toUpperCase(), ...base64.map((text) => text.replace(/=+$/, ""))].map((text) =>
    Buffer.from(text),
  );
}

/** A double as SQLite and JSON write it, and its bytes. */
function numberForms(value: number): Buffer[] {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  const reversed = Buffer.from(bytes).reverse();
  return [
    ...forms(value.toFixed(6)),
    ...forms(String(value)),
    Buffer.from(value.toFixed(5).slice(0, -1)),
    bytes,
    reversed,
  ];
}

function timeForms(time: string): Buffer[] {
  const instant = Date.parse(time);
  const texts = [
    time,
    new Date(instant).toISOString(),
    time.slice(0, 19),
    time.slice(11, 19),
    time.slice(11, 16),
  ];
  const sqlite = Buffer.alloc(8);
  sqlite.writeBigInt64BE(BigInt(instant));
  const numbers = [String(instant), String(instant / 1000)].flatMap(forms);
  return [...texts.flatMap(forms), ...numbers, sqlite.subarray(2)]; // as SQLite stores a six-byte integer
}

function needles(): Map<string, Buffer[]> {
  const found = new Map<string, Buffer[]>();
  for (const line of observations()) {
    for (const name of ["phone", "address", "observer", "source_ref", "media_sha256", "asset_ref"] as const)
      found.set(`${name} ${line[name]}`, forms(line[name]));
    found.set(`pair ${line.source_ref}`, forms(JSON.stringify([line.source_type, line.source_ref])));
    found.set(`pair ${line.observer}`, forms(JSON.stringify([line.source_type, line.observer])));
    for (const degrees of [line.lat ?? 0, line.lng ?? 0])
      found.set(`degrees ${degrees}`, numberForms(degrees));
    found.set(`time ${line.observed_at}`, timeForms(line.observed_at));
  }
  for (const [name, value] of Object.entries(PRIVATE)) found.set(name, forms(value));
  return found;
}

function leaks(files: readonly string[], folder: string): string[] {
  const sought = [...needles()];
  return files.flatMap((file) => {
    const bytes = readFileSync(file);
    return sought
      .filter(([, buffers]) => buffers.some((needle) => bytes.includes(needle)))
      .map(([name]) => `${relative(folder, file)} holds ${name}`);
  });
}

let operator: Operator;
let release: string;

beforeAll(async () => {
  operator = new Operator();
  await foundTown(operator);
  const file = operator.write("private.ndjson", ndjson(observations()));
  const args = ["ingest", file, "--synthetic", "--json", "--clock", DAYS.ingest];
  expect(JSON.parse(await operator.ok(args))).toMatchObject({ accepted: 4, rejected: 0 });
  await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
  await operator.ok(["build"]);
  release = join(operator.home.night, currentName(operator.home) ?? "");
});

afterAll(() => operator[Symbol.dispose]());

test("nothing private is in any file of a release, nor in a log, in any form", () => {
  const published = filesBelow(release);
  expect(published.length).toBeGreaterThan(50);
  expect(leaks(published, operator.folder)).toEqual([]);
  // A log tells the time of day at which it was written, whichever that is.
  const logged = leaks([operator.home.buildLog], operator.folder);
  expect(logged.filter((leak) => !leak.includes(" holds time "))).toEqual([]);
  // The record is there, so its rows were read; in the part of the map, too.
  const named = published.filter((file) => readFileSync(file).includes("Quokka Lantern Works"));
  const paths = named.map((file) => relative(join(release, "site", "api", "v1", "city", TOWN_SLUG), file));
  expect(paths).toContain("index.json");
  expect(paths.filter((path) => path.startsWith("cells"))).toHaveLength(1);
});

test.each([
  ["itself", PRIVATE.phone],
  ["a hash without a key", sha256(PRIVATE.observer).toString("base64url")],
  ["a hash in hex", sha256Hex(PRIVATE.source_ref)],
  ["base64", Buffer.from(PRIVATE.address).toString("base64")],
  ["a rounded place", String(PLACES[0]?.lat.toFixed(4))],
  ["a time of the day", "13:47"],
])("the search finds a private value that leaks as %s", (_form, leaked) => {
  const file = operator.write("leak.txt", `{"x":"${leaked}"}`);
  expect(leaks([file], operator.folder)).not.toEqual([]);
});

test("every column of a published snapshot is on the list of what is public", () => {
  const database = new Database(join(release, "snapshot.db"), { readonly: true });
  const columns = database
    .prepare<[], string>(
      "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    .pluck()
    .all();
  database.close();
  expect(columns.sort()).toEqual(PUBLIC_COLUMNS.toSorted());
  expect(readdirSync(release)).toEqual(["figures.ndjson", "figures.note", "site", "snapshot.db"]);
});
