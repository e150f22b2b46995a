import { utcDayStart } from "../kernel/time.ts";
import type { AssetBody, LedgerRow, ReviewBody, SealBody } from "../ledger/rows.ts";
import type { SampleReview } from "../method/review-sample.ts";
import { applyCityRow, type LedgerCity } from "./ledger-city.ts";
import { type LedgerRecord, newRecord, reviewedIndustry, setIdentity, setStatus } from "./ledger-record.ts";
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
        return;
      case "seal":
        this.#seal(row.id, row.body);
        return;
      default:
        this.#decide(row);
        return;
    }
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
    if (row.kind === "redaction" || row.kind === "opt_out") return; // the rows it names come without a body
    const record = this.records.get(row.body.record);
    if (record === undefined) return;
    if (row.kind === "status") setStatus(record, row.body.status);
    else setIdentity(record, row.body);
  }

  #review({ id, acceptedAt }: ReviewRow, body: ReviewBody): void {
    this.reasons.set(id, body.reason);
    if (body.decision === "verify" || body.decision === "reject")
      this.verdicts.set(body.target, { decision: body.decision, reason: body.reason });
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
        this.#reviewRecord(body);
        return;
    }
  }

  #reviewRecord({ decision, target, industry, into, tags }: ReviewBody): void {
    const record = this.records.get(target);
    if (record === undefined) return;
    if (decision === "flag" || decision === "unflag") record.flagged = decision === "flag";
    if (decision === "classify") record.industry = reviewedIndustry(industry);
    if (decision === "settle_match") record.matchSettled = true;
    if (decision === "merge" && into !== null && into !== target) this.#merge(record, into, tags ?? {});
  }

  #merge(record: LedgerRecord, into: number, tags: Readonly<Record<string, string>>): void {
    const stays = this.records.get(into);
    // The later decision wins: a record that shall stay now, and had itself gone into this one, is no longer merged.
    if (stays !== undefined && this.#mergeChain(stays).includes(record)) stays.merge = undefined;
    record.merge = { into, tags };
  }

  /** The record that stays at the end of the merges, or undefined when that one is gone. */
  root(record: LedgerRecord): LedgerRecord | undefined {
    return this.#mergeChain(record).at(-1);
  }

  /** The record, the one it went into, and so on; `undefined` at the end when that one is gone. */
  #mergeChain(record: LedgerRecord): (LedgerRecord | undefined)[] {
    const chain: (LedgerRecord | undefined)[] = [record];
    for (let at: LedgerRecord | undefined = record; at?.merge !== undefined; ) {
      at = this.records.get(at.merge.into);
      chain.push(at);
    }
    return chain;
  }

  /** The observer tag of an observation as the record at the end of its merges counts it. */
  observerTag(row: number): string {
    let tag = this.sightings.observer(row);
    let at = this.records.get(this.sightings.record(row));
    for (; at?.merge !== undefined; at = this.records.get(at.merge.into)) tag = at.merge.tags[tag] ?? tag;
    return tag;
  }
}
