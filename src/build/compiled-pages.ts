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
import { basename, dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { hasErrorCode } from "../kernel/errors.ts";
import { filesBelow } from "../kernel/files/durable-file.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { canonicalJson } from "../kernel/text/json.ts";
import type { PageRoute } from "../site/page-addresses.ts";

/** The compiled pages (astro.config.mjs): a program that renders a release's pages, and the files that all pages share. */
export interface CompiledPages {
  readonly program: string; // module that PageProgram loads
  readonly routes: readonly PageRoute[];
  readonly shared: string; // folder of styles, scripts and icons, as they lie below `site/`
}

const SOURCES = ["astro.config.mjs", "package.json", "tsconfig.json", "src", "data", "docs", "public"];
const NO_SOURCE = /\.test\.ts$|^docs\/pictures\//;
const LOCKFILE = "package-lock.json"; // the compiler is a package, too

/** Folders and files of compiled pages. */
const SHARED = "client";
const PROGRAM = "server";
const ROUTES = "routes.json";
const Routes = z.array(z.object({ pattern: z.string(), type: z.string() }));
const COMPILED_PARTS = [SHARED, PROGRAM, ROUTES];
const COMPILED = /^[0-9a-f]{64}$/; // name of a folder
const HASHES = "hashes.json";
const Hashes = z.record(z.string(), z.string());
const PACKAGES = "node_modules";

/**
 * Compiles the pages, unless `kept` holds the result for the same sources; of other results, the newest stay. `scratch` is a folder on
 * the same disk, created here and removed at the end. Throws Astro's output when a page does not compile.
 */
export async function compiledPages(project: string, kept: string, scratch: string): Promise<CompiledPages> {
  const root = resolve(project);
  const sources = sourceFiles(root);
  const folder = resolve(kept, sourcesHash(root, sources));
  if (!isWhole(folder)) {
    await compile(root, sources, resolve(scratch));
    keep(scratch, folder);
  }
  return {
    program: join(folder, PROGRAM, "entry.mjs"),
    routes: Routes.parse(JSON.parse(readFileSync(join(folder, ROUTES), "utf8"))),
    shared: join(folder, SHARED),
  };
}

/** Server and builds may compile at the same time: the first one's folder stays, and is never there in part. */
function keep(fresh: string, folder: string): void {
  const kept = dirname(folder);
  mkdirSync(kept, { recursive: true });
  if (!isWhole(folder)) {
    rmSync(folder, { recursive: true, force: true });
    renameUnlessThere(fresh, folder);
  }
  rmSync(fresh, { recursive: true, force: true });
  const others = readdirSync(kept).filter((name) => COMPILED.test(name) && name !== basename(folder));
  const byAge = others.map((name) => join(kept, name)).sort((a, b) => changedAt(b) - changedAt(a));
  for (const old of byAge.slice(MAX_OTHERS)) rmSync(old, { recursive: true, force: true });
}

/** A server of the version before may still load pages from its own folder. */
const MAX_OTHERS = 1;

function changedAt(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function renameUnlessThere(fresh: string, folder: string): void {
  try {
    renameSync(fresh, folder);
  } catch (error) {
    if (!hasErrorCode(error, "ENOTEMPTY") && !hasErrorCode(error, "EEXIST")) throw error;
  }
}

/** Paths below the project. */
function sourceFiles(project: string): string[] {
  return SOURCES.map((name) => join(project, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
    .map((path) => relative(project, path))
    .filter((path) => !NO_SOURCE.test(path));
}

/** A hash of all inputs of compiled pages, and of the place of their packages. */
function sourcesHash(project: string, sources: readonly string[]): string {
  const hashes = [...sources, LOCKFILE]
    .filter((path) => existsSync(join(project, path)))
    .map((path) => [path, fileHash(join(project, path))]);
  return sha256Hex(canonicalJson([project, hashes]));
}

function fileHash(path: string): string {
  return sha256Hex(readFileSync(path));
}

/** Checks the content, because after a power cut a file may be empty. */
function isWhole(folder: string): boolean {
  try {
    const hashes = Hashes.parse(JSON.parse(readFileSync(join(folder, HASHES), "utf8")));
    return Object.entries(hashes).every(([path, hash]) => fileHash(join(folder, path)) === hash);
  } catch {
    return false; // missing or incomplete
  }
}

/** Compiles into `scratch`, from a copy of the sources: Astro and Vite write types and caches next to them, where the service's user may not write. */
async function compile(project: string, sources: readonly string[], scratch: string): Promise<void> {
  const copy = join(scratch, "sources");
  for (const path of sources) cpSync(join(project, path), join(copy, path), { recursive: true });
  symlinkSync(join(project, PACKAGES), join(scratch, PACKAGES));
  symlinkSync(join(project, PACKAGES), join(copy, PACKAGES));
  await runAstro(copy);
  for (const name of COMPILED_PARTS) renameSync(join(copy, "dist", name), join(scratch, name));
  rmSync(copy, { recursive: true });
  const files = [SHARED, PROGRAM].flatMap((name) => filesBelow(join(scratch, name)));
  files.push(join(scratch, ROUTES));
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
      HOME: root, // a user without an entry in /etc/passwd, as in containers, has none
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
    child.on("close", (code, signal) =>
      code === 0 ? done() : reject(new Error(`astro build ended with ${signal ?? `code ${code}`}:\n${said}`)),
    );
  });
}
