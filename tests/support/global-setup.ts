import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { makeDemoHome } from "./demo-home.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The home of the one demonstration that all system tests share; they only read it. */
    demoHome: string;
  }
}

/** Once for all system tests: the demonstration and its release. */
export async function setup(project: TestProject): Promise<() => void> {
  const home = await makeDemoHome();
  project.provide("demoHome", home);
  return () => rmSync(dirname(home), { recursive: true });
}
