import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releasePaths } from "../../kernel/home.ts";
import { stampNewFiles } from "./first-published.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stamp-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `files`: path -> hash; the last is in the manifest alone. */
function release(name: string, files: Record<string, string>): string {
  const { site, manifest } = releasePaths(join(folder, name));
  mkdirSync(join(site, "api"), { recursive: true });
  for (const path of Object.keys(files)) writeFileSync(join(site, path), "");
  const inputs = { tree_size: 1, last_sealed_row: 1, as_of: "2026-05-01T00:00:00Z", base_url: "" };
  writeFileSync(manifest, JSON.stringify({ files: { ...files, gone: "0" }, inputs, release_id: name }));
  return dirname(site);
}

const secondsOf = (directory: string, path: string) => statSync(join(directory, "site", path)).mtimeMs / 1000;

test.each([
  ["in the same second", 100_999, 101],
  ["later", 200_500, 200],
  ["after the clock was set back", 50_000, 101],
])("what changes %s is dated later, what stays keeps its date", (_, now, expected) => {
  const first = release("first", { "api/a.json": "1", "b.txt": "1" });
  stampNewFiles(first, undefined, () => 100_500);
  expect([secondsOf(first, "api/a.json"), secondsOf(first, "b.txt")]).toEqual([100, 100]);
  const next = release("next", { "api/a.json": "2", "b.txt": "1", "c.txt": "1" });
  const kept = secondsOf(next, "b.txt");
  stampNewFiles(next, first, () => now);
  const dates = ["api/a.json", "c.txt", "manifest.json"].map((path) => secondsOf(next, path));
  expect([dates, secondsOf(next, "b.txt")]).toEqual([[expected, expected, expected], kept]);
});
