import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";
import { sha256Hex } from "../../../src/kernel/hash.ts";
import { releasePaths } from "../../../src/kernel/home.ts";
import { documentCheck } from "./documents.ts";

export interface Compared {
  readonly files: number;
  readonly documents: number; // checked against their schema
  readonly faults: readonly string[];
}

/** Reads two releases of the same inputs byte by byte, and each JSON file of the API against the release's own schema. */
export function compareReleases(one: string, other: string): Compared {
  const [first, second] = [releasePaths(one), releasePaths(other)];
  const check = documentCheck(readFileSync(join(first.site, "openapi.json"), "utf8"));
  const files = siteFiles(first.site);
  const faults = listFaults(files, siteFiles(second.site));
  let documents = 0;
  for (const file of files) {
    const bytes = readFileSync(join(first.site, file));
    if (!isSame(bytes, join(second.site, file))) faults.push(`${file}: two builds differ`);
    if (!file.startsWith("api/") || !file.endsWith(".json")) continue;
    documents += 1;
    const fault = check(file, bytes.toString("utf8"));
    if (fault !== undefined) faults.push(fault);
  }
  if (sha256Hex(readFileSync(first.snapshot)) !== sha256Hex(readFileSync(second.snapshot)))
    faults.push("snapshot.db: two builds differ");
  return { files: files.length, documents, faults };
}

function listFaults(files: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of [...files, ...others]) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts].filter(([, count]) => count !== 2).map(([file]) => `${file}: in one build only`);
}

function siteFiles(site: string): string[] {
  return filesBelow(site).map((path) => relative(site, path));
}

function isSame(bytes: Buffer, path: string): boolean {
  return existsSync(path) && bytes.equals(readFileSync(path));
}
