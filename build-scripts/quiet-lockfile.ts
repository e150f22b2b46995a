import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/**
 * `npm run lockfile`, after packages were added or updated.
 *
 * The lockfile repeats which Node each package asks for, and npm compares that with the Node that runs npm. That is the wrong one: the
 * scripts run on the Node that comes as a package, so a newcomer with an older one would first read a page of warnings about nothing.
 * npm does without these copies. What they are good for, quiet-lockfile.test.ts checks with the packages themselves and the right Node.
 */

const AnyObject = z.looseObject({}); // whose members stay in their order
const Packages = z.record(z.string(), AnyObject);
const OWN = ""; // the entry of this project, whose wish is the one that counts

/** A lockfile without the packages' wishes for engines. Throws when the text is no lockfile. */
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
  writeFileSync(path, withoutEngines(readFileSync(path, "utf8")));
}
