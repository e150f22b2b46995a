import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { OperatorError } from "../../kernel/errors.ts";
import { bundleOf, disclosuresPath } from "../../proof/tlog/proof.ts";
import type { ChangedContent } from "../../snapshot/mend/changed-content.ts";
import type { BuildEffects } from "../effects.ts";
import { turnsOf } from "./shares.ts";
import { runTasks } from "./tasks.ts";

export const SearchTask = z.object({
  site: z.string(),
  paths: z.array(z.string()),
  needles: z.array(z.string()),
});

export const SearchMessage = z.object({ found: z.array(z.string()) });

/** Each needle costs a pass over the site: more would outlast the release's promise of a minute. Record ids come first. */
const MAX_NEEDLES = 40;
const MAX_SHOWN = 5;

/** A linked file still mentions what was erased, so the files to make anew were derived wrongly. */
export class ErasedFound extends OperatorError {}

/**
 * Searches every file of a patch release for the public ids, websites and names of what is gone, and the bundles of disclosures for
 * its rows. Throws ErasedFound naming the first files.
 */
export async function checkErased(
  site: string,
  changed: ChangedContent,
  effects: BuildEffects,
  isSmall: boolean | undefined,
): Promise<void> {
  const found = disclosedRows(site, changed.goneRows);
  const needles = needlesOf(changed);
  const paths = [...effects.hashes.keys()];
  const tasks = turnsOf(isSmall === true ? 1 : undefined).map(({ turn, share }) => ({
    site,
    paths: paths.filter((_, at) => at % share === turn),
    needles,
  }));
  const take = (message: unknown) => void found.push(...SearchMessage.parse(message).found);
  const module = new URL("./threads/search-worker.ts", import.meta.url);
  if (needles.length > 0) await runTasks(module, tasks, take, { isSmall });
  if (found.length === 0) return;
  const shown = found.sort().slice(0, MAX_SHOWN).join(", ");
  throw new ErasedFound(
    `${found.length} files of the patch release still mention what was erased: ${shown}${found.length > MAX_SHOWN ? ", …" : ""}`,
  );
}

function needlesOf({ gone, goneAssets, goneNames, goneWebsites }: ChangedContent): string[] {
  const ids = [...gone, ...goneAssets].slice(0, MAX_NEEDLES - 1);
  return [...ids, ...goneWebsites, ...goneNames.filter(isDistinctive)].slice(0, MAX_NEEDLES);
}

/** Shorter names and single words occur in texts that say nothing about the record. */
function isDistinctive(name: string): boolean {
  return name.length >= 8 && /\s/.test(name.trim());
}

function disclosedRows(site: string, rows: readonly number[]): string[] {
  const byBundle = Map.groupBy(rows, bundleOf);
  return [...byBundle].flatMap(([bundle, erased]) => {
    const path = `ledger/${disclosuresPath(bundle)}`;
    const file = join(site, path);
    const lines = existsSync(file) ? `\n${readFileSync(file, "utf8")}` : "";
    return erased.some((row) => lines.includes(`\n{"i":${row},`)) ? [path] : [];
  });
}
