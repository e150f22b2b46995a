import { OperatorError } from "../kernel/errors.ts";
import { isoTime, utcDayStart } from "../kernel/time.ts";
import { IntakeIndex } from "../ledger/intake-index.ts";
import { LineFault, type RejectReason } from "./fault.ts";
import type { ParsedLine } from "./parse-lines.ts";
import { type RejectSink, rejectEntry } from "./rejects.ts";
import { Settler, type SettlerOptions } from "./settle.ts";
import { type IntakeHashes, intakeHashes, readSighting, type Sighting } from "./sighting.ts";

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

interface Reject {
  readonly line: number;
  readonly fault: LineFault;
  readonly value: unknown;
}

/** One run over one input: owns the caches and the counts. After `commit` has thrown, the run is over. */
export class IngestRun {
  readonly #options: RunOptions;
  readonly #index: IntakeIndex;
  readonly #hashes: IntakeHashes;
  readonly #settler: Settler;
  #counts: Counts = { read: 0, accepted: 0, known: 0, held: 0, rejected: 0, records: 0, assets: 0 };
  readonly #reasons = new Map<RejectReason, number>();

  constructor(options: RunOptions) {
    const { ledger, dryRun, synthetic } = options;
    this.#options = options;
    this.#index = new IntakeIndex(ledger.index, { dryRun });
    assertSameKind(this.#index, synthetic);
    this.#hashes = intakeHashes(ledger.purposeKey);
    this.#settler = new Settler(options, this.#index, this.#hashes);
  }

  summary(): IngestSummary {
    const reasons = [...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...this.#counts, rejectedByReason: Object.fromEntries(reasons) };
  }

  /** Takes a batch wholly or not at all, and counts it only then. */
  commit(batch: readonly ParsedLine[]): void {
    const rejects: Reject[] = [];
    const counts = { ...this.#counts };
    const sightings = this.#readable(batch, rejects);
    // In the order of a keyed hash: it hides who was where when, and keeps the look-up table's writes together.
    sightings.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.line - b.line));
    this.#options.ledger.transaction(() => {
      const day = isoTime(utcDayStart(this.#options.ledger.now()));
      for (const sighting of sightings) this.#settle(sighting, day, counts, rejects);
      if (counts.accepted > 0) this.#index.setSynthetic(this.#options.synthetic);
    });
    counts.read += batch.length;
    this.#counts = counts;
    this.#report(rejects);
  }

  #readable(batch: readonly ParsedLine[], rejects: Reject[]): Sighting[] {
    const now = this.#options.ledger.now();
    return batch.flatMap((line) => {
      const value = "value" in line ? line.value : undefined;
      try {
        if ("fault" in line) throw line.fault;
        return [readSighting(line.number, value, this.#hashes, now)];
      } catch (error) {
        rejects.push({ line: line.number, fault: asFault(error), value });
        return [];
      }
    });
  }

  #settle(sighting: Sighting, acceptedDay: string, counts: Counts, rejects: Reject[]): void {
    try {
      counts[this.#settler.take(sighting, acceptedDay, counts)] += 1;
    } catch (error) {
      rejects.push({ line: sighting.line, fault: asFault(error), value: sighting.input });
    }
  }

  #report(rejects: Reject[]): void {
    if (rejects.length === 0) return;
    rejects.sort((a, b) => a.line - b.line);
    for (const { fault } of rejects)
      this.#reasons.set(fault.reason, (this.#reasons.get(fault.reason) ?? 0) + 1);
    this.#counts.rejected += rejects.length;
    this.#options.rejects.write(
      rejects.map(({ line, fault, value }) => rejectEntry(line, fault, value)).join(""),
    );
  }
}

function asFault(error: unknown): LineFault {
  if (error instanceof LineFault) return error;
  throw error;
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
