import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { CARRIED_VALUES } from "../../contract/envelope.ts";
import { canonicalJson } from "../../kernel/text/json.ts";
import { isoTime } from "../../kernel/time.ts";
import { manifestNoteText, type ReleaseManifest } from "../../proof/audit/release-manifest.ts";
import type { ReleaseRow } from "../../snapshot/rows.ts";
import type { BuildEffects } from "../effects.ts";

/** Written last, because they cover all other files. */
export const MANIFEST_FILES: readonly string[] = ["manifest.json", "manifest.note"];

/** A release with the id of the one that its change file compares it with, or null. */
export type PublishedRelease = ReleaseRow & {
  readonly compared: string | null;
  /** Slugs of the cities of a patch release whose values are carried over. */
  readonly carriedCities: readonly string[];
};

/** Signs the text of a note with the environment's key (C2SP signed note). */
export type SignNote = (text: string) => string;

/**
 * `manifest.json` lists every file of the site with its SHA-256, the inputs of the release and the hash of its database, for
 * servers that fetch it from elsewhere; `manifest.note` signs it: origin + "/manifest", the release id and the manifest's SHA-256, a line each.
 */
export async function writeManifest(
  { carriedCities, ...release }: PublishedRelease,
  snapshotPath: string,
  effects: BuildEffects,
  sign: SignNote,
): Promise<void> {
  const files = Object.fromEntries([...effects.hashes].sort(([a], [b]) => (a < b ? -1 : 1)));
  const content = {
    files,
    inputs: manifestInputs(release),
    release_id: release.releaseId,
    snapshot_sha256: await hashOfFile(snapshotPath),
    ...(release.mends && { mends: mending(release, release.mends, carriedCities) }),
  };
  const manifest = `${canonicalJson(content)}\n`;
  effects.write("manifest.json", manifest);
  effects.write("manifest.note", sign(manifestNoteText(release.origin, release.releaseId, manifest)));
}

/** SHA-256 of a file, read in parts because it may be large. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** What a patch release says of the release that it mends. */
function mending(
  { treeSize }: ReleaseRow,
  { releaseId, lastSealedRow }: NonNullable<ReleaseRow["mends"]>,
  cities: readonly string[],
) {
  return {
    carried_over: { cities: [...cities], values: [...CARRIED_VALUES] },
    last_sealed_row: lastSealedRow,
    release_id: releaseId,
    tree_size: treeSize,
  } satisfies ReleaseManifest["mends"];
}

function manifestInputs(release: ReleaseRow & Pick<PublishedRelease, "compared">) {
  return {
    activity_sha256: release.activityHash,
    as_of: isoTime(release.asOf),
    base_url: release.baseUrl,
    compared_release: release.compared,
    delivery: release.delivery,
    demand_sha256: release.demandHash,
    environment: release.environment,
    incidents_sha256: release.incidentsHash,
    last_sealed_row: release.lastSealedRow,
    operator_name: release.operatorName,
    operator_texts_sha256: release.operatorTextsHash,
    origin: release.origin,
    pending_lines: release.pendingLines,
    reference_sha256: release.referenceHash,
    reports_sha256: release.reportsHash,
    security_contact: release.securityContact,
    ...(release.siteName !== null && { site_name: release.siteName }),
    source_revision: release.sourceRevision,
    tree_size: release.signedTreeSize,
  } satisfies ReleaseManifest["inputs"];
}
