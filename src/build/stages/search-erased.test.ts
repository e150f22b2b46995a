import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BuildEffects } from "../effects.ts";
import { checkErased, ErasedFound } from "./search-erased.ts";

let site: string;
let effects: BuildEffects;

beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), "search-erased-"));
  effects = new BuildEffects(site, undefined);
});
afterEach(() => rmSync(site, { recursive: true }));

const GONE = "demo_alpha";
const changed = {
  cities: [],
  records: [],
  gone: [GONE],
  goneRows: [],
  goneAssets: [],
  goneNames: ["Quokka Lantern House"],
  goneWebsites: [],
};
const check = () => checkErased(site, changed, effects, true);

test.each([
  ["a plain file", "a.json", `{"public_id":"${GONE}"}`],
  ["a packed table", "city/records.csv.gz", gzipSync(`public_id\r\n${GONE}\r\n`)],
  ["a packed table, by a name", "city/events.csv.gz", gzipSync("name\r\nQuokka Lantern House\r\n")],
  [
    "a packed table, across two pieces",
    "city/observations.csv.gz",
    gzipSync(`${"x".repeat(2 ** 20 - 4)}${GONE}\r\n`),
  ],
])("finds what was erased in %s", async (_, path, bytes) => {
  effects.write("other.json", "{}");
  effects.write("other.csv.gz", gzipSync("public_id\r\ndemo_bravo\r\n"));
  effects.write(path, bytes);
  await expect(check()).rejects.toThrow(ErasedFound);
  await expect(check()).rejects.toThrow(path);
});

test("finds nothing where nothing of it is left", async () => {
  effects.write("other.json", "{}");
  effects.write("other.csv.gz", gzipSync("x".repeat(3 * 2 ** 20)));
  await expect(check()).resolves.toBeUndefined();
});
