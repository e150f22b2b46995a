/**
 * `npm run lockfile`, after packages were added or updated: removes the Node versions that each package requires. npm compares them with the Node that
 * runs npm, but the scripts run on the Node that comes as a package, so the warnings would be false. quiet-lockfile.test.ts checks the requirements
 * with the right Node. It also looks up the hashes that npm left out (lockfile-integrity.ts).
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { askRegistry, withIntegrity } from "./lockfile-integrity.ts";

const AnyObject = z.looseObject({}); // keeps the order of its members
const Packages = z.record(z.string(), AnyObject);
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
