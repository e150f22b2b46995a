/**
 * `npm run lockfile`, after packages were added or updated. It removes the Node versions that each package requires: npm compares them with the
 * Node that runs npm, but the scripts run on the Node that comes as a package, so the warnings would be false; the test checks them with the
 * right Node. And it looks up the hashes that npm left out: those of packages for other systems than the one that resolved them (npm issue 4828),
 * which npm then installs there without checking what the registry sends.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const AnyObject = z.looseObject({}); // keeps the order of its members
const Packages = z.record(z.string(), AnyObject);
const Integrity = z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/);

/** The hash of a published version, as the registry states it; undefined when the registry does not have it. */
export type LookUp = (name: string, version: string) => string | undefined;

/** A system as npm tells them apart. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
}

/** The systems for which package.json brings a Node along. */
export const SUPPORTED: readonly Platform[] = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "darwin", cpu: "x64" },
  { os: "darwin", cpu: "arm64" },
];

/**
 * Paths of the entries that npm would install unchecked on one of these systems: neither linked nor part of another package,
 * and without `integrity`.
 */
export function uncheckedEntries(lockfile: string, platforms: readonly Platform[] = SUPPORTED): string[] {
  return unchecked(lockfile)
    .filter(([, entry]) => platforms.some((platform) => installsOn(entry, platform)))
    .map(([path]) => path);
}

function unchecked(lockfile: string): [path: string, entry: Record<string, unknown>][] {
  const { packages } = AnyObject.extend({ packages: Packages }).parse(JSON.parse(lockfile));
  return Object.entries(packages)
    .filter(([path, entry]) => path !== "" && !entry["link"] && !entry["inBundle"])
    .filter(([, entry]) => !Integrity.safeParse(entry["integrity"]).success);
}

const Names = z.array(z.string()).optional();

/** As npm decides: no list means every system, and `!name` excludes one. A libc counts on Linux only. */
function installsOn(entry: Readonly<Record<string, unknown>>, { os, cpu, libc }: Platform): boolean {
  const admits = (list: unknown, name: string) => {
    const names = Names.parse(list) ?? [];
    const wanted = names.filter((each) => !each.startsWith("!"));
    return !names.includes(`!${name}`) && (wanted.length === 0 || wanted.includes(name));
  };
  return (
    admits(entry["os"], os) &&
    admits(entry["cpu"], cpu) &&
    (libc === undefined || admits(entry["libc"], libc))
  );
}

/**
 * The lockfile with the missing hashes that the registry has, for every system. Throws ZodError for an answer that is not a
 * SHA-512.
 */
export function withIntegrity(lockfile: string, lookUp: LookUp): string {
  const missing = new Set(unchecked(lockfile).map(([path]) => path));
  const lock = AnyObject.parse(JSON.parse(lockfile));
  const packages = Object.entries(Packages.parse(lock["packages"])).map(([path, entry]) => {
    if (!missing.has(path)) return [path, entry];
    const { version, integrity: _, ...rest } = entry;
    const integrity = lookUp(packageName(path, entry), z.string().parse(version));
    return [
      path,
      integrity === undefined ? entry : { version, integrity: Integrity.parse(integrity), ...rest },
    ];
  });
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

/** An alias names its package in `name`; otherwise the path ends with it. */
function packageName(path: string, entry: Readonly<Record<string, unknown>>): string {
  const { name } = entry;
  return typeof name === "string" ? name : path.slice(path.lastIndexOf("node_modules/") + 13);
}

const NpmError = z.object({ stdout: z.string() });

/** Asks the registry through npm. Throws the failure of npm, but for a version that the registry does not have. */
export const askRegistry: LookUp = (name, version) => {
  const args = ["view", `${name}@${version}`, "dist.integrity", "--json"];
  try {
    return z.string().parse(JSON.parse(execFileSync("npm", args, { encoding: "utf8", stdio: "pipe" })));
  } catch (error) {
    const { data } = NpmError.safeParse(error);
    if (data?.stdout.includes('"E404"')) return undefined;
    throw error;
  }
};

const OWN = ""; // the entry of this project, whose engines stay

/** A lockfile without the engines of its packages. Throws for a text that is not a lockfile. */
export function withoutEngines(lockfile: string): string {
  const lock = AnyObject.parse(JSON.parse(lockfile));
  const packages = Object.entries(Packages.parse(lock["packages"])).map(([path, entry]) => {
    const { engines: _, ...rest } = entry;
    return [path, path === OWN ? entry : rest];
  });
  return `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}

if (import.meta.main) {
  const path = join(import.meta.dirname, "..", "package-lock.json");
  writeFileSync(path, withIntegrity(withoutEngines(readFileSync(path, "utf8")), askRegistry));
}
