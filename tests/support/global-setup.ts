import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { makeDemoHome } from "./demo-home.ts";
import { makeTownHome } from "./town-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The home of the one demonstration that all system tests share; they only read it. */
    demoHome: string;
    /** The home of a small log with a past, only read as well: for what need not be as large as the demonstration. */
    townHome: string;
  }
}

/** Once for all system tests: the demonstration and the town, each with its release. */
export async function setup(project: TestProject): Promise<() => void> {
  const [demo, town] = await Promise.all([makeDemoHome(), makeTownHome()]);
  project.provide("demoHome", demo);
  project.provide("townHome", town.home.root);
  return () => {
    town[Symbol.dispose]();
    rmSync(dirname(demo), { recursive: true });
    rmSync(COMPILE_CACHE, { recursive: true, force: true });
  };
}
