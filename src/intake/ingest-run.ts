import { BUILT_IN } from "../contract/fields.ts";
import { OperatorError } from "../kernel/errors.ts";
import { utcDayStart } from "../kernel/time.ts";
import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import { Acceptor, type Arrival } from "./acceptor.ts";
import type { IntakeLedger } from "./intake-ledger.ts";
import type { RejectReason } from "./lines/fault.ts";
import type { LineToAccept } from "./lines/line-to-accept.ts";
import { type Prepared, type Refusal, refusal } from "./lines/prepare.ts";
import type { RejectSink } from "./lines/rejects.ts";
import type { Look } from "./looks/look.ts";

/** Counts of lines by outcome: accepted + looks + known + rejected = read. */
export interface IngestSummary {
  readonly read: number;
  readonly accepted: number; // observations
  readonly looks: number; // accepted looks
  readonly known: number;
  readonly rejected: number;
  /** Accepted lines that name no source: those of all built-in sources count as one principal. */
  readonly withoutSource: number;
  readonly rejectedByReason: Readonly<Partial<Record<RejectReason, number>>>;
  /** Accepted lines whose name no night before had in their city. */
  readonly newNames: number;
  /** The name of the batch; null before the first commit, and in a dry run. */
  readonly batch: string | null;
  /** Whether an earlier run over the file was cut off: this one takes the rest. */
  readonly isContinued: boolean;
}

export interface RunOptions {
  readonly ledger: IntakeLedger;
  /** What the file is called in messages and in the list of batches. */
  readonly name: string;
  readonly synthetic: boolean;
  readonly dryRun: boolean;
  readonly rejects: RejectSink;
}

type Counts = {
  -readonly [K in keyof Omit<IngestSummary, "rejectedByReason" | "batch" | "isContinued">]: number;
};

/** What one commit adds up, until its transaction has succeeded. */
interface Commit extends Arrival {
  readonly counts: Counts;
  readonly refusals: Refusal[];
  readonly bySource: Map<string, number>;
}

/** One run over one input. Owns caches and counts, so it must not be used after `commit` has thrown. */
export class IngestRun {
  readonly #options: RunOptions;
  readonly #store: IntakeStore;
  readonly #acceptor: Acceptor;
  readonly #isContinued: boolean;
  #batch: string | undefined;
  #counts: Counts = { read: 0, accepted: 0, looks: 0, known: 0, rejected: 0, withoutSource: 0, newNames: 0 };
  #reasons: ReadonlyMap<RejectReason, number> = new Map();

  constructor(options: RunOptions) {
    const { ledger, synthetic, dryRun, name } = options;
    assertSameKind(ledger.intake.isSynthetic(), synthetic);
    this.#options = options;
    this.#store = dryRun ? ledger.dryRunIntake() : ledger.intake;
    this.#acceptor = new Acceptor(ledger, this.#store);
    this.#isContinued = ledger.batches.isUnfinished(name);
  }

  summary(): IngestSummary {
    const batch = this.#options.dryRun ? null : (this.#batch ?? null);
    return {
      ...this.#counts,
      rejectedByReason: sortedCounts(this.#reasons),
      batch,
      isContinued: this.#isContinued,
    };
  }

  /** Takes the lines wholly or not at all, and counts them only then. */
  commit(prepared: Prepared): void {
    const { ledger, synthetic, dryRun } = this.#options;
    const refusals = [...prepared.refusals];
    const counts = { ...this.#counts, read: this.#counts.read + prepared.lines };
    const reasons = new Map(this.#reasons);
    ledger.transaction(() => {
      const commit = { ...this.#arrival(), counts, refusals, bySource: new Map<string, number>() };
      for (const sighting of prepared.sightings) this.#accept(sighting, commit);
      for (const look of prepared.looks) this.#acceptLook(look, commit);
      for (const { reason } of refusals) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      counts.rejected += refusals.length;
      if (dryRun) return;
      const report = { ...counts, rejectedByReason: sortedCounts(reasons) };
      ledger.batches.count(commit.batch, report, commit.bySource, commit.day);
      this.#store.settleSourceRefs();
      const accepted = counts.accepted - this.#counts.accepted;
      if (accepted === 0) return;
      this.#store.setSynthetic(synthetic);
      ledger.pending.note(ledger.now(), accepted);
    });
    this.#counts = counts;
    this.#reasons = reasons;
    this.#report(refusals);
  }

  /** The file was read to its end. A file without a line is a batch, too. */
  end(): void {
    const { ledger, dryRun, name: file } = this.#options;
    if (dryRun) return;
    const newCells = this.#acceptor.newCells();
    ledger.transaction(() => {
      const { batch } = this.#arrival();
      ledger.batches.end(batch, { file, at: ledger.now(), newCells });
    });
  }

  /** Begins the batch with its first commit. */
  #arrival(): Arrival {
    const { ledger, dryRun, name } = this.#options;
    const now = ledger.now();
    if (this.#batch === undefined) {
      this.#batch = this.#store.nextBatch();
      if (!dryRun) ledger.batches.begin(this.#batch, name, now);
    }
    return { batch: this.#batch, day: utcDayStart(now) };
  }

  #accept(checked: LineToAccept, commit: Commit): void {
    const { counts, refusals, bySource } = commit;
    const { line, source: named, source_type } = checked;
    try {
      const outcome = this.#acceptor.accept(checked, commit);
      counts[outcome === "known" ? "known" : "accepted"] += 1;
      if (outcome === "known") return;
      const source = named ?? `${BUILT_IN} ${source_type}`;
      bySource.set(source, (bySource.get(source) ?? 0) + 1);
      if (named === undefined) counts.withoutSource += 1;
      if (outcome === "accepted_new") counts.newNames += 1;
    } catch (error) {
      refusals.push(refusal(line, error, checked.input));
    }
  }

  #acceptLook(look: Look, { counts, refusals }: Commit): void {
    try {
      counts[this.#acceptor.acceptLook(look) === "known" ? "known" : "looks"] += 1;
    } catch (error) {
      refusals.push(refusal(look.line, error, undefined));
    }
  }

  #report(refusals: Refusal[]): void {
    if (refusals.length === 0) return;
    refusals.sort((a, b) => a.line - b.line);
    this.#options.rejects.write(refusals.map(({ entry }) => entry).join(""));
  }
}

function sortedCounts(reasons: ReadonlyMap<RejectReason, number>): Partial<Record<RejectReason, number>> {
  return Object.fromEntries([...reasons].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function assertSameKind(existing: boolean | undefined, synthetic: boolean): void {
  if (existing === undefined || existing === synthetic) return;
  throw new OperatorError(
    existing
      ? "this ledger holds demonstration data (--synthetic), and real observations never mix with it: use another ledger"
      : "this ledger holds real observations, and demonstration data (--synthetic) never mixes with them: use another ledger",
  );
}
