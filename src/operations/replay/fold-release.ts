import { LedgerCheckpointsResponse } from "../../contract/ledger/ledger.ts";
import type { LedgerRow } from "../../ledger/rows/rows.ts";
import type { Findings } from "../../proof/audit/findings.ts";
import type { PublicFiles } from "../../proof/audit/public-files.ts";
import { type SignedRelease, text } from "../../proof/audit/release-manifest.ts";
import type { RowAudit } from "../../proof/audit/row-audit.ts";
import { auditTree, startTreeAudit, type TreeAuditOptions } from "../../proof/audit/tree-audit.ts";
import { LedgerFold } from "../../snapshot/fold/ledger-fold.ts";
import type { Mending } from "../../snapshot/mend/mending.ts";
import { RowsInEffect } from "../../snapshot/mend/rows-in-effect.ts";
import { auditInThreads, threadsFor } from "../audit/audit-threads.ts";
import { publishedMending } from "./published-mending.ts";

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
