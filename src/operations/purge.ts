/** What caches in front of the service must drop after a patch release, and the operator's hook that tells them. */

import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { type PurgeList, purgeList } from "../build/mend/touched.ts";
import { currentRelease } from "../build/stages/publish.ts";
import { replaceFile } from "../kernel/files/durable-file.ts";
import { releasePaths } from "../kernel/home.ts";
import { fetchFailure } from "../kernel/public-fetch.ts";
import { readOwnManifest } from "../proof/audit/release-manifest.ts";
import { recordDocumentsOf } from "../resources/release-store.ts";
import { type CommandContext, homeOf } from "./context.ts";

const StoredList = z.object({
  release_id: z.string(),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  prefixes: z.array(z.string()),
});

/** Beginnings of addresses with arguments: their answers are not files, so no list has them all. */
const PREFIXES = ["/api/v1/", "/search/?", "/explorer/?", "/city/", "/cite/", "/ledger/proof/"];

/** The same for the documents of records that are made on demand and do not begin with one of those. */
const RECORD_PREFIXES = ["/record/"];

/** Writes the list of a patch release in `staging`, before it is published, so that a kill afterwards does not lose it. */
export function writePurgeList(context: CommandContext, mended: string, staging: string): void {
  const { purge } = homeOf(context);
  const { manifest } = releasePaths(staging);
  const { release_id, inputs } = readOwnManifest(manifest);
  const list: PurgeList = purgeList(releasePaths(mended).manifest, manifest);
  const areFiles = recordDocumentsOf(releasePaths(staging).site) === "files";
  const prefixes = [...PREFIXES, ...(areFiles ? [] : RECORD_PREFIXES)].map((path) => inputs.base_url + path);
  mkdirSync(purge, { recursive: true, mode: 0o700 });
  chmodSync(purge, 0o700);
  replaceFile(
    join(purge, `${release_id}.json`),
    `${JSON.stringify({ release_id, ...list, prefixes })}\n`,
    0o600,
  );
}

export interface PurgeReport {
  readonly file: string; // JSON: release_id, removed, changed, prefixes
  readonly removed: number; // addresses
  readonly changed: number;
  readonly hook: "none" | "done" | "failed";
  readonly failure: string | null;
}

/**
 * Reports the purge list of the current release and calls the configured hook with it. The same list may be handed over twice. Returns
 * undefined when the current release is no patch. Throws nothing for a hook that fails.
 */
export async function purgeCaches(context: CommandContext): Promise<PurgeReport | undefined> {
  const home = homeOf(context);
  const directory = currentRelease(home);
  if (directory === undefined) return undefined;
  // A rebuilt release has a number behind its id.
  const [releaseId = ""] = basename(directory).split(".");
  const file = join(home.purge, `${releaseId}.json`);
  if (!existsSync(file)) return undefined;
  const list = StoredList.parse(JSON.parse(readFileSync(file, "utf8")));
  const counts = { file, removed: list.removed.length, changed: list.changed.length };
  const { purgeHook } = context.config;
  if (purgeHook === undefined) return { ...counts, hook: "none", failure: null };
  try {
    await callHook(purgeHook, file);
    return { ...counts, hook: "done", failure: null };
  } catch (error) {
    const failure = hookFailure(error);
    context.stderr.write(`purge      the hook failed: ${failure}. Hand ${file} to your caches yourself.\n`);
    return { ...counts, hook: "failed", failure };
  }
}

const HOOK_MS = 20_000;
const MAX_OUTPUT = 64 * 1024; // bytes
const run = promisify(execFile);

/** An address gets the list as the body of a POST; a program gets its path as the only argument, without a shell and without secrets. */
async function callHook(hook: string, file: string): Promise<void> {
  if (!/^https?:/.test(hook)) {
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };
    await run(hook, [file], { timeout: HOOK_MS, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT, env });
    return;
  }
  const answer = await fetch(hook, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: readFileSync(file),
    redirect: "error",
    signal: AbortSignal.timeout(HOOK_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
}

function hookFailure(error: unknown): string {
  if (!(error instanceof Error)) return fetchFailure(error);
  if ("killed" in error && error.killed === true) return `it did not end within ${HOOK_MS / 1000} seconds`;
  if ("code" in error && typeof error.code === "number") return `it ended with code ${error.code}`;
  return "code" in error && typeof error.code === "string" ? error.code : fetchFailure(error);
}
