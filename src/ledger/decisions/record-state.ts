import type { EntityStatus, IdentityStatus, IndustryMethod } from "../../contract/enums.ts";
import type { IdentityBody, NamingBody, RecordBody, ReviewBody } from "../rows/rows.ts";
import type { Merge, Merges } from "./merges.ts";

export interface ReviewRow {
  readonly id: number;
  readonly acceptedAt: number; // ms
  readonly body: ReviewBody;
}

export interface RecordIndustry {
  readonly code: string | null; // ISIC Rev. 5; null: none can be given
  readonly method: IndustryMethod;
  readonly authoritative: boolean;
}

/** A record with what the decisions about it add up to. Only `LedgerState` changes it. */
export class RecordState {
  readonly id: number;
  readonly acceptedAt: number; // ms
  readonly body: RecordBody;
  status: EntityStatus = "unclaimed";
  /** The last status other than dissolved. */
  identityStatus: IdentityStatus = "unclaimed";
  identity: IdentityBody | null = null;
  /** The review that flagged it, unless it was unflagged since. */
  flaggedBy: ReviewRow | undefined;
  isMatchSettled = false;
  isIndustryReviewed = false;
  /** The row of the naming in effect. */
  namedBy: number | undefined;
  #naming: NamingBody | undefined;
  #reviewedIndustry: RecordIndustry | undefined;
  readonly #merges: Merges;

  constructor(id: number, acceptedAt: number, body: RecordBody, merges: Merges) {
    this.id = id;
    this.acceptedAt = acceptedAt;
    this.body = body;
    this.#merges = merges;
  }

  /** As the last naming has it; one without a live naming is shown by its public id. */
  get name(): string {
    return this.#naming?.name ?? this.body.public_id;
  }

  get website(): string | null {
    return this.#naming?.website ?? null;
  }

  /** The naming in effect. */
  get naming(): NamingBody | undefined {
    return this.#naming;
  }

  /** As reviewed, else as the naming in effect has it. */
  get industry(): RecordIndustry {
    if (this.#reviewedIndustry !== undefined) return this.#reviewedIndustry;
    const { industry: code = null, industry_method: method = "unclassified" } = this.#naming ?? {};
    return { code, method, authoritative: method === "declared" };
  }

  /** Whether it might be the same as another record, and no reviewer has said so far. */
  get isMatchWaiting(): boolean {
    return this.hasMatchReview && !this.isMatchSettled;
  }

  /** Whether intake found records that it might be the same as. */
  get hasMatchReview(): boolean {
    return this.#naming?.match_review === true;
  }

  /** The merge by which it went into another record. */
  get merge(): Merge | undefined {
    return this.#merges.get(this.id);
  }

  setStatus(status: EntityStatus): void {
    this.status = status;
    if (status !== "dissolved") this.identityStatus = status;
  }

  setNaming(row: number, naming: NamingBody): void {
    this.namedBy = row;
    this.#naming = naming;
  }

  /** A body without a scope withdraws the ones before it. */
  setIdentity(identity: IdentityBody): void {
    this.identity = identity.scope === null ? null : identity;
  }

  review(row: ReviewRow): void {
    const { decision, industry } = row.body;
    if (decision === "flag") this.flaggedBy = row;
    if (decision === "unflag") this.flaggedBy = undefined;
    if (decision === "settle_match") this.isMatchSettled = true;
    if (decision !== "classify") return;
    const isGiven = industry !== null;
    this.#reviewedIndustry = {
      code: industry,
      method: isGiven ? "reviewed" : "unclassified",
      authoritative: isGiven,
    };
    this.isIndustryReviewed = true;
  }
}
