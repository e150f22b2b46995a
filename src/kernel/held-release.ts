import { existsSync, readdirSync } from "node:fs";

/** Beginning of the hidden name of a release that is built and held (see `src/build/stages/held.ts`). */
export const HELD_PREFIX = ".held-";

/** Whether a release is held in this folder of releases: all that a server knows of it. */
export function hasHeldRelease(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(HELD_PREFIX));
}
