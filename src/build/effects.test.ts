import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256Hex } from "../kernel/hash.ts";
import { BuildEffects, type EarlierSite } from "./effects.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "effects-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function site(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

/** Compresses so well that every twin is tiny. */
const PLAIN = "word ".repeat(1000);
/** Lines of one pattern, which brotli packs far better than gzip. */
const LINES = Array.from(
  { length: 4000 },
  (_, at) => `{"name":"record ${at}","place":"cell ${at * 7}"}\n`,
).join("");

test("a text has the twins that save a packet over what would be sent without them", () => {
  const here = site("a");
  const effects = new BuildEffects(here, undefined);
  effects.write("plain.json", PLAIN);
  effects.write("lines.json", LINES);
  effects.write("short.json", PLAIN.slice(0, 1399));
  effects.write("random.txt", randomBytes(2000).toString("base64"));
  effects.write("plain.bin", PLAIN);
  expect(readdirSync(here).sort()).toEqual([
    "lines.json",
    "lines.json.br",
    "lines.json.gz",
    "plain.bin",
    "plain.json",
    "plain.json.gz",
    "random.txt",
    "short.json",
  ]);
  expect(gunzipSync(readFileSync(join(here, "plain.json.gz"))).toString()).toBe(PLAIN);
  expect(brotliDecompressSync(readFileSync(join(here, "lines.json.br"))).toString()).toBe(LINES);
  const listed = ["lines.json.br", "lines.json.gz", "plain.json.gz"];
  expect([...effects.twins].sort()).toEqual(
    listed.map((twin) => [twin, sha256Hex(readFileSync(join(here, twin)))]),
  );
});

test("a file that wants no twins has none, also when it is linked from a release where it had some", () => {
  const earlier = releaseWith("plain.json", PLAIN);
  for (const [name, before] of [
    ["new", undefined],
    ["linked", earlier],
  ] as const) {
    const here = site(name);
    const effects = new BuildEffects(here, before);
    effects.write("plain.json", PLAIN, "none");
    expect(readdirSync(here)).toEqual(["plain.json"]);
    expect([...effects.twins]).toEqual([]);
  }
  const effects = new BuildEffects(site("kept"), earlier);
  expect(effects.keep("plain.json", "none")).toBe(true);
  expect([...effects.twins]).toEqual([]);
});

test("equal bytes are linked with the twins that the earlier release lists, one or none", () => {
  for (const [name, text] of [
    ["plain.json", PLAIN],
    ["lines.json", LINES],
    ["short.json", "{}"],
  ] as const) {
    const earlier = releaseWith(name, text);
    const here = site(`linked-${name}`);
    const effects = new BuildEffects(here, earlier);
    effects.write(name, text);
    expect([effects.linked, effects.written]).toEqual([1, 0]);
    expect(readdirSync(here)).toEqual(readdirSync(earlier.site));
    expect(effects.twins).toEqual(earlier.twins);
    for (const file of readdirSync(here))
      expect(statSync(join(here, file)).ino).toBe(statSync(join(earlier.site, file)).ino);
  }
});

test("a text of a release without a list of twins is written anew", () => {
  const effects = new BuildEffects(site("again"), { ...releaseWith("plain.json", PLAIN), twins: undefined });
  effects.write("plain.json", PLAIN);
  expect([effects.linked, effects.written]).toEqual([0, 1]);
  expect([...effects.twins.keys()]).toEqual(["plain.json.gz"]);
});

test.each<[string, (earlier: EarlierSite) => EarlierSite]>([
  ["of which it lists no twins", (earlier) => ({ ...earlier, twins: undefined })],
  ["that is gone", (earlier) => without(earlier, "lines.json")],
  ["with a twin that is gone", (earlier) => without(earlier, "lines.json.br")],
])("a file of the earlier release %s is not kept, and can be written", (_, spoil) => {
  const here = site("here");
  const earlier = releaseWith("lines.json", LINES);
  const { twins } = earlier;
  const effects = new BuildEffects(here, spoil(earlier));
  expect(effects.keep("lines.json")).toBe(false);
  expect([readdirSync(here), effects.hashes.size, effects.twins.size]).toEqual([[], 0, 0]);
  effects.write("lines.json", LINES);
  expect([effects.linked, effects.written, effects.twins]).toEqual([0, 1, twins]);
  expect(() => effects.keep("lines.json")).toThrow("two parts of the build wrote lines.json");
});

function without(earlier: EarlierSite, path: string): EarlierSite {
  rmSync(join(earlier.site, path));
  return earlier;
}

test("a path is written once", () => {
  const effects = new BuildEffects(site("a"), undefined);
  effects.write("a.json", "{}");
  expect(() => effects.write("a.json", "{}")).toThrow("two parts of the build wrote a.json");
});

function releaseWith(name: string, text: string): EarlierSite {
  const here = site(`earlier-${name}`);
  const effects = new BuildEffects(here, undefined);
  effects.write(name, text);
  return {
    site: here,
    hashes: effects.hashes,
    twins: effects.twins,
    inputs: { tree_size: 0, last_sealed_row: 0 },
  };
}
