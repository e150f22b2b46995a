import { utcDayStart } from "../../kernel/time.ts";
import type { AssetBody, LedgerRow, ReviewBody, SealBody } from "../../ledger/rows/rows.ts";
import type { SampleReview } from "../../method/review-sample.ts";
import type { DecisionHistory } from "./decision-history.ts";
import { applyCityRow, type LedgerCity } from "./ledger-city.ts";
import { type LedgerRecord, newRecord, reviewedIndustry, setIdentity, setStatus } from "./ledger-record.ts";
import { applyMerge, type Merge, mergeChain, mergedTag } from "./merge-chain.ts";
import { SightingColumns } from "./sighting-columns.ts";

export interface LedgerAsset {
  readonly id: number;
  readonly body: AssetBody;
  readonly retirements: { readonly row: number; readonly retired: boolean }[]; // reviews, the last one counts
}

type ReviewRow = Extract<LedgerRow, { kind: "review" }>;
type DecisionRow = Exclude<LedgerRow, { kind: "observation" | "record" | "asset" | "city" | "seal" }>;

/**
 * The state that the first rows of a ledger add up to. A redacted row has no body and leaves no trace; rows about something
 * that is gone change nothing. Bodies are not kept, sightings only as columns.
 */
export class LedgerFold {
  readonly records = new Map<number, LedgerRecord>();
  readonly assets = new Map<number, LedgerAsset>();
  readonly cities = new Map<string, LedgerCity>();
  readonly seals: { readonly row: number; readonly body: SealBody }[] = [];
  readonly sightings: SightingColumns;
  /** The last verdict about each observation that was reviewed, with its reason. */
  readonly verdicts = new Map<number, SampleReview>();
  /** Decisions with their rows, for what was said at an earlier tree size. */
  readonly history: DecisionHistory = { verdicts: [], merges: [], erasures: new Map(), cities: [] };
  readonly #find = (record: number) => this.records.get(record);
  /** Reviews with their reasons, by row. */
  readonly reasons = new Map<number, string>();

  constructor(treeSize: number) {
    this.sightings = new SightingColumns(treeSize);
  }

  /** Rows must come in order, each once. */
  apply(row: LedgerRow): void {
    if (row.body === undefined) return;
    switch (row.kind) {
      case "observation":
        this.sightings.add(row.id, row.body, row.leafHash);
        return;
      case "record":
        this.records.set(row.id, newRecord(row.id, row.body));
        return;
      case "asset":
        this.assets.set(row.id, { id: row.id, body: row.body, retirements: [] });
        return;
      case "city":
        applyCityRow(this.cities, row.id, row.acceptedAt, row.body);
        this.#noteCity(row.id, row.body.city);
        return;
      case "seal":
        this.#seal(row.id, row.body);
        return;
      default:
        this.#decide(row);
        return;
    }
  }

  #noteCity(row: number, slug: string): void {
    const city = this.cities.get(slug);
    if (city === undefined) return;
    const { details, publicationStatus } = city;
    const { name, lng } = details;
    this.history.cities.push({ row, slug, name, lng, isPublished: publicationStatus === "published" });
  }

  #seal(row: number, body: SealBody): void {
    this.seals.push({ row, body });
    this.sightings.publish(body.first_observation_id, body.last_observation_id, Date.parse(body.created_at));
  }

  #decide(row: DecisionRow): void {
    if (row.body === undefined) return;
    if (row.kind === "review") {
      this.#review(row, row.body);
      return;
    }
    if (row.kind === "redaction" || row.kind === "opt_out") {
      // The rows that it names come without a body.
      for (const erased of row.body.rows) this.history.erasures.set(erased, { by: row.id, kind: row.kind });
      return;
    }
    const record = this.records.get(row.body.record);
    if (record === undefined) return;
    if (row.kind === "status") setStatus(record, row.body.status);
    else setIdentity(record, row.body);
  }

  #review({ id, acceptedAt }: ReviewRow, body: ReviewBody): void {
    this.reasons.set(id, body.reason);
    if (body.decision === "verify" || body.decision === "reject") {
      this.verdicts.set(body.target, { decision: body.decision, reason: body.reason });
      this.history.verdicts.push({ row: id, target: body.target, decision: body.decision });
    }
    switch (body.decision) {
      case "verify":
        this.sightings.setVerdict(body.target, "verified");
        return;
      case "reject":
        this.sightings.setVerdict(body.target, "rejected");
        return;
      case "reprocess":
        this.sightings.setReprocessed(body.target, utcDayStart(acceptedAt));
        return;
      case "retire":
      case "unretire":
        this.assets.get(body.target)?.retirements.push({ row: id, retired: body.decision === "retire" });
        return;
      default:
        this.#reviewRecord(id, body);
        return;
    }
  }

  #reviewRecord(row: number, { decision, target, industry, into, tags }: ReviewBody): void {
    const record = this.records.get(target);
    if (record === undefined) return;
    if (decision === "flag" || decision === "unflag") record.flagged = decision === "flag";
    if (decision === "classify") record.industry = reviewedIndustry(industry);
    if (decision === "settle_match") record.matchSettled = true;
    if (decision === "merge" && into !== null && into !== target)
      this.#merge(row, record, { into, tags: tags ?? {} });
  }

  #merge(row: number, record: LedgerRecord, merge: Merge): void {
    this.history.merges.push({ row, record: record.id, ...merge });
    applyMerge(record, merge, this.#find);
  }

  /** The record that stays at the end of the merges, or undefined when that one is gone. */
  root(record: LedgerRecord): LedgerRecord | undefined {
    return mergeChain(record, this.#find).at(-1);
  }

  /** The observer tag of an observation as the record at the end of its merges counts it. */
  observerTag(row: number): string {
    const record = this.#find(this.sightings.record(row));
    return mergedTag(this.sightings.observer(row), record, this.#find);
  }
}
