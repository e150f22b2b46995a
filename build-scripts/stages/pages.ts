import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { BuildEffects } from "../effects.ts";

export interface PagesTask {
  readonly project: string; // folder of astro.config.mjs
  readonly snapshot: string;
  readonly scratch: string; // folder for astro's output; made here, and gone at the end
}

/** Prerender the pages with astro in a process of its own, then take its files over into the release. */
export async function buildPages(
  task: PagesTask,
  effects: BuildEffects,
  onProgress: (files: number) => void,
): Promise<void> {
  const scratch = resolve(task.scratch);
  const output = join(scratch, "site");
  mkdirSync(scratch, { recursive: true });
  // Astro keeps its chunks beside its output only below the working folder, else in one folder of the project, where two
  // builds would destroy each other's. From there they still have to find the packages.
  symlinkSync(resolve(task.project, "node_modules"), join(scratch, "node_modules"));
  await runAstro({ ...task, scratch }, output, onProgress);
  for (const file of filesBelow(output)) effects.adopt(relative(output, file), file);
  rmSync(scratch, { recursive: true });
}

function runAstro(task: PagesTask, output: string, onProgress: (files: number) => void): Promise<void> {
  const project = resolve(task.project);
  const astro = join(project, "node_modules", "astro", "bin", "astro.mjs");
  const child = spawn(process.execPath, [astro, "build", "--root", project, "--outDir", output], {
    cwd: task.scratch,
    env: {
      PATH: pathOf(process.execPath),
      NODE_ENV: "production",
      PRESENCE_SNAPSHOT: resolve(task.snapshot),
      ASTRO_TELEMETRY_DISABLED: "1",
      NO_COLOR: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
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
