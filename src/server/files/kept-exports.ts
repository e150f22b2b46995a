import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { PublicError } from "../../kernel/errors.ts";
import { releasePaths } from "../../kernel/home.ts";
import { isAggregate } from "../../render/formats/exports.ts";
import type { ReleaseSource } from "../reads/release-source.ts";
import { FileCache } from "./file-cache.ts";
import type { SiteFile } from "./send-file.ts";

/** `/exports/release/{release_id}/…`: the aggregates of a release, for as long as it is kept. What names single records is there of the newest alone. */

const ADDRESS = /^\/exports\/release\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(.+)$/;

/** Undefined for other addresses. Throws PublicError 404 for what is no aggregate, 410 where the release is not kept. */
export async function keptExport(releases: ReleaseSource, pathname: string): Promise<SiteFile | undefined> {
  const [, releaseId, path] = ADDRESS.exec(pathname) ?? [];
  const directory = (releases.current ?? releases.filesOnly)?.directory;
  if (releaseId === undefined || path === undefined || directory === undefined) return undefined;
  if (!isAggregate(path)) throw new PublicError(404, "not found");
  const site = siteOf(dirname(directory), releaseId);
  if (site === undefined)
    throw new PublicError(410, "this release is not kept: see /exports/index.json for the newest one");
  // Nothing of it is kept in memory: few ask, and a deleted release must not be answered from there.
  return new FileCache(site, 0).load(`/exports/${path}`);
}

/** A rebuilt release lies beside the one before, whose folder has the bare id. Folders that are being built or removed begin with a dot. */
function siteOf(folder: string, releaseId: string): string | undefined {
  const names = readdirSync(folder).filter((name) => name === releaseId || name.startsWith(`${releaseId}.`));
  return names.map((name) => releasePaths(join(folder, name)).site).find((site) => existsSync(site));
}
