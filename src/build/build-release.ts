import { join } from "node:path";
import { releasePaths } from "../kernel/home.ts";
import type { RecordDocuments } from "../kernel/record-documents.ts";
import type { BuildSummary } from "../snapshot/build.ts";
import { type ChangedContent, changedContent } from "../snapshot/mend/changed-content.ts";
import type { ReleaseSettings } from "../snapshot/release-settings.ts";
import { openSnapshot, type Snapshot } from "../snapshot/snapshot.ts";
import { BuildEffects, readEarlierSite } from "./effects.ts";
import { releaseFigures } from "./figures/release-figures.ts";
import { type OpenNote, writeFigures } from "./figures/signed-figures.ts";
import type { Touched } from "./mend/touched.ts";
import { type Publication, type Published, publishOrHold } from "./publish-or-hold.ts";
import type { Reporter } from "./reporter.ts";
import { checkLinks, shownRecords } from "./stages/check.ts";
import { writeCityTables } from "./stages/city-tables.ts";
import { emitRoutes, writeCarried } from "./stages/emit.ts";
import { writeExports } from "./stages/exports.ts";
import { startLedger } from "./stages/ledger.ts";
import { type SignNote, writeManifest } from "./stages/manifest.ts";
import { writePages } from "./stages/pages.ts";
import { drawPictures } from "./stages/pictures.ts";
import { publishSnapshot } from "./stages/public-snapshot.ts";
import { currentRelease, prepareStaging, removeStaging } from "./stages/publish.ts";
import { checkErased } from "./stages/search-erased.ts";
import type { WriteTask } from "./stages/shares.ts";
import { makeSnapshot } from "./stages/snapshot.ts";
import { isSmall } from "./stages/tasks.ts";

/** Everything that a release is made from besides the program (design 2, rule 1), and what decides where it goes. */
export interface ReleaseInputs extends Publication {
  readonly project: string; // folder of the sources, for the pages
  readonly treeSize: number;
  readonly asOf: number;
  readonly settings: ReleaseSettings;
  readonly documents: RecordDocuments;
  readonly against: string | undefined; // id of the release to compare with; undefined: the previous one
  readonly compiledPages: string; // folder
  readonly mends?: Mended | undefined; // for a patch release
  readonly isAnew?: boolean; // links no file of the release before, which may be damaged
  readonly sign: SignNote;
  readonly openNote: OpenNote; // of what `sign` has signed, also in earlier releases
}

/** The release that a patch release mends: the current one. */
export interface Mended {
  readonly directory: string;
  /** Whether this version of the program made it, so that files without any change can be linked. */
  readonly isLinkable: boolean;
}

export interface ReleaseSummary extends Published {
  readonly releaseId: string;
  readonly rows: number;
  readonly records: number;
  readonly cities: number;
  readonly observations: number;
  readonly filesWritten: number;
  readonly filesLinked: number;
  readonly links: number;
  readonly seconds: number;
  readonly peakMemoryMb: number;
}

/** Builds a complete release, then publishes it. If anything fails, the previous release stays published. */
export async function buildRelease(inputs: ReleaseInputs, report: Reporter): Promise<ReleaseSummary> {
  const staging = prepareStaging(inputs.home, inputs.mends === undefined ? "building" : "patching");
  try {
    return await buildIn(staging, inputs, report);
  } catch (error) {
    removeStaging(staging);
    throw error;
  }
}

async function buildIn(staging: string, inputs: ReleaseInputs, report: Reporter): Promise<ReleaseSummary> {
  const earlier =
    inputs.isAnew === true ? undefined : (inputs.mends?.directory ?? currentRelease(inputs.home));
  const earlierSite = earlier === undefined ? undefined : releasePaths(earlier).site;
  const { site, snapshot: out } = releasePaths(staging);
  const effects = new BuildEffects(site, readEarlierSite(earlierSite));
  const rows = inputs.treeSize;
  const written = {
    snapshot: out,
    site,
    earlierSite,
    documents: inputs.documents,
    isSmall: isSmall({ rows }),
  };
  const built = await rowStages(inputs, written, effects, report);
  const changed = await changedStage(inputs, out, report);
  const snapshot = openSnapshot(out, { isMapped: false });
  const release = snapshot.release();
  const touched = inputs.mends?.isLinkable === true ? touchedBy(changed) : undefined;
  const task = { ...written, touched, isSmall: isSmall({ rows, records: built.records }) };
  const context = { staging, inputs, report, built, snapshot, effects, task, changed };
  const { compared, links, carriedCities } = await writeFiles(context);
  snapshot.close(); // before its bytes are hashed: SQLite may still write to an open database
  if (inputs.documents === "on-demand")
    await report.stage("parts", (progress) =>
      publishSnapshot(release, out, effects, (parts) => progress(parts, 0)),
    );
  const facts = { ...release, compared, carriedCities };
  await report.stage("manifest", () => writeManifest(facts, out, effects, inputs.sign));
  const { review } = inputs;
  const verdict = review && (await report.stage("judge", () => review.judge(staging)));
  const published = await report.stage("publish", () =>
    publishOrHold({ staging, releaseId: release.releaseId, verdict }, inputs),
  );
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

function touchedBy(changed: ChangedContent | undefined): Touched | undefined {
  return changed && { cities: [...changed.cities], records: [...changed.records] };
}

/**
 * The two stages that read all rows, each in a thread of its own unless the release is small: neither needs the other. The
 * ledger's stage is what is left of it after the snapshot's. Of two failures the snapshot's is thrown, once both have ended.
 */
async function rowStages(
  inputs: ReleaseInputs,
  { snapshot, ...task }: WriteTask,
  effects: BuildEffects,
  report: Reporter,
): Promise<BuildSummary> {
  const { home, treeSize, asOf } = inputs;
  const ledgerEnd = startLedger({ ...task, ledgerPath: home.ledger, treeSize, asOf }, effects);
  try {
    const built = await snapshotStage(inputs, { snapshot, isSmall: task.isSmall }, report);
    await report.stage("ledger", ledgerEnd);
    return built;
  } catch (error) {
    await Promise.allSettled([ledgerEnd()]);
    throw error;
  }
}

function snapshotStage(
  inputs: ReleaseInputs,
  { snapshot: out, isSmall }: Pick<WriteTask, "snapshot" | "isSmall">,
  report: Reporter,
): Promise<BuildSummary> {
  const { home, treeSize, asOf, settings } = inputs;
  const mends = inputs.mends && releasePaths(inputs.mends.directory).snapshot;
  const task = { home: home.root, ledgerPath: home.ledger, out, treeSize, asOf, settings, mends, isSmall };
  return report.stage("snapshot", (progress) => makeSnapshot(task, progress));
}

async function changedStage(
  { mends }: ReleaseInputs,
  out: string,
  report: Reporter,
): Promise<ChangedContent | undefined> {
  if (mends === undefined) return undefined;
  return report.stage("compare", () => changedContent(releasePaths(mends.directory).snapshot, out));
}

interface BuildContext {
  readonly staging: string;
  readonly inputs: ReleaseInputs;
  readonly report: Reporter;
  readonly built: BuildSummary;
  readonly snapshot: Snapshot;
  readonly effects: BuildEffects;
  readonly task: WriteTask;
  readonly changed: ChangedContent | undefined; // of a patch release
}

/** The stages that write the site, in their order: each may link to and count what the ones before it wrote. */
async function writeFiles(context: BuildContext) {
  const { staging, inputs, report, built, snapshot, effects, task, changed } = context;
  const { home, project, against, compiledPages: compiled, mends, sign, openNote } = inputs;
  const { site } = task;
  await report.stage("emit", (progress) =>
    emitRoutes(task, built.records, effects, (files) => progress(files, 0)),
  );
  const carriedCities = writeCarried(snapshot, effects);
  const mended = mends && {
    directory: mends.directory,
    gone: changed?.gone ?? [],
  };
  const figures = await report.stage("figures", () => {
    const made = releaseFigures(snapshot);
    writeFigures(staging, made, snapshot.release().origin, sign);
    return made;
  });
  await report.stage("tables", (progress) =>
    writeCityTables(task, built.cities, effects, (files) => progress(files, 0)),
  );
  const compared = await report.stage("exports", () =>
    writeExports(snapshot, { home, against, mended, figures, openNote, site }, effects),
  );
  await report.stage("pictures", (progress) =>
    drawPictures(task, built.cities, effects, (pictures) => progress(pictures, built.cities + 1)),
  );
  const pages = { ...task, project, compiled, scratch: join(staging, "compiling") };
  await report.stage("pages", (progress) =>
    writePages(pages, built.records, effects, (files) => progress(files, 0)),
  );
  const links = await report.stage("check", () =>
    checkLinks(site, effects, task.documents === "files" ? undefined : shownRecords(snapshot)),
  );
  if (changed !== undefined && task.touched !== undefined)
    await report.stage("search", () => checkErased(site, changed, effects, task.isSmall));
  return { compared, links, carriedCities };
}
