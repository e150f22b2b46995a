import { isDeepStrictEqual } from "node:util";
import { currentRelease } from "../build/stages/publish.ts";
import { deliverySetup } from "../delivery/delivery-setup.ts";
import { releasePaths } from "../kernel/home.ts";
import { openLedgerReader } from "../ledger/reader.ts";
import { incidentsHash } from "../snapshot/incidents.ts";
import { operatorTextsHash } from "../snapshot/operator-texts.ts";
import { isReadable, openSnapshot } from "../snapshot/snapshot.ts";
import { type CommandContext, homeOf } from "./context.ts";
import { readIncidents } from "./operator-incidents.ts";
import { readOperatorTexts } from "./operator-texts.ts";

/** Whether the current release holds all that is sealed, and says what the configuration says: addresses, contact, time stamps, delivery, operator, incidents. */
export function isReleased(context: CommandContext): boolean {
  const home = homeOf(context);
  const directory = currentRelease(home);
  if (directory === undefined) return false;
  const { snapshot: path } = releasePaths(directory);
  if (!isReadable(path)) return false; // an earlier version of the program made it
  using reader = openLedgerReader(home.ledger);
  const snapshot = openSnapshot(path);
  const release = snapshot.release();
  snapshot.close();
  const { config } = context;
  return (
    release.treeSize === reader.latestCheckpoint()?.size &&
    release.baseUrl === config.baseUrl &&
    release.securityContact === (config.securityContact ?? null) &&
    release.externalTimestamping === (config.timestampAuthority !== undefined) &&
    isDeepStrictEqual(release.delivery, deliverySetup(config, release.environment)) &&
    release.operatorName === (config.operatorName ?? null) &&
    release.operatorTextsHash === operatorTextsHash(readOperatorTexts(config.operatorTexts)) &&
    release.incidentsHash === incidentsHash(readIncidents(config))
  );
}
