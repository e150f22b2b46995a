import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { contextAt } from "../../src/resources/release-store.ts";
import type { BenchLine } from "./line.ts";
import { boundLine } from "./table.ts";

const MAX_SECONDS = 60;
const cli = join(import.meta.dirname, "../../src/cli/cli.ts");
const run = promisify(execFile);

const Preview = z.object({ confirm: z.string() });
const Done = z.object({ release_seconds: z.number(), files_made: z.int(), files_linked: z.int() });

/** An opt-out in the release that lies in `home`: how long until the public no longer gets the record. */
export async function benchPatch(home: string, env: Readonly<Record<string, string>>): Promise<BenchLine> {
  const command = [cli, "opt-out", someRecord(home), "--reason", "owner_request", "--json"];
  const presence = async (...more: string[]): Promise<unknown> => {
    const { stdout } = await run(process.execPath, [...command, ...more], {
      env: { PRESENCE_HOME: home, ...env },
    });
    return JSON.parse(stdout);
  };
  const { confirm } = Preview.parse(await presence());
  const { release_seconds, files_made, files_linked } = Done.parse(await presence("--confirm", confirm));
  const files = `${files_made.toLocaleString("en-US")} files made, ${files_linked.toLocaleString("en-US")} linked`;
  return boundLine(`patch release after an opt-out, ${files}`, "s", release_seconds, MAX_SECONDS);
}

function someRecord(home: string): string {
  const context = contextAt(releasePaths(realpathSync(homePaths(home).current)).snapshot);
  const [publicId = ""] = [...context.snapshot.publicIds()].sort();
  context.close();
  return publicId;
}
