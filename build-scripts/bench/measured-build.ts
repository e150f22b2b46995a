import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { RecordDocuments } from "../../src/kernel/record-documents.ts";
import { type Peaks, watchTree } from "./process-tree.ts";

/** What `presence build --json` says. */
const Built = z.object({
  directory: z.string(),
  rows: z.int(),
  observations: z.int(),
  records: z.int(),
  cities: z.int(),
  seconds: z.number(),
});

export type MeasuredBuild = z.infer<typeof Built> & { readonly peaks: Peaks };

interface BuildSettings {
  readonly home: string;
  readonly baseUrl: string;
  readonly sourceRevision: string;
  readonly documents?: RecordDocuments;
  readonly asOf?: string;
  /** Where the build's progress goes. */
  readonly progress?: "inherit" | "ignore";
}

/** Builds a release in separate processes, so that their memory can be measured. Throws when it fails. */
export async function measuredBuild(settings: BuildSettings): Promise<MeasuredBuild> {
  const { home, baseUrl, sourceRevision, documents = "files", asOf, progress = "inherit" } = settings;
  const cli = join(import.meta.dirname, "../../src/cli/cli.ts");
  const options = asOf === undefined ? [] : ["--as-of", asOf];
  const child = spawn(process.execPath, [cli, "build", "--json", ...options], {
    env: {
      PRESENCE_HOME: home,
      BASE_URL: baseUrl,
      SOURCE_REVISION: sourceRevision,
      RECORD_DOCUMENTS: documents,
    },
    stdio: ["ignore", "pipe", progress],
  });
  const tree = watchTree(child.pid ?? 0);
  const ended = once(child, "exit");
  const output = await text(child.stdout);
  await ended;
  const peaks = tree.stop();
  if (child.exitCode !== 0) throw new Error(`presence build in ${home} ended with code ${child.exitCode}`);
  return { ...Built.parse(JSON.parse(output)), peaks };
}
