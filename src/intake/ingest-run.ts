import { OperatorError } from "../kernel/errors.ts";
import { isoTime, utcDayStart } from "../kernel/time.ts";
import { IntakeIndex } from "../ledger/matching/intake-index.ts";
import type { RejectReason } from "./lines/fault.ts";
import { type Prepared, type Refusal, refusal } from "./lines/prepare.ts";
import type { RejectSink } from "./lines/rejects.ts";
import { intakeHashes, type Sighting } from "./lines/sighting.ts";
import { Settler, type SettlerOptions } from "./matching/settle.ts";

/** What became of the lines: accepted + known + held + rejected = read, always. */
export interface IngestSummary {
  readonly read: number;
  readonly accepted: number;
  readonly known: number;
  readonly held: number;
  readonly rejected: number;
  readonly rejectedByReason: Readonly<Partial<Record<RejectReason, number>>>;
  /** Records and assets that are new. */
  readonly records: number;
  readonly assets: number;
}

export interface RunOptions extends SettlerOptions {
  readonly rejects: RejectSink;
}

type Counts = { -readonly [K in keyof Omit<IngestSummary, "rejectedByReason">]: number };

/** One run over one input: owns the caches and the counts. After `commit` has thrown, the run is over. */
export class IngestRun {
  readonly #options: RunOptions;
  readonly #index: IntakeIndex;
  readonly #settler: Settler;
  #counts: Counts = { read: 0, accepted: 0, known: 0, held: 0, rejected: 0, records: 0, assets: 0 };
  readonly #reasons = new Map<RejectReason, number>();

  constructor(options: RunOptions) {
    const { ledger, dryRun, synthetic } = options;
    this.#options = options;
    this.#index = new IntakeIndex(ledger.index, { dryRun });
    assertSameKind(this.#index, synthetic);
    this.#settler = new Settler(options, this.#index, intakeHashes(ledger.purposeKey));
  }

  summary(): IngestSummary {
    const reasons = [...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...this.#counts, rejectedByReason: Object.fromEntries(reasons) };
  }

  /** Takes a batch wholly or not at all, and counts it only then. */
  commit(batch: Prepared): void {
    const refusals = [...batch.refusals];
    const counts = { ...this.#counts };
    this.#options.ledger.transaction(() => {
      const day = isoTime(utcDayStart(this.#options.ledger.now()));
      for (const sighting of batch.sightings) this.#settle(sighting, day, counts, refusals);
      if (counts.accepted > 0) this.#index.setSynthetic(this.#options.synthetic);
    });
    counts.read += batch.lines;
    this.#counts = counts;
    this.#report(refusals);
  }

  #settle(sighting: Sighting, acceptedDay: string, counts: Counts, refusals: Refusal[]): void {
    try {
      counts[this.#settler.take(sighting, acceptedDay, counts)] += 1;
    } catch (error) {
      refusals.push(refusal(sighting.line, error, sighting.input));
    }
  }

  #report(refusals: Refusal[]): void {
    if (refusals.length === 0) return;
    refusals.sort((a, b) => a.line - b.line);
    for (const { reason } of refusals) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    this.#counts.rejected += refusals.length;
    this.#options.rejects.write(refusals.map(({ entry }) => entry).join(""));
  }
}

function assertSameKind(index: IntakeIndex, synthetic: boolean): void {
  const existing = index.synthetic();
  if (existing === undefined || existing === synthetic) return;
  throw new OperatorError(
    existing
      ? "this ledger holds demonstration data (--synthetic), and real observations never mix with it: use another ledger"
      : "this ledger holds real observations, and demonstration data (--synthetic) never mixes with them: use another ledger",
  );
}
