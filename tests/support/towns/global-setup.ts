import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { compiledPages } from "../../../src/build/compiled-pages.ts";
import { PROJECT } from "../operations/presence-process.ts";
import { makeDemoHome } from "./demo-home.ts";
import { SHARED_CACHES } from "./shared-caches.ts";
import { makeTownHome } from "./town-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The home of the one demonstration that all system tests share; they only read it. */
    demoHome: string;
    /** The home of a small log with a past, only read as well: for what need not be as large as the demonstration. */
    townHome: string;
  }
}

/** Before anything is built, so that nobody compiles them twice. */
async function compilePages(): Promise<void> {
  const { COMPILED_PAGES } = SHARED_CACHES;
  await compiledPages(PROJECT, COMPILED_PAGES, `${COMPILED_PAGES}.fresh`);
}

/** Once for all system tests: the demonstration and the town, each with its release. */
export async function setup(project: TestProject): Promise<() => void> {
  await compilePages();
  const [demo, town] = await Promise.all([makeDemoHome(), makeTownHome()]);
  project.provide("demoHome", demo);
  project.provide("townHome", town.home.root);
  return () => {
    town[Symbol.dispose]();
    rmSync(dirname(demo), { recursive: true });
    for (const folder of Object.values(SHARED_CACHES)) rmSync(folder, { recursive: true, force: true });
  };
}
