import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { releasePaths } from "../kernel/home.ts";
import type { EarlierSite } from "./effects.ts";

const Manifest = z.object({
  // Entries are not validated, which would copy a hundred thousand of them in every thread: a malformed hash equals none.
  files: z.custom<Readonly<Record<string, string>>>((files) => typeof files === "object" && files !== null),
  inputs: z.object({ tree_size: z.int(), last_sealed_row: z.int() }),
});

/** The hashes of an earlier release's site, from its manifest; undefined without an earlier release. */
export function readEarlierSite(site: string | undefined): EarlierSite | undefined {
  if (site === undefined) return undefined;
  const { manifest } = releasePaths(dirname(site));
  if (!existsSync(manifest)) return undefined;
  const { files, inputs } = Manifest.parse(JSON.parse(readFileSync(manifest, "utf8")));
  return { site, hashes: new Map(Object.entries(files)), inputs };
}
