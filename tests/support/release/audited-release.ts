/** For tests: a test ledger published as releases that hold nothing but the ledger, each in a folder of its own. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { BuildEffects, type EarlierSite } from "../../../src/build/effects.ts";
import { writeFigures } from "../../../src/build/figures/signed-figures.ts";
import { writeLedgerFiles } from "../../../src/build/ledger/ledger-files.ts";
import { type SignNote, writeManifest } from "../../../src/build/stages/manifest.ts";
import { NO_DELIVERY } from "../../../src/contract/accounts/delivery.ts";
import { lastSealedRow } from "../../../src/ledger/tree/seal.ts";
import { Findings } from "../../../src/proof/audit/findings.ts";
import { openRelease } from "../../../src/proof/audit/release-manifest.ts";
import { auditFile, filesInFolder, type PublicFiles } from "../../../src/proof/audit/site-files.ts";
import { auditTree } from "../../../src/proof/audit/tree-audit.ts";
import type { TestLedger } from "../ledger/small-ledger.ts";
import { release as releaseFigures } from "./figures.ts";

export interface TestRelease extends EarlierSite {
  readonly treeSize: number;
  readonly effects: BuildEffects;
}

/** For `release`, the last three are what an operator may do who signs what is not so. */
export interface TestReleaseOptions {
  readonly earlier?: EarlierSite;
  readonly treeSize?: number;
  readonly sign?: SignNote;
  /** Further files, or other content for files of the ledger. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Files that are left out of the list, too. */
  readonly without?: readonly string[];
  readonly lastSealedRow?: number;
}

export class TestReleases implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "releases-"));
  #count = 0;

  /** Everything below `ledger/`. */
  publish(ledger: TestLedger, { earlier, treeSize: wanted }: TestReleaseOptions = {}): TestRelease {
    this.#count += 1;
    const site = join(this.folder, String(this.#count), "site");
    mkdirSync(site, { recursive: true });
    using reader = ledger.reader();
    const treeSize = wanted ?? reader.latestCheckpoint()?.size ?? 0;
    const effects = new BuildEffects(site, earlier);
    writeLedgerFiles({ reader, effects, earlier, treeSize, asOf: ledger.time }, () => undefined);
    const inputs = { tree_size: treeSize, last_sealed_row: lastSealedRow(reader.seals(treeSize), treeSize) };
    return { site, hashes: effects.hashes, inputs, treeSize, effects };
  }

  /** The same with `snapshot.db`, signed as the nightly build does it. */
  async release(ledger: TestLedger, options: TestReleaseOptions = {}): Promise<TestRelease> {
    const release = this.publish(ledger, options);
    using reader = ledger.reader();
    const { environment, origin } = reader.meta;
    for (const [path, content] of Object.entries(options.files ?? {})) {
      rmSync(join(release.site, path), { force: true });
      release.effects.hashes.delete(path);
      release.effects.write(path, content);
    }
    for (const path of options.without ?? []) release.effects.hashes.delete(path);
    const snapshot = join(release.site, "..", "snapshot.db");
    writeFileSync(snapshot, "a database");
    const row = {
      releaseId: `release-${this.#count}`,
      asOf: ledger.time,
      treeSize: release.treeSize,
      signedTreeSize: release.treeSize,
      mends: null,
      carriedCities: [],
      environment,
      origin,
      baseUrl: "https://example.org",
      sourceRevision: "test",
      latestLiveRow: release.treeSize,
      pendingLines: 0,
      latestLiveAt: null,
      lastSealedRow: options.lastSealedRow ?? release.inputs.last_sealed_row,
      lastSealAt: null,
      externalTimestamping: false,
      securityContact: null,
      referenceHash: "test",
      activityHash: null,
      demandHash: null,
      operatorName: null,
      siteName: null,
      operatorTextsHash: null,
      incidentsHash: null,
      reportsHash: null,
      delivery: NO_DELIVERY,
      compared: null,
    };
    const sign = options.sign ?? ((text) => ledger.signingKey().sign(text));
    await writeManifest(row, snapshot, release.effects, sign);
    const figures = releaseFigures([], { release_id: row.releaseId });
    writeFigures(join(release.site, ".."), figures, origin, (text) => ledger.signingKey().sign(text));
    return release;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

export interface TestAudit {
  readonly replaced?: Replaced; // what is read in the place of a release's files; null: nothing
  /** Neither the tree nor the files that are as they were: for one of thousands of changes to the signed frame. */
  readonly frameAlone?: boolean;
  readonly vkey?: string;
  readonly remembered?: string;
}

/** What `presence verify` finds, without its threads. */
export async function auditOf({ site }: EarlierSite, options: TestAudit = {}) {
  const { replaced = new Map(), vkey, remembered, frameAlone = false } = options;
  const folder = filesInFolder(site);
  const files: PublicFiles = {
    read: async (path) => {
      const known = replaced.get(path);
      return known === undefined ? folder.read(path) : (known ?? undefined);
    },
  };
  const findings = new Findings();
  const release = await openRelease(files, { vkey }, findings);
  if (release === undefined) return { faults: findings.faults, counts: findings.counts() };
  for (const [path, sha256] of Object.entries(release.manifest.files))
    if (!frameAlone || replaced.has(path)) await auditFile(files, { path, sha256 }, findings);
  if (!frameAlone) await auditTree(files, release, { remembered }, findings);
  return { faults: findings.faults, counts: findings.counts() };
}

export type Replaced = ReadonlyMap<string, Buffer | null>;

/** Every file of a folder by its path. */
export function filesOf(folder: string): Map<string, Buffer> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = found.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}
