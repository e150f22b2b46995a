import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homePaths, releasePaths } from "../../kernel/home.ts";
import { knownReleases, releaseBefore } from "./known-releases.ts";
import { releaseChanges } from "./release-changes.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "known-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A kept release of one record, whose document names the day it is of. */
function keep(name: string, asOf: string, document: object): void {
  const { site, manifest } = releasePaths(join(homePaths(root).releases, name));
  mkdirSync(join(site, "api/v1/entity"), { recursive: true });
  writeFileSync(join(site, "api/v1/entity/ex_1.json"), JSON.stringify({ ...document, data_as_of: asOf }));
  const files = {
    "api/v1/entity/ex_1.json": "0",
    "api/v1/entity/ex_1/evidence.json": "0",
    "index.html": "0",
  };
  const inputs = { as_of: asOf, base_url: "https://example.org", last_sealed_row: 1, tree_size: 1 };
  writeFileSync(manifest, JSON.stringify({ release_id: name, inputs, files }));
}

const DAYS = ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", "2026-05-03T00:00:00Z"] as const;
const idBefore = (asOf: string, wanted?: string) =>
  releaseBefore(knownReleases(homePaths(root)), asOf, wanted)?.releaseId;

test("the release before is the newest of an earlier time, never one of the same or a later", () => {
  expect(idBefore(DAYS[2])).toBeUndefined();
  for (const [at, name] of ["b", "a", "c"].entries()) keep(name, DAYS[at] ?? "", {});
  keep(".building-7", DAYS[1], {});
  mkdirSync(join(homePaths(root).releases, "empty"));
  expect(DAYS.map((day) => idBefore(day))).toEqual([undefined, "b", "a"]);
  expect(idBefore(DAYS[1], "c")).toBe("c");
  expect(idBefore(DAYS[2], "none")).toBeUndefined();
  expect(() => idBefore(DAYS[2], "z")).toThrow(/--against z: no release of that id.*a, b, c/);
});

test("what a document says of its release does not make it another", () => {
  keep("a", DAYS[0], { entity: { name: "One" } });
  keep("b", DAYS[1], { entity: { name: "One" } });
  keep("c", DAYS[2], { entity: { name: "Two" } });
  const [a, b, c] = knownReleases(homePaths(root)).map((release) => release.index().records);
  expect(Object.keys(a ?? {})).toEqual(["ex_1"]);
  expect(b).toEqual(a);
  expect(c).not.toEqual(a);
});

test("after a restore the last release stands for those that are gone", () => {
  const index = { release_id: "r", data_as_of: DAYS[0], records: { ex_1: "1" } };
  const changes = releaseChanges(index, undefined, () => undefined);
  mkdirSync(homePaths(root).night, { recursive: true });
  writeFileSync(homePaths(root).lastRelease, JSON.stringify({ index, changes }));
  expect(idBefore(DAYS[1])).toBe("r");
  const [restored] = knownReleases(homePaths(root));
  expect([restored?.index(), restored?.changes()]).toEqual([index, changes]);
});
