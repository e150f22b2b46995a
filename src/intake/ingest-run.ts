import { OperatorError } from "../kernel/errors.ts";
import { isoTime, utcDayStart } from "../kernel/time.ts";
import type { RejectReason } from "./lines/fault.ts";
import { type Prepared, type Refusal, refusal } from "./lines/prepare.ts";
import type { RejectSink } from "./lines/rejects.ts";
import type { Sighting } from "./lines/sighting.ts";
import { Settler, type SettlerOptions } from "./matching/settle.ts";

/** Counts of lines by outcome: accepted + known + held + rejected = read. */
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

/** One run over one input. Owns caches and counts, so it must not be used after `commit` has thrown. */
export class IngestRun {
  readonly #options: RunOptions;
  readonly #settler: Settler;
  #counts: Counts = { read: 0, accepted: 0, known: 0, held: 0, rejected: 0, records: 0, assets: 0 };
  readonly #reasons = new Map<RejectReason, number>();

  constructor(options: RunOptions) {
    assertSameKind(options.ledger.intake.isSynthetic(), options.synthetic);
    this.#options = options;
    this.#settler = new Settler(options);
  }

  summary(): IngestSummary {
    const reasons = [...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...this.#counts, rejectedByReason: Object.fromEntries(reasons) };
  }

  /** Takes a batch wholly or not at all, and counts it only then. */
  commit(batch: Prepared): void {
    const refusals = [...batch.refusals];
    const counts = { ...this.#counts };
    const { ledger, synthetic, dryRun } = this.#options;
    ledger.transaction(() => {
      const day = isoTime(utcDayStart(ledger.now()));
      for (const sighting of batch.sightings) this.#settle(sighting, day, counts, refusals);
      if (counts.accepted > 0 && !dryRun) ledger.intake.setSynthetic(synthetic);
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

function assertSameKind(existing: boolean | undefined, synthetic: boolean): void {
  if (existing === undefined || existing === synthetic) return;
  throw new OperatorError(
    existing
      ? "this ledger holds demonstration data (--synthetic), and real observations never mix with it: use another ledger"
      : "this ledger holds real observations, and demonstration data (--synthetic) never mixes with them: use another ledger",
  );
}
