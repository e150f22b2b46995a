import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DeliverySetup } from "../contract/accounts/delivery-setup.ts";
import type { OperatorIncident } from "../contract/service/operator-incidents.ts";
import type { OperatorTexts } from "../contract/service/operator-texts.ts";
import type { ReportCounts } from "../contract/service/report-counts.ts";
import { type Home, releasePaths } from "../kernel/home.ts";
import type { ActivityInput } from "../snapshot/activity.ts";
import type { DemandInput } from "../snapshot/demand.ts";
import { openSnapshot } from "../snapshot/snapshot.ts";
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
import { makeSnapshot, type SnapshotTask } from "./stages/snapshot.ts";

/** Everything a release is made from, beside the code (design 2, rule 1). */
export interface ReleaseInputs {
  readonly home: Home;
  readonly project: string; // folder of the sources, for the pages
  readonly treeSize: number;
  readonly asOf: number;
  readonly baseUrl: string;
  readonly sourceRevision: string;
  readonly externalTimestamping: boolean;
  readonly securityContact: string | undefined;
  readonly activity: ActivityInput | undefined; // undefined: nothing was measured
  readonly demand: DemandInput | undefined; // likewise
  readonly operatorName: string | undefined;
  readonly operatorTexts: OperatorTexts;
  readonly incidents: readonly OperatorIncident[];
  readonly reportCounts: ReportCounts | undefined; // undefined: nothing was measured
  readonly delivery: DeliverySetup;
  readonly against: string | undefined; // the release to compare with; undefined: the one before
  readonly compiledPages: string; // folder
  readonly releasesKept: number;
  readonly lastErasure: number; // row, 0 when nothing was erased
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

/** Build a release whole, then publish it. Whatever fails, the release before stays as it is. */
export async function buildRelease(inputs: ReleaseInputs, report: Reporter): Promise<ReleaseSummary> {
  const staging = prepareStaging(inputs.home);
  try {
    return await buildIn(staging, inputs, report);
  } catch (error) {
    removeStaging(staging);
    throw error;
  }
}

/** The order of the stages is all that this function knows. */
async function buildIn(staging: string, inputs: ReleaseInputs, report: Reporter): Promise<ReleaseSummary> {
  const { home } = inputs;
  const earlier = currentRelease(home);
  const { site, snapshot: snapshotPath } = releasePaths(staging);
  const earlierSite = earlier === undefined ? undefined : releasePaths(earlier).site;

  const built = await report.stage("snapshot", (progress) =>
    makeSnapshot(snapshotTask(inputs, snapshotPath), progress),
  );
  const snapshot = openSnapshot(snapshotPath);
  const release = snapshot.release();
  const effects = new BuildEffects(site, readEarlierSite(earlierSite));

  await report.stage("ledger", (progress) =>
    publishLedger(
      { ledgerPath: home.ledger, site, earlierSite, treeSize: inputs.treeSize, asOf: inputs.asOf },
      effects,
      progress,
    ),
  );
  const task = { snapshot: snapshotPath, site, earlierSite };
  await report.stage("emit", (progress) =>
    emitRoutes(task, built.records, effects, (files) => progress(files, 0)),
  );
  const compared = await report.stage("exports", () =>
    writeExports(snapshot, { home, staging, against: inputs.against }, effects),
  );
  await report.stage("pictures", (progress) =>
    drawPictures(task, built.cities, effects, (pictures) => progress(pictures, built.cities + 1)),
  );
  await report.stage("pages", (progress) =>
    writePages(
      {
        ...task,
        project: inputs.project,
        compiled: inputs.compiledPages,
        scratch: join(staging, "compiling"),
      },
      built.records,
      effects,
      (files) => progress(files, 0),
    ),
  );
  const links = await report.stage("check", () => checkLinks(site, effects));
  snapshot.close(); // before its bytes are hashed: an open database is for SQLite alone
  await report.stage("manifest", () =>
    writeManifest({ ...release, compared }, snapshotPath, effects, inputs.sign),
  );
  const { directory, removed } = await report.stage("publish", () => {
    inputs.beforePublish();
    const directory = publishRelease(home, staging, release.releaseId);
    rmSync(home.lastRelease, { force: true }); // a release has taken its place
    return { directory, removed: pruneReleases(home, inputs.releasesKept, inputs.lastErasure) };
  });
  return {
    releaseId: release.releaseId,
    directory,
    rows: built.rows,
    records: built.records,
    cities: built.cities,
    observations: built.observations,
    filesWritten: effects.written,
    filesLinked: effects.linked,
    releasesRemoved: removed,
    links,
    seconds: report.seconds(),
    peakMemoryMb: report.peakMemoryMb(),
  };
}

function snapshotTask(inputs: ReleaseInputs, out: string): SnapshotTask {
  return {
    home: inputs.home.root,
    ledgerPath: inputs.home.ledger,
    out,
    treeSize: inputs.treeSize,
    asOf: inputs.asOf,
    baseUrl: inputs.baseUrl,
    sourceRevision: inputs.sourceRevision,
    externalTimestamping: inputs.externalTimestamping,
    securityContact: inputs.securityContact,
    activity: inputs.activity,
    demand: inputs.demand,
    operatorName: inputs.operatorName,
    operatorTexts: inputs.operatorTexts,
    incidents: [...inputs.incidents],
    reportCounts: inputs.reportCounts,
    delivery: inputs.delivery,
  };
}
