import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Home, releasePaths } from "../kernel/home.ts";
import type { BuildSummary } from "../snapshot/build.ts";
import type { ReleaseSettings } from "../snapshot/release-settings.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";
import { readEarlierSite } from "./earlier-site.ts";
import { BuildEffects } from "./effects.ts";
import type { Reporter } from "./reporter.ts";
import { checkLinks } from "./stages/check.ts";
import { emitRoutes } from "./stages/emit.ts";
import { writeExports } from "./stages/exports.ts";
import { publishLedger } from "./stages/ledger.ts";
import { type SignNote, writeManifest } from "./stages/manifest.ts";
import { writePages } from "./stages/pages.ts";
import { drawPictures } from "./stages/pictures.ts";
import {
  currentRelease,
  prepareStaging,
  pruneReleases,
  publishRelease,
  removeStaging,
} from "./stages/publish.ts";
import type { WriteTask } from "./stages/shares.ts";
import { makeSnapshot } from "./stages/snapshot.ts";

/** Everything that a release is made from besides the program (design 2, rule 1). */
export interface ReleaseInputs {
  readonly home: Home;
  readonly project: string; // folder of the sources, for the pages
  readonly treeSize: number;
  readonly asOf: number;
  readonly settings: ReleaseSettings;
  readonly against: string | undefined; // id of the release to compare with; undefined: the previous one
  readonly compiledPages: string; // folder
  readonly releasesKept: number;
  readonly lastErasure: number; // ledger row; 0: none
  readonly sign: SignNote;
  readonly beforePublish: () => void;
}

export interface ReleaseSummary {
  readonly releaseId: string;
  readonly directory: string;
  readonly rows: number;
  readonly records: number;
  readonly cities: number;
  readonly observations: number;
  readonly filesWritten: number;
  readonly filesLinked: number;
  readonly releasesRemoved: number;
  readonly links: number;
  readonly seconds: number;
  readonly peakMemoryMb: number;
}

/** Builds a complete release, then publishes it. If anything fails, the previous release stays published. */
export async function buildRelease(inputs: ReleaseInputs, report: Reporter): Promise<ReleaseSummary> {
  const staging = prepareStaging(inputs.home);
  try {
    return await buildIn(staging, inputs, report);
  } catch (error) {
    removeStaging(staging);
    throw error;
  }
}

async function buildIn(staging: string, inputs: ReleaseInputs, report: Reporter): Promise<ReleaseSummary> {
  const { home, treeSize, asOf, settings } = inputs;
  const earlier = currentRelease(home);
  const earlierSite = earlier === undefined ? undefined : releasePaths(earlier).site;
  const { site, snapshot: out } = releasePaths(staging);
  const built = await report.stage("snapshot", (progress) =>
    makeSnapshot({ home: home.root, ledgerPath: home.ledger, out, treeSize, asOf, settings }, progress),
  );
  const snapshot = openSnapshot(out);
  const release = snapshot.release();
  const effects = new BuildEffects(site, readEarlierSite(earlierSite));
  const task = { snapshot: out, site, earlierSite };
  const { compared, links } = await writeFiles({ staging, inputs, report, built, snapshot, effects, task });
  snapshot.close(); // before its bytes are hashed: SQLite may still write to an open database
  await report.stage("manifest", () => writeManifest({ ...release, compared }, out, effects, inputs.sign));
  const published = await report.stage("publish", () => publish(staging, release.releaseId, inputs));
  const { merged: _, events: __, ...counts } = built;
  return {
    ...counts,
    ...published,
    links,
    filesWritten: effects.written,
    filesLinked: effects.linked,
    seconds: report.seconds(),
    peakMemoryMb: report.peakMemoryMb(),
  };
}

interface BuildContext {
  readonly staging: string;
  readonly inputs: ReleaseInputs;
  readonly report: Reporter;
  readonly built: BuildSummary;
  readonly snapshot: Snapshot;
  readonly effects: BuildEffects;
  readonly task: WriteTask;
}

/** The stages that write the site, in their order: each may link to and count what the ones before it wrote. */
async function writeFiles({ staging, inputs, report, built, snapshot, effects, task }: BuildContext) {
  const { home, treeSize, asOf, project, against, compiledPages: compiled } = inputs;
  const { site, earlierSite } = task;
  await report.stage("ledger", (progress) =>
    publishLedger({ ledgerPath: home.ledger, site, earlierSite, treeSize, asOf }, effects, progress),
  );
  await report.stage("emit", (progress) =>
    emitRoutes(task, built.records, effects, (files) => progress(files, 0)),
  );
  const compared = await report.stage("exports", () =>
    writeExports(snapshot, { home, staging, against }, effects),
  );
  await report.stage("pictures", (progress) =>
    drawPictures(task, built.cities, effects, (pictures) => progress(pictures, built.cities + 1)),
  );
  const pages = { ...task, project, compiled, scratch: join(staging, "compiling") };
  await report.stage("pages", (progress) =>
    writePages(pages, built.records, effects, (files) => progress(files, 0)),
  );
  const links = await report.stage("check", () => checkLinks(site, effects));
  return { compared, links };
}

function publish(staging: string, releaseId: string, { home, ...inputs }: ReleaseInputs) {
  inputs.beforePublish();
  const directory = publishRelease(home, staging, releaseId);
  rmSync(home.lastRelease, { force: true }); // superseded by this release
  return { directory, releasesRemoved: pruneReleases(home, inputs.releasesKept, inputs.lastErasure) };
}
