import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { releasePaths } from "../src/kernel/home.ts";
import type { EarlierSite } from "./effects.ts";

const Files = z.object({ files: z.record(z.string(), z.string()) });

/** The hashes of an earlier release's site, from its manifest; undefined when there is none to link from. */
export function readEarlierSite(site: string | undefined): EarlierSite | undefined {
  if (site === undefined) return undefined;
  const { manifest } = releasePaths(dirname(site));
  if (!existsSync(manifest)) return undefined;
  const { files } = Files.parse(JSON.parse(readFileSync(manifest, "utf8")));
  return { site, hashes: new Map(Object.entries(files)) };
}
