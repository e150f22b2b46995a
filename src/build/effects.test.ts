import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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

test("equal bytes are linked from the earlier release", () => {
  const earlier = releaseWith("a.json", "{}");
  const here = site("linked");
  const effects = new BuildEffects(here, earlier);
  effects.write("a.json", "{}");
  effects.write("b.json", "{}");
  expect([effects.linked, effects.written]).toEqual([1, 1]);
  expect(readdirSync(here).sort()).toEqual(["a.json", "b.json"]);
  expect(statSync(join(here, "a.json")).ino).toBe(statSync(join(earlier.site, "a.json")).ino);
});

test("a file that is gone from the earlier release is not kept, and can be written", () => {
  const here = site("here");
  const earlier = releaseWith("a.json", "{}");
  rmSync(join(earlier.site, "a.json"));
  const effects = new BuildEffects(here, earlier);
  expect(effects.keep("a.json")).toBe(false);
  expect([readdirSync(here), effects.hashes.size]).toEqual([[], 0]);
  effects.write("a.json", "{}");
  expect([effects.linked, effects.written]).toEqual([0, 1]);
  expect(() => effects.keep("a.json")).toThrow("two parts of the build wrote a.json");
});

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
    inputs: { tree_size: 0, last_sealed_row: 0 },
  };
}
