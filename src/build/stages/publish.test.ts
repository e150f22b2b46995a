import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, homePaths } from "../../kernel/home.ts";
import { prepareStaging, pruneReleases } from "./publish.ts";

/** Its hidden name would be longer than a file system allows: nobody can remove it in this way, not even root. */
const STUBBORN = "s".repeat(252);

let home: Home;
beforeEach(() => {
  home = homePaths(mkdtempSync(join(tmpdir(), "prune-")));
  for (const [at, name] of ["a", "b", STUBBORN, "c", "now"].entries()) {
    mkdirSync(join(home.releases, name, "site"), { recursive: true });
    utimesSync(join(home.releases, name), at, at);
  }
  symlinkSync(join("releases", "now"), home.current);
});
afterEach(() => rmSync(home.root, { recursive: true }));

const left = () => readdirSync(home.releases).map((name) => (name === STUBBORN ? "STUBBORN" : name));

test("pruning goes on past a release that cannot be removed, and says why", () => {
  const { removed, refused } = pruneReleases(home, 2, 0);
  expect(removed).toBe(2);
  expect(refused).toEqual([expect.stringMatching(/^ENAMETOOLONG/)]);
  expect(left().toSorted()).toEqual(["STUBBORN", "c", "now"]);
  expect(pruneReleases(home, 3, 0)).toEqual({ removed: 0, refused: [] });
});

test("pruning removes what an earlier one left, and a build is not stopped by leftovers", () => {
  for (const name of [".gone-b2", ".building-1"])
    mkdirSync(join(home.releases, name, "site"), { recursive: true });
  expect(pruneReleases(home, 9, 0)).toEqual({ removed: 0, refused: [] });
  expect(left()).not.toContain(".gone-b2");
  const staging = prepareStaging(home);
  expect(left().filter((name) => name.startsWith("."))).toEqual([`.building-${process.pid}`]);
  expect(readdirSync(staging)).toEqual(["site"]);
});
