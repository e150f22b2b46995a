import type {
  CollectionStatus,
  EntityStatus,
  IdentityStatus,
  IndustryMethod,
  PublicationStatus,
} from "../../contract/enums.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type {
  AssetBody,
  BodyOf,
  CityBody,
  CityDetails,
  IdentityBody,
  NamingBody,
  RecordBody,
  ReviewBody,
} from "../rows/rows.ts";
import { Apart, type Merge, Merges, mergeOf, Reassigned } from "./merges.ts";

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

  /** It is gone, as if it were erased: its observations are of nothing that is shown. */
  #withdraw(target: number): void {
    this.records.delete(target);
    this.assets.delete(target);
  }

  #review(row: ReviewRow): void {
    const { decision, target, reason } = row.body;
    if (decision === "withdraw") {
      this.#withdraw(target);
      return;
    }
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

/** A city as its rows leave it. */
export interface CityState {
  readonly id: number; // the row that registered it first
  readonly slug: string;
  readonly registeredAt: number; // ms, the UTC day of that row
  readonly details: CityDetails;
  readonly publicationStatus: PublicationStatus;
  readonly collectionStatus: CollectionStatus;
  readonly launched: boolean;
  readonly denominatorReviewed: boolean;
}

export type CityStep = Exclude<CityBody["step"], "register" | "outline">;

const STEPS: Readonly<Record<CityStep, Partial<CityState>>> = {
  review: { denominatorReviewed: true },
  publish: { publicationStatus: "published" },
  unpublish: { publicationStatus: "unpublished" },
  pause: { collectionStatus: "paused" },
  resume: { collectionStatus: "active" },
  launch: { launched: true },
};

/**
 * The city after one more row; undefined for a step of a city that was never registered. Another list of
 * eligible cells or another outline replaces its details, and its denominator has to be reviewed again.
 */
function cityAfter(
  city: CityState | undefined,
  row: { readonly id: number; readonly acceptedAt: number; readonly body: CityBody },
): CityState | undefined {
  const { city: slug, step, details } = row.body;
  if (step !== "register" && step !== "outline") return city && { ...city, ...STEPS[step] };
  if (details === null) return city;
  const { id, acceptedAt } = row;
  const added = {
    id,
    slug,
    registeredAt: utcDayStart(acceptedAt),
    publicationStatus: "published",
    collectionStatus: "active",
    launched: false,
  } as const;
  return { ...added, ...city, details, denominatorReviewed: false };
}
