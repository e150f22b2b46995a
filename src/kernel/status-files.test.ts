import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NightlyStatus, readNightlyStatus, writeNightlyStatus } from "./status-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightly-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const status: NightlyStatus = {
  state: "running",
  exit_code: null,
  pid: 1,
  started_at: "2026-05-02T00:00:00Z",
  finished_at: null,
  steps: [{ name: "seal", outcome: "running", seconds: null, facts: { rows: 1, root: null } }],
};

test("what is written is read, and nothing else is left in the folder", () => {
  const path = join(folder, "nightly.json");
  expect(readNightlyStatus(path)).toBeUndefined();
  writeNightlyStatus(path, status);
  writeNightlyStatus(path, { ...status, pid: 2 });
  expect(readNightlyStatus(path)).toEqual({ ...status, pid: 2 });
  expect(readdirSync(folder)).toEqual(["nightly.json"]);
});

test.each(["", "{", "[]", '{"state":"running"}'])("%j is no status", (text) => {
  const path = join(folder, "nightly.json");
  writeFileSync(path, text);
  expect(readNightlyStatus(path)).toBeUndefined();
});
