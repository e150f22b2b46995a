import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { releasePaths } from "../kernel/home.ts";
import { readOwnManifest } from "../proof/audit/release-manifest.ts";
import type { EarlierSite } from "./effects.ts";

/** The hashes of an earlier release's site, from its manifest; undefined without an earlier release. */
export function readEarlierSite(site: string | undefined): EarlierSite | undefined {
  if (site === undefined) return undefined;
  const { manifest } = releasePaths(dirname(site));
  if (!existsSync(manifest)) return undefined;
  const { files, inputs } = readOwnManifest(manifest);
  return { site, hashes: new Map(Object.entries(files)), inputs };
}
