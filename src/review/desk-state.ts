import { LedgerState } from "../ledger/decisions/ledger-state.ts";
import type { DeskRow } from "../ledger/rows/desk-rows.ts";

/** A row that decides about an observation, an asset or a record. */
export type DecisionRow = Extract<DeskRow, { kind: "reassign" | "review" | "identity" | "status" }>;

/** The state of the ledger up to now, with the decisions that led to it. */
export class DeskState extends LedgerState {
  readonly #decisions = new Map<number, DecisionRow[]>();
  readonly #publicIds = new Map<string, number>();
  readonly #candidates = new Map<number, readonly number[]>();
  lastRow = 0;

  constructor(rows: Iterable<DeskRow>) {
    super();
    for (const row of rows) this.apply(row);
  }

  /** Rows must come in order, each once. */
  apply(row: DeskRow): void {
    this.take(row);
    this.lastRow = row.id;
    if (row.kind === "naming") this.#candidates.set(row.body.record, row.candidates);
    if (row.kind === "record" || row.kind === "asset") this.#publicIds.set(row.body.public_id, row.id);
    else if (row.kind !== "city" && row.kind !== "naming") this.#note(row);
  }

  /** The record or asset row of a public id. */
  withPublicId(publicId: string): number | undefined {
    return this.#publicIds.get(publicId);
  }

  /** The records that intake found a record might be the same as; private. */
  candidatesOf(record: number): readonly number[] {
    return this.#candidates.get(record) ?? [];
  }

  /** What was decided about a record, an asset or an observation, in order. */
  decisionsAbout(row: number): readonly DecisionRow[] {
    return this.#decisions.get(row) ?? [];
  }

  /** The last row about a subject: its newest decision, or the subject's own row. */
  versionOf(row: number): number {
    return this.decisionsAbout(row).at(-1)?.id ?? row;
  }

  /** The last verdict about an observation; `provisional` without one. */
  verdictOf(observation: number): "verified" | "rejected" | "provisional" {
    const verdict = this.verdicts.get(observation);
    if (verdict === undefined) return "provisional";
    return verdict.decision === "verify" ? "verified" : "rejected";
  }

  isRetired(asset: number): boolean {
    return this.assets.get(asset)?.retirements.at(-1)?.retired === true;
  }

  #note(row: DecisionRow): void {
    for (const subject of subjectsOf(row)) {
      const decisions = this.#decisions.get(subject) ?? [];
      decisions.push(row);
      this.#decisions.set(subject, decisions);
    }
  }
}

/** A dismissed line has no row: its review names the city. */
function subjectsOf({ kind, body }: DecisionRow): number[] {
  if (kind === "reassign") return [body.target];
  if (kind !== "review") return [body.record];
  if (body.decision === "dismiss") return [];
  return body.into === null ? [body.target] : [body.target, body.into];
}
