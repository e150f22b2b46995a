import { LedgerCheckpointsResponse } from "../../contract/ledger/ledger.ts";
import { MethodologyMetrics } from "../../contract/service/methodology.ts";
import { StatusResponse } from "../../contract/service/status.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { type OnlineCheck, PublishedCheck } from "../../ledger/outside-tree.ts";
import type { LedgerRow } from "../../ledger/rows/rows.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import { type SignedRelease, text } from "../../proof/audit/release-manifest.ts";
import type { RowAudit } from "../../proof/audit/row-audit.ts";
import { type PublicFiles, readPublished } from "../../proof/audit/site-files.ts";
import { auditTree, startTreeAudit, type TreeAuditOptions } from "../../proof/audit/tree-audit.ts";
import { isGiven, operatorIncident } from "../../resources/service/system-status.ts";
import { LedgerFold, type PublicProof } from "../../snapshot/fold/ledger-fold.ts";
import { CarriedCity, carriedCityPath } from "../../snapshot/mend/carried-city.ts";
import { type CarriedBy, type Mending, RowsInEffect } from "../../snapshot/mend/mending.ts";
import { ReleaseSettings } from "../../snapshot/release-settings.ts";
import { auditInThreads, threadsFor } from "../audit/audit-threads.ts";

/** A release to replay. `site` is its folder on this machine; undefined: its files come from elsewhere. */
export interface ReplayedRelease {
  readonly files: PublicFiles;
  readonly site?: string | undefined;
  readonly release: SignedRelease;
}

export interface FoldedRelease {
  readonly rows: RowAudit;
  readonly fold: LedgerFold;
  readonly mends: Mending | undefined;
}

type Progress = (rows: number, total: number) => void;

/**
 * Verifies the rows of a release and folds them on the way; undefined when they do not verify. Seals follow the rows that they date,
 * so the published list of seals is believed at first. If the verified seals are others, the rows are read again.
 */
export async function foldRelease(
  replayed: ReplayedRelease,
  findings: Findings,
  progress: Progress,
): Promise<FoldedRelease | undefined> {
  const [mending] = await Promise.allSettled([publishedMending(replayed.files, replayed.release)]);
  const mends = mending.status === "fulfilled" ? mending.value : undefined;
  const believed = await publishedDays(replayed.files);
  const first = new RowFold(replayed.release, mends, believed);
  const rows = await auditRows(replayed, { progress, onRow: first.take }, findings);
  if (findings.faults.length > 0) return undefined;
  if (mending.status === "rejected") throw mending.reason;
  const days = rows.seals.map(({ body }) => ({ upTo: body.last_observation_id, date: body.date }));
  if (isSame(days, believed)) return { rows, mends, fold: first.fold() };
  const second = new RowFold(replayed.release, mends, days);
  await auditRows(replayed, { progress, onRow: second.take }, findings);
  return { rows, mends, fold: second.fold() };
}

async function auditRows(
  { files, site, release }: ReplayedRelease,
  options: TreeAuditOptions,
  findings: Findings,
): Promise<RowAudit> {
  if (site === undefined) return auditTree(files, release, options, findings);
  const audit = await startTreeAudit(files, release, options, findings);
  const work = { audit, rows: release.head.size, findings };
  await auditInThreads(site, work, threadsFor(work));
  return audit.finish(files);
}

/** Up to which row a seal dates the rows after those of the seal before it. */
interface SealedDay {
  readonly upTo: number;
  readonly date: string;
}

/** As the release says; nothing where it says so in no readable way. */
async function publishedDays(files: PublicFiles): Promise<SealedDay[]> {
  try {
    const list = JSON.parse(await text(files, "api/v1/ledger-checkpoints.json"));
    const { checkpoints } = LedgerCheckpointsResponse.parse(list);
    return checkpoints
      .map(({ last_observation_id: upTo, date }) => ({ upTo, date }))
      .sort((a, b) => a.upTo - b.upTo);
  } catch {
    return [];
  }
}

function isSame(days: readonly SealedDay[], others: readonly SealedDay[]): boolean {
  return (
    days.length === others.length &&
    days.every(({ upTo, date }, at) => upTo === others[at]?.upTo && date === others[at]?.date)
  );
}

/** Folds rows that come in order. */
class RowFold {
  readonly #fold: LedgerFold;
  readonly #inEffect: RowsInEffect;
  readonly #days: readonly SealedDay[];
  #at = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor({ head, manifest }: SignedRelease, mends: Mending | undefined, days: readonly SealedDay[]) {
    this.#fold = new LedgerFold(head.size);
    const sealed = mends?.lastSealedRow ?? manifest.inputs.last_sealed_row;
    this.#inEffect = new RowsInEffect(sealed, mends !== undefined);
    this.#days = days;
  }

  /** Rows that are at fault may lead to an error: it counts only if there is no fault. */
  readonly take = (row: LedgerRow): void => {
    if (this.#failure !== undefined) return;
    try {
      if (this.#inEffect.has(row)) this.#fold.apply({ ...row, acceptedAt: this.#acceptedAt(row.id) });
    } catch (error) {
      this.#failure = { error };
    }
  };

  fold(): LedgerFold {
    if (this.#failure !== undefined) throw this.#failure.error;
    countScoutsByTag(this.#fold);
    return this.#fold;
  }

  /** The day on which a row was accepted, from its seal. */
  #acceptedAt(row: number): number {
    while (row > (this.#days[this.#at]?.upTo ?? Number.POSITIVE_INFINITY)) this.#at += 1;
    const day = this.#days[this.#at];
    return day === undefined ? 0 : Date.parse(day.date);
  }
}

/** Within a record, observer tags distinguish scouts as the private principals do; across records nothing public does. */
export function countScoutsByTag(fold: LedgerFold): void {
  const { sightings } = fold;
  for (const [row, record] of sightings.observedBy(Number.POSITIVE_INFINITY)) {
    const observer = fold.observerTag(row);
    const { source, setAside } = sightings.sighting(row, { day: 0, observer });
    if (source !== "scout" || setAside !== null) continue;
    const known = fold.records.get(record);
    const root = known === undefined ? undefined : fold.root(known);
    sightings.setScout(row, `${root?.id ?? record} ${observer}`);
  }
}

/**
 * Inputs that a replay takes from the published files, because the ledger's rows do not hold them. Of the incidents, the settings have
 * those that the release shows; they lack texts and counts, of which hashes are published. Throws ZodError or FormatError for files that are missing or malformed.
 */
export async function publishedSource(files: PublicFiles, { head, manifest }: SignedRelease, rows: RowAudit) {
  const { inputs } = manifest;
  const list = LedgerCheckpointsResponse.parse(
    JSON.parse(await text(files, "api/v1/ledger-checkpoints.json")),
  );
  const { processing, incidents } = StatusResponse.parse(JSON.parse(await text(files, "api/v1/status.json")));
  const { dispute_metrics } = MethodologyMetrics.parse(
    JSON.parse(await text(files, "api/v1/methodology/metrics.json")),
  );
  const checks = parseChecks(await text(files, "ledger/online-checks.ndjson"));
  const sizes = Object.keys(manifest.files).flatMap((path) => checkpointSize(path) ?? []);
  return {
    settings: ReleaseSettings.parse({
      baseUrl: inputs.base_url,
      sourceRevision: inputs.source_revision,
      externalTimestamping: list.external_timestamping_active,
      securityContact: inputs.security_contact,
      operatorName: inputs.operator_name,
      siteName: inputs.site_name,
      delivery: inputs.delivery,
      incidents: incidents.filter(isGiven).map(operatorIncident),
      reportCounts: dispute_metrics,
    }),
    source: {
      meta: inputs,
      lastSealedRow: () => rows.sealed,
      checkpointAt: () => head,
      checkpoints: () => sizes.sort((a, b) => a - b).map((size) => ({ size })),
      externalProofs: () => list.checkpoints.flatMap(publicProof),
      publishedOnlineChecks: () => checks,
      pendingLines: () => inputs.pending_lines,
      head: () => ({
        lastRow: processing.latest_live_ledger_row ?? 0,
        latestAcceptedAt: timeOf(processing.latest_live_ledger_at),
      }),
    },
  };
}

function parseChecks(lines: string): OnlineCheck[] {
  return lines
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const { checked_at, signal_types, match_count, ...check } = PublishedCheck.parse(JSON.parse(line));
      return {
        ...check,
        checkedAt: Date.parse(checked_at),
        signalTypes: signal_types,
        matchCount: match_count,
        provider: "published",
      };
    });
}

function publicProof({
  tree_size,
  external_proof,
}: LedgerCheckpointsResponse["checkpoints"][number]): PublicProof[] {
  const { provider, status, proof_sha256, verified_at } = external_proof;
  if (provider === null || status === "none" || tree_size === undefined) return [];
  return [{ size: tree_size, provider, status, sha256: proof_sha256, verifiedAt: timeOf(verified_at) }];
}

function checkpointSize(path: string): number | undefined {
  const [, size] = /^ledger\/checkpoints\/(\d+)$/.exec(path) ?? [];
  return size === undefined ? undefined : Number(size);
}

function timeOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

/**
 * What a patch release says of the release that it mends, with the values that it carries over; undefined for a nightly release. Throws
 * ZodError or an error of the file for values that are missing, malformed or not the signed ones.
 */
async function publishedMending(
  files: PublicFiles,
  { manifest }: SignedRelease,
): Promise<Mending | undefined> {
  const { mends } = manifest;
  if (mends === undefined) return undefined;
  const cities = new Map<string, CarriedBy>();
  for (const slug of mends.carried_over.cities) {
    const path = carriedCityPath(slug);
    const body = await readPublished(files, path);
    if (sha256Hex(body) !== manifest.files[path])
      throw new Error(`${path}: its hash is not the one in the signed list`);
    const carried = CarriedCity.parse(JSON.parse(body.toString("utf8")));
    if (carried.city !== slug) throw new Error(`${path}: holds the values of ${carried.city}`);
    cities.set(slug, { ...carried, snapshotId: undefined });
  }
  const { release_id: releaseId, tree_size: treeSize, last_sealed_row: lastSealedRow } = mends;
  return { releaseId, treeSize, lastSealedRow, cities };
}

/** How many values of each kind a patch release carries over: no row of its own leads to them. */
export function carriedCounts(mends: Mending | undefined): Record<string, number> {
  const cities = [...(mends?.cities.values() ?? [])];
  if (cities.length === 0) return {};
  const standings = cities.flatMap(({ records }) => Object.values(records)).map(({ standing }) => standing);
  return {
    scores: standings.length,
    ranks: standings.filter(({ rank }) => rank !== null).length,
    coverage: cities.length,
  };
}
