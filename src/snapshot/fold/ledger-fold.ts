import { utcDayStart } from "../../kernel/time.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import { mergeOf } from "../../ledger/decisions/merges.ts";
import {
  type Earlier,
  earlierOf,
  firstAccepted,
  type LedgerRow,
  type ReviewBody,
  type SealBody,
} from "../../ledger/rows/rows.ts";
import type { DecisionHistory } from "./decision-history.ts";
import type { LedgerRecord } from "./ledger-record.ts";
import { SightingColumns } from "./sighting-columns.ts";

/**
 * The state that the first rows of a ledger add up to. A redacted row has no body and leaves no trace. Bodies of observations are
 * not kept: `sightings` has their values as columns.
 */
export class LedgerFold extends LedgerState {
  readonly seals: { readonly row: number; readonly body: SealBody }[] = [];
  readonly sightings: SightingColumns;
  /** Decisions with their rows, for what releases of earlier trees said. */
  readonly history: DecisionHistory = { verdicts: [], merges: [], erasures: new Map(), cities: [] };
  /** Reviews with their reasons, by row. */
  readonly reasons = new Map<number, string>();

  constructor(treeSize: number) {
    super();
    this.sightings = new SightingColumns(treeSize);
  }

  /** Rows must come in order, each once. */
  apply(row: LedgerRow): void {
    if (row.body === undefined) return;
    const acceptedAt = firstAccepted({ acceptedAt: row.acceptedAt, body: row.body });
    this.#noteEarlier(row.id, earlierOf(row.body));
    switch (row.kind) {
      case "observation":
        this.sightings.add(row.id, row.body, row.leafHash, this.#lngOf(row.body.city));
        if (row.body.earlier !== undefined)
          this.sightings.setReprocessed(row.id, utcDayStart(row.acceptedAt));
        return;
      case "seal":
        this.#seal(row.id, row.body);
        return;
      case "clock":
        return; // only the dates of rows depend on it
      case "redaction":
      case "opt_out":
        // The rows that it names come without a body.
        for (const erased of row.body.rows)
          this.history.erasures.set(erased, { row: erased, erasedBy: row.id, kind: row.kind });
        return;
      default:
        this.take(row);
        if (row.kind === "city") this.#noteCity(row.id, row.body.city);
        if (row.kind === "review") this.#noteReview(row.id, acceptedAt, row.body);
    }
  }

  #noteEarlier(row: number, earlier: Earlier | undefined): void {
    if (typeof earlier?.published_at === "string")
      this.sightings.setPublishedFirst(row, Date.parse(earlier.published_at));
  }

  /** Intake accepts observations of registered cities only, so the fallback is never published. */
  #lngOf(city: string): number {
    return this.cities.get(city)?.details.lng ?? 0;
  }

  #seal(row: number, body: SealBody): void {
    this.seals.push({ row, body });
    this.sightings.publish(body.first_observation_id, body.last_observation_id, Date.parse(body.created_at));
  }

  #noteCity(row: number, slug: string): void {
    const city = this.cities.get(slug);
    if (city === undefined) return;
    const { name, lng } = city.details;
    this.history.cities.push({
      city: slug,
      row,
      name,
      lng,
      isPublished: city.publicationStatus === "published",
    });
  }

  #noteReview(row: number, acceptedAt: number, body: ReviewBody): void {
    const { decision, target, reason } = body;
    this.reasons.set(row, reason);
    if (decision === "reprocess") this.sightings.setReprocessed(target, utcDayStart(acceptedAt));
    if (decision === "verify" || decision === "reject") {
      this.sightings.setVerdict(target, decision === "verify" ? "verified" : "rejected");
      this.history.verdicts.push({ row, target, decision });
    }
    const merge = mergeOf(row, body);
    if (merge !== undefined && this.records.has(merge.record)) this.history.merges.push(merge);
  }

  /** The record at the end of the merges; undefined when that one is gone. */
  root({ id }: LedgerRecord): LedgerRecord | undefined {
    return this.records.get(this.merges.root(id));
  }

  /** The observer tag of an observation as the record at the end of the merges counts it. */
  observerTag(row: number): string {
    return this.merges.rootTag(this.sightings.record(row), this.sightings.observer(row));
  }
}
