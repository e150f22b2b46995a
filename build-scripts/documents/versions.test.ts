/** The version stands in `src/contract/versions.ts`; package.json, its lockfile and CHANGELOG.md agree with it. */
import { expect, test } from "vitest";
import { z } from "zod";
import { PROGRAM_VERSION } from "../../src/contract/versions.ts";
import { projectText } from "./markdown.ts";

const PARTS = ["What you must do", "New and changed", "Going back"];
const Versioned = z.looseObject({ version: z.string() });

interface Entry {
  readonly version: string;
  readonly parts: readonly string[];
}

/** The entries of CHANGELOG.md, the newest first. */
function entries(): Entry[] {
  const [, ...sections] = projectText("CHANGELOG.md").split(/^## /m);
  return sections.map((text) => ({
    version: /^(\d+\.\d+\.\d+) \(/.exec(text)?.[1] ?? text.split("\n")[0] ?? "",
    parts: Array.from(text.matchAll(/^### (.+)$/gm), ([, part = ""]) => part),
  }));
}

test("package.json, the lockfile and the newest entry of the changelog have this version", () => {
  const inPackage = Versioned.parse(JSON.parse(projectText("package.json")));
  const Lockfile = Versioned.extend({ packages: z.looseObject({ "": Versioned }) });
  const lockfile = Lockfile.parse(JSON.parse(projectText("package-lock.json")));
  expect([inPackage.version, lockfile.version, lockfile.packages[""].version, entries()[0]?.version]).toEqual(
    Array(4).fill(PROGRAM_VERSION),
  );
});

test("every entry says what an operator must do, what is new, and until when one can go back", () => {
  for (const { version, parts } of entries()) expect(parts, version).toEqual(PARTS);
});

test("versions go up", () => {
  const versions = entries().map(({ version }) => version);
  expect(versions.toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }))).toEqual(
    versions,
  );
  expect(new Set(versions).size).toBe(versions.length);
});
