import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { filesBelow } from "../kernel/files/files-below.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";

/** The pages, compiled: a program that renders a release's pages, and the files that all of them share. */
export interface CompiledPages {
  readonly renderer: string; // module to import; see src/page-renderer.ts
  readonly shared: string; // folder of styles, scripts and icons, as they lie below `site/`
}

const SOURCES = ["astro.config.mjs", "package.json", "tsconfig.json", "src", "data", "docs", "public"];
const NO_SOURCE = /\.test\.ts$|^docs\/pictures\//;
const LOCKFILE = "package-lock.json"; // what compiles them is a package, too

/** Folders and files of compiled pages. */
const SHARED = "shared";
const RENDERER = "renderer";
const ENTRY = /^prerender-entry\..*\.mjs$/;
const COMPILED = /^[0-9a-f]{64}$/; // name of a folder
const HASHES = "hashes.json";
const Hashes = z.record(z.string(), z.string());
const PACKAGES = "node_modules";

/**
 * Compiles the pages, unless `kept` has what these very sources compile to; compiled pages of others do not stay there. `scratch`
 * is a folder on the same disk, made here, and gone at the end. Throws what Astro says when a page does not compile.
 */
export async function compiledPages(project: string, kept: string, scratch: string): Promise<CompiledPages> {
  const root = resolve(project);
  const sources = sourceFiles(root);
  const folder = resolve(kept, sourcesHash(root, sources));
  if (!isWhole(folder)) {
    await compile(root, sources, resolve(scratch));
    keep(scratch, folder);
  }
  const entry = readdirSync(join(folder, RENDERER)).find((name) => ENTRY.test(name));
  if (entry === undefined) throw new Error(`${folder}: Astro left no entry of the compiled pages`);
  return { renderer: join(folder, RENDERER, entry), shared: join(folder, SHARED) };
}

function keep(fresh: string, folder: string): void {
  // Another build may have been faster.
  if (isWhole(folder)) {
    rmSync(fresh, { recursive: true });
    return;
  }
  const kept = dirname(folder);
  mkdirSync(kept, { recursive: true });
  const old = readdirSync(kept).filter((name) => COMPILED.test(name));
  for (const name of old) rmSync(join(kept, name), { recursive: true });
  renameSync(fresh, folder);
}

/** Paths below the project. */
function sourceFiles(project: string): string[] {
  return SOURCES.map((name) => join(project, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
    .map((path) => relative(project, path))
    .filter((path) => !NO_SOURCE.test(path));
}

/** Of everything that compiled pages follow from, and of where their packages are. */
function sourcesHash(project: string, sources: readonly string[]): string {
  const hashes = [...sources, LOCKFILE]
    .filter((path) => existsSync(join(project, path)))
    .map((path) => [path, fileHash(join(project, path))]);
  return sha256Hex(canonicalJson([project, hashes]));
}

function fileHash(path: string): string {
  return sha256Hex(readFileSync(path));
}

/** A machine that lost its power may have a file by name only. */
function isWhole(folder: string): boolean {
  try {
    const hashes = Hashes.parse(JSON.parse(readFileSync(join(folder, HASHES), "utf8")));
    return Object.entries(hashes).every(([path, hash]) => fileHash(join(folder, path)) === hash);
  } catch {
    return false; // not there, or in pieces
  }
}

/**
 * Leaves the compiled pages in `scratch`. Astro and Vite write types and caches beside the sources, where whoever runs the service
 * need not be allowed to write: so they work on a copy.
 */
async function compile(project: string, sources: readonly string[], scratch: string): Promise<void> {
  const copy = join(scratch, "sources");
  for (const path of sources) cpSync(join(project, path), join(copy, path), { recursive: true });
  symlinkSync(join(project, PACKAGES), join(scratch, PACKAGES));
  symlinkSync(join(project, PACKAGES), join(copy, PACKAGES));
  await runAstro(copy);
  renameSync(join(copy, "dist"), join(scratch, SHARED));
  renameSync(join(copy, RENDERER), join(scratch, RENDERER));
  rmSync(copy, { recursive: true });
  const files = [SHARED, RENDERER].flatMap((name) => filesBelow(join(scratch, name)));
  const hashes = Object.fromEntries(files.map((file) => [relative(scratch, file), fileHash(file)]));
  writeFileSync(join(scratch, HASHES), canonicalJson(hashes));
}

const SAID_AT_MOST = 4000; // characters

function runAstro(root: string): Promise<void> {
  const astro = join(root, PACKAGES, "astro", "bin", "astro.mjs");
  const child = spawn(process.execPath, [astro, "build", "--root", root], {
    cwd: root,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      NODE_ENV: "production",
      ASTRO_TELEMETRY_DISABLED: "1",
      NO_COLOR: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const listen = (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-SAID_AT_MOST);
  };
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  return new Promise((done, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? done() : reject(new Error(`astro build ended with code ${code}:\n${said}`)),
    );
  });
}
