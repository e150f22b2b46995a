import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PUBLIC_ID_PREFIXES } from "../../src/intake/append.ts";
import { EXAMPLES_FOLDER, exampleFiles } from "./example-files.ts";

const files = await exampleFiles();
const examples = [...files].map(([file, text]) => ({ file, example: JSON.parse(text) }));

const OUT_OF_DATE = "fixtures/examples is out of date: run npm run examples, and look at what changed";

test("the committed examples are what the example world answers, byte for byte", () => {
  const kept = readdirSync(EXAMPLES_FOLDER, { recursive: true, encoding: "utf8" });
  expect(kept.filter((name) => name.endsWith(".json")).sort(), OUT_OF_DATE).toEqual([...files.keys()].sort());
  for (const [file, text] of files)
    expect(readFileSync(join(EXAMPLES_FOLDER, file), "utf8"), OUT_OF_DATE).toBe(text);
});

test("the example world is the same each time", async () => {
  expect(await exampleFiles()).toEqual(files);
});

test.each(examples)("$file says that it is an example, if it is an object", ({ example }) => {
  if (!Array.isArray(example)) expect(example).toMatchObject({ example_only: true });
});

/** Ledger rows, hashes and other names that no record, asset, brand or organization has. */
const OTHER_IDS = [
  "asset_id",
  "geoname_id",
  "first_observation_id",
  "last_observation_id",
  "eligible_cell_manifest_id",
  "release_id",
  "signing_key_id",
  "snapshot_id",
];

test.each(examples)("no id in $file can be one that the service issued", ({ example }) => {
  for (const [name, value] of members(example)) {
    if (!/(^|_)ids?$/.test(name) || OTHER_IDS.includes(name)) continue;
    if (name === "id")
      expect(typeof value === "number" || /^evt_[0-9a-f]{24}$/.test(String(value))).toBe(true);
    else if (value !== null) expect(value, name).toMatch(/^ex_/);
  }
});

test("ids of the examples have a prefix that intake never issues", () => {
  for (const prefix of Object.values(PUBLIC_ID_PREFIXES)) expect(prefix).not.toBe("ex");
});

/** Every member of every object within a value. */
function members(value: unknown): [string, unknown][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.entries(value);
  return [...own, ...Object.values(value).flatMap(members)];
}
