import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { release } from "../../../tests/support/release/figures.ts";
import { homePaths, releasePaths } from "../../kernel/home.ts";
import { figuresText } from "../figures/figures.ts";
import { writeFigures } from "../figures/signed-figures.ts";
import { knownReleases, releaseBefore } from "./known-releases.ts";
import { releaseChanges } from "./release-changes.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "known-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A kept release, as far as others are compared with it. */
function keep(name: string, asOf: string): void {
  const directory = join(homePaths(root).releases, name);
  const { site, manifest } = releasePaths(directory);
  mkdirSync(site, { recursive: true });
  writeFigures(directory, release([], { release_id: name, data_as_of: asOf }), "log.example", (text) => text);
  const inputs = { as_of: asOf, base_url: "https://example.org", last_sealed_row: 1, tree_size: 1 };
  writeFileSync(manifest, JSON.stringify({ release_id: name, inputs, files: { "index.html": "0" } }));
}

const DAYS = ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z"] as const;
const idBefore = (asOf: string, wanted?: string) =>
  releaseBefore(knownReleases(homePaths(root)), asOf, wanted)?.releaseId;

test("the release before is the newest of an earlier time, never one of the same or a later", () => {
  expect(idBefore(DAYS[2])).toBeUndefined();
  for (const [at, name] of ["b", "a", "c"].entries()) keep(name, DAYS[at] ?? "");
  keep(".building-7", DAYS[1]);
  mkdirSync(join(homePaths(root).releases, "empty"));
  expect(DAYS.map((day) => idBefore(day))).toEqual([undefined, "b", "a"]);
  expect(idBefore(DAYS[1], "c")).toBe("c");
  expect(idBefore(DAYS[2], "none")).toBeUndefined();
  expect(() => idBefore(DAYS[2], "z")).toThrow(/--against z: no release of that id.*a, b, c/);
});

test("after a restore the last release stands for those that are gone", () => {
  const now = release([], { release_id: "r", data_as_of: DAYS[0] });
  const figures = { text: figuresText(now), note: "signed" };
  const changes = releaseChanges(now, undefined);
  mkdirSync(homePaths(root).night, { recursive: true });
  writeFileSync(homePaths(root).lastRelease, JSON.stringify({ figures, changes }));
  expect(idBefore(DAYS[1])).toBe("r");
  const [restored] = knownReleases(homePaths(root));
  expect([restored?.figures(), restored?.changes()]).toEqual([figures, changes]);
});
