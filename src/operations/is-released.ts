import { isDeepStrictEqual } from "node:util";
import { currentRelease } from "../build/stages/publish.ts";
import { releasePaths } from "../kernel/home.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { releaseColumns } from "../snapshot/release-settings.ts";
import { isReadable, openSnapshot } from "../snapshot/snapshot.ts";
import { type CommandContext, homeOf } from "./context.ts";
import { operatorSettings } from "./release-settings.ts";

/** Whether the current release holds all sealed rows and has the operator's present settings. */
export function isReleased(context: CommandContext): boolean {
  const home = homeOf(context);
  const directory = currentRelease(home);
  if (directory === undefined) return false;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return false; // made by another version of the program
  using reader = openLedgerReader(home.ledger);
  const snapshot = openSnapshot(path);
  const release = snapshot.release();
  snapshot.close();
  const settings = operatorSettings(context.config, release.environment, context.clock());
  return (
    release.treeSize === reader.latestCheckpoint()?.size &&
    isDeepStrictEqual(release, { ...release, ...releaseColumns(settings) })
  );
}
