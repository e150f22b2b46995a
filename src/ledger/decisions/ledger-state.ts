import type { AssetBody, BodyOf } from "../rows/rows.ts";
import { Apart } from "./apart.ts";
import { type CityState, cityAfter } from "./city-state.ts";
import { Merges, mergeOf } from "./merges.ts";
import { Reassigned } from "./reassigned.ts";
import { RecordState, type ReviewRow } from "./record-state.ts";

type StateKind = "record" | "naming" | "asset" | "city" | "reassign" | "review" | "identity" | "status";

/** A row that changes the state. `body` is undefined once the row is redacted. */
export type StateRow = {
  [K in StateKind]: {
    readonly id: number;
    readonly kind: K;
    readonly acceptedAt: number; // ms
    readonly body: BodyOf<K> | undefined;
  };
}[StateKind];

export interface AssetState {
  readonly id: number;
  readonly body: AssetBody;
  readonly retirements: { readonly row: number; readonly retired: boolean }[]; // reviews in order, the last one counts
}

export interface Verdict {
  readonly decision: "verify" | "reject";
  readonly reason: string;
}

/**
 * What the live rows about records, assets and cities add up to. These are the only rules for it: releases, the review desk, intake
 * and online checks all apply them. A later decision replaces an earlier one, and a decision about something erased changes nothing.
 */
export class LedgerState {
  readonly records = new Map<number, RecordState>();
  readonly assets = new Map<number, AssetState>();
  readonly cities = new Map<string, CityState>();
  readonly merges = new Merges();
  readonly apart = new Apart();
  readonly reassigned = new Reassigned();
  /** Observation -> its last verdict. */
  readonly verdicts = new Map<number, Verdict>();

  static of(rows: Iterable<StateRow>): LedgerState {
    const state = new LedgerState();
    for (const row of rows) state.take(row);
    return state;
  }

  /** Rows must come in order, each once. */
  take(row: StateRow): void {
    const { id, acceptedAt } = row;
    if (row.body === undefined) return;
    switch (row.kind) {
      case "record":
        this.records.set(id, new RecordState(id, acceptedAt, row.body, this.merges));
        return;
      case "naming":
        this.records.get(row.body.record)?.setNaming(id, row.body);
        return;
      case "asset":
        this.assets.set(id, { id, body: row.body, retirements: [] });
        return;
      case "reassign":
        this.reassigned.apply(row.body);
        return;
      case "city": {
        const city = cityAfter(this.cities.get(row.body.city), { id, acceptedAt, body: row.body });
        if (city !== undefined) this.cities.set(city.slug, city);
        return;
      }
      case "review":
        this.#review({ id, acceptedAt, body: row.body });
        return;
      case "identity":
        this.records.get(row.body.record)?.setIdentity(row.body);
        return;
      case "status":
        this.records.get(row.body.record)?.setStatus(row.body.status);
    }
  }

  #review(row: ReviewRow): void {
    const { decision, target, reason } = row.body;
    if (decision === "verify" || decision === "reject") this.verdicts.set(target, { decision, reason });
    if (decision === "retire" || decision === "unretire")
      this.assets.get(target)?.retirements.push({ row: row.id, retired: decision === "retire" });
    const record = this.records.get(target);
    const merge = mergeOf(row.id, row.body);
    record?.review(row);
    if (record !== undefined && merge !== undefined) this.merges.apply(merge);
    if (record !== undefined) this.apart.apply(row.body);
  }
}
