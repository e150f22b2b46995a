import { spawn } from "node:child_process";
import { cpSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import type { BuildEffects } from "../effects.ts";

export interface PagesTask {
  readonly project: string; // folder of astro.config.mjs
  readonly snapshot: string;
  readonly records: number; // in the snapshot
  readonly scratch: string; // folder for sources and output of Astro; made here, and gone at the end
}

const RECORDS_WORTH_A_PROCESS = 2000; // Astro takes seconds to start
const MOST_PROCESSES = 4; // of about 0.6 GB each
const RECORD_PAGES = "record/";
const PAGE_SOURCES = ["astro.config.mjs", "package.json", "tsconfig.json", "src", "data", "docs", "public"];

/**
 * Prerender the pages with astro in processes of its own, then take its files over into the release. Astro renders on one core, so the pages
 * of many records are divided; each process makes the other pages' shared files too, equal ones, and those of the first count.
 */
export async function buildPages(
  task: PagesTask,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const scratch = resolve(task.scratch);
  const parts = Array.from({ length: processes(task.records) }, (_, at) => join(scratch, String(at)));
  const pages = parts.map(() => 0);
  const stop = new AbortController();
  const renders = parts.map((folder, at) =>
    renderPart(
      { ...task, scratch: folder, part: `${at}/${parts.length}`, signal: stop.signal },
      (rendered) => {
        pages[at] = rendered;
        onProgress(pages.reduce((sum, each) => sum + each, 0));
      },
    ),
  );
  try {
    await Promise.all(renders);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(renders);
    throw error;
  }
  for (const [at, folder] of parts.entries()) adoptPart(join(folder, "site"), at === 0, effects);
  rmSync(scratch, { recursive: true });
}

function processes(records: number): number {
  const worth = Math.max(1, Math.floor(records / RECORDS_WORTH_A_PROCESS));
  return Math.min(worth, MOST_PROCESSES, availableParallelism());
}

interface PartTask extends PagesTask {
  readonly part: string; // such as `0/2`
  readonly signal: AbortSignal;
}

function renderPart(task: PartTask, onProgress: (files: number) => void): Promise<void> {
  copySources(resolve(task.project), task.scratch);
  return runAstro(task, onProgress);
}

/**
 * Astro and Vite write types, caches and chunks beside the sources: several at once would destroy each other's, and whoever runs the
 * service need not be allowed to write there. So each process gets sources of its own, and the packages by a link.
 */
function copySources(project: string, scratch: string): void {
  for (const name of PAGE_SOURCES)
    cpSync(join(project, name), join(scratch, name), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
  symlinkSync(join(project, "node_modules"), join(scratch, "node_modules"));
}

function adoptPart(site: string, isFirst: boolean, effects: BuildEffects): void {
  for (const file of filesBelow(site)) {
    const path = relative(site, file);
    if (isFirst || path.startsWith(RECORD_PAGES)) effects.adopt(path, file);
  }
}

function runAstro(task: PartTask, onProgress: (files: number) => void): Promise<void> {
  const astro = join(task.scratch, "node_modules", "astro", "bin", "astro.mjs");
  const child = spawn(
    process.execPath,
    [astro, "build", "--root", task.scratch, "--outDir", join(task.scratch, "site")],
    {
      cwd: task.scratch,
      env: {
        PATH: pathOf(process.execPath),
        NODE_ENV: "production",
        PRESENCE_SNAPSHOT: resolve(task.snapshot),
        PRESENCE_PAGES_PART: task.part,
        ASTRO_TELEMETRY_DISABLED: "1",
        NO_COLOR: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
      signal: task.signal,
    },
  );
  let pages = 0;
  let tail = "";
  const read = (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    pages += text.split("index.html").length - 1;
    onProgress(pages);
    tail = (tail + text).slice(-4000);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  return new Promise((done, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? done() : reject(new Error(`astro build ended with code ${code}:\n${tail}`)),
    );
  });
}

function pathOf(executable: string): string {
  return `${dirname(executable)}:/usr/local/bin:/usr/bin:/bin`;
}

/** Every file below a folder, in a fixed order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
