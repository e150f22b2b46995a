import { OperatorError } from "../kernel/errors.ts";
import { utcDayStart } from "../kernel/time.ts";
import { Acceptor } from "./acceptor.ts";
import type { IntakeLedger } from "./intake-ledger.ts";
import type { RejectReason } from "./lines/fault.ts";
import { type Prepared, type Refusal, refusal } from "./lines/prepare.ts";
import type { RejectSink } from "./lines/rejects.ts";
import { namedSource, type Sighting } from "./lines/sighting.ts";
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
  /** The name under which the accepted lines are kept; null while there are none, and in a dry run. */
  readonly batch: string | null;
}

export interface RunOptions {
  readonly ledger: IntakeLedger;
  readonly synthetic: boolean;
  readonly dryRun: boolean;
  readonly rejects: RejectSink;
}

type Counts = { -readonly [K in keyof Omit<IngestSummary, "rejectedByReason" | "batch">]: number };

/** One run over one input. Owns caches and counts, so it must not be used after `commit` has thrown. */
export class IngestRun {
  readonly #options: RunOptions;
  readonly #acceptor: Acceptor;
  #counts: Counts = { read: 0, accepted: 0, looks: 0, known: 0, rejected: 0, withoutSource: 0 };
  readonly #reasons = new Map<RejectReason, number>();

  constructor(options: RunOptions) {
    const { ledger, synthetic, dryRun } = options;
    assertSameKind(ledger.intake.isSynthetic(), synthetic);
    this.#options = options;
    this.#acceptor = new Acceptor(ledger, dryRun ? ledger.dryRunIntake() : ledger.intake);
  }

  summary(): IngestSummary {
    const reasons = [...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1));
    const batch = this.#options.dryRun ? null : (this.#acceptor.batch ?? null);
    return { ...this.#counts, rejectedByReason: Object.fromEntries(reasons), batch };
  }

  /** Takes the lines wholly or not at all, and counts them only then. */
  commit(prepared: Prepared): void {
    const refusals = [...prepared.refusals];
    const counts = { ...this.#counts };
    const { ledger, synthetic, dryRun } = this.#options;
    ledger.transaction(() => {
      const day = utcDayStart(ledger.now());
      for (const sighting of prepared.sightings) this.#accept(sighting, day, counts, refusals);
      for (const look of prepared.looks) this.#acceptLook(look, counts, refusals);
      const accepted = counts.accepted - this.#counts.accepted;
      if (accepted === 0 || dryRun) return;
      ledger.intake.setSynthetic(synthetic);
      ledger.pending.note(ledger.now(), accepted);
    });
    counts.read += prepared.lines;
    this.#counts = counts;
    this.#report(refusals);
  }

  #accept(sighting: Sighting, day: number, counts: Counts, refusals: Refusal[]): void {
    try {
      const outcome = this.#acceptor.accept(sighting, day);
      counts[outcome] += 1;
      if (outcome === "accepted" && namedSource(sighting.input) === undefined) counts.withoutSource += 1;
    } catch (error) {
      refusals.push(refusal(sighting.line, error, sighting.input));
    }
  }

  #acceptLook(look: Look, counts: Counts, refusals: Refusal[]): void {
    try {
      counts[this.#acceptor.acceptLook(look) === "known" ? "known" : "looks"] += 1;
    } catch (error) {
      refusals.push(refusal(look.line, error, undefined));
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
