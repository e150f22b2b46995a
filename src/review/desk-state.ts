import type { EntityStatus } from "../contract/enums.ts";
import type { DeskRow } from "../ledger/rows/desk-rows.ts";
import type {
  AssetBody,
  CityBody,
  CityDetails,
  IdentityBody,
  RecordBody,
  ReviewBody,
} from "../ledger/rows/rows.ts";

/** What the rows up to now add up to for reviewers; the same rules as those of a release (src/snapshot/fold/ledger-fold.ts). */

export type DecisionRow = Extract<DeskRow, { kind: "review" | "identity" | "status" | "city" }>;

/** All that has a version: the last row that says something about it. */
interface Decided {
  readonly id: number;
  readonly acceptedAt: number; // ms, of its first row
  readonly decisions: DecisionRow[];
}

export interface DeskRecord extends Decided {
  readonly body: RecordBody;
  status: EntityStatus;
  /** What a dissolved record was before. */
  statusBefore: EntityStatus;
  flaggedBy: Extract<DeskRow, { kind: "review" }> | undefined;
  settled: boolean;
  /** Undefined until reviewed; null: none can be given. */
  reviewedIndustry: string | null | undefined;
  identity: IdentityBody | undefined;
  mergedInto: number | undefined;
}

export interface DeskAsset extends Decided {
  readonly body: AssetBody;
  retired: boolean;
}

type CitySubject = "city denominator" | "city publication" | "city collection" | "city launch";

export interface DeskCity extends Decided {
  readonly slug: string;
  readonly details: CityDetails;
  states: Readonly<Record<CitySubject, string>>;
}

export class DeskState {
  readonly records = new Map<number, DeskRecord>();
  readonly assets = new Map<number, DeskAsset>();
  readonly cities = new Map<string, DeskCity>();
  /** By observation: what was decided about it. */
  readonly verdicts = new Map<number, DecisionRow[]>();
  readonly #publicIds = new Map<string, number>();
  lastRow = 0;

  constructor(rows: Iterable<DeskRow>) {
    for (const row of rows) this.apply(row);
  }

  /** The record or asset row of a public id. */
  withPublicId(publicId: string): number | undefined {
    return this.#publicIds.get(publicId);
  }

  /** Rows must come in order, each once. */
  apply(row: DeskRow): void {
    this.lastRow = row.id;
    const { id, acceptedAt } = row;
    switch (row.kind) {
      case "record":
        this.#publicIds.set(row.body.public_id, id);
        this.records.set(id, newRecord(id, acceptedAt, row.body));
        return;
      case "asset":
        this.#publicIds.set(row.body.public_id, id);
        this.assets.set(id, { id, acceptedAt, body: row.body, decisions: [], retired: false });
        return;
      case "city":
        this.#city(row);
        return;
      case "review":
        this.#review(row);
        return;
      default:
        this.#describe(row);
    }
  }

  /** The record, the one it went into, and so on. */
  chain(record: number): number[] {
    const chain = [record];
    for (let at = this.records.get(record)?.mergedInto; at !== undefined; ) {
      chain.push(at);
      at = this.records.get(at)?.mergedInto;
    }
    return chain;
  }

  #describe(row: Extract<DeskRow, { kind: "identity" | "status" }>): void {
    const record = this.records.get(row.body.record);
    if (record === undefined) return;
    record.decisions.push(row);
    if (row.kind === "identity") {
      record.identity = row.body.scope === null ? undefined : row.body;
      return;
    }
    if (row.body.status !== "dissolved") record.statusBefore = row.body.status;
    record.status = row.body.status;
  }

  #review(row: Extract<DeskRow, { kind: "review" }>): void {
    const { decision, target, into } = row.body;
    const record = this.records.get(target);
    const asset = this.assets.get(target);
    if (record !== undefined) this.#reviewRecord(record, row);
    else if (asset !== undefined) asset.retired = decision === "retire";
    else if (decision !== "dismiss") this.verdicts.set(target, [...(this.verdicts.get(target) ?? []), row]);
    (record ?? asset)?.decisions.push(row);
    if (into !== null) this.records.get(into)?.decisions.push(row);
  }

  #reviewRecord(record: DeskRecord, row: Extract<DeskRow, { kind: "review" }>): void {
    const { decision, into, industry } = row.body;
    if (decision === "flag") record.flaggedBy = row;
    if (decision === "unflag") record.flaggedBy = undefined;
    if (decision === "settle_match") record.settled = true;
    if (decision === "classify") record.reviewedIndustry = industry;
    if (decision === "merge" && into !== null && into !== record.id) this.#merge(record, into);
  }

  /** The later decision wins: a record that had gone into this one, and shall stay now, is no longer merged. */
  #merge(record: DeskRecord, into: number): void {
    const stays = this.records.get(into);
    if (stays !== undefined && this.chain(into).includes(record.id)) stays.mergedInto = undefined;
    record.mergedInto = into;
  }

  #city(row: Extract<DeskRow, { kind: "city" }>): void {
    const { city: slug, step, details } = row.body;
    const known = this.cities.get(slug);
    if (step === "register") {
      if (details === null) return;
      const reviewed = "city denominator";
      const states = { ...(known?.states ?? NEW_CITY), [reviewed]: NEW_CITY[reviewed] };
      const { id, acceptedAt, decisions } = known ?? { ...row, decisions: [] };
      this.cities.set(slug, { id, acceptedAt, slug, details, decisions: [...decisions, row], states });
    } else if (known !== undefined) {
      known.decisions.push(row);
      const [subject, state] = CITY_STEPS[step];
      known.states = { ...known.states, [subject]: state };
    }
  }
}

/** The last row about it. */
export function versionOf({ id, decisions }: { id: number; decisions: readonly DecisionRow[] }): number {
  return decisions.at(-1)?.id ?? id;
}

/** What the last review says of an observation; `provisional` stands for all that nobody looked at. */
export function verdictOf(decisions: readonly DecisionRow[]): "verified" | "rejected" | "provisional" {
  const last = decisions.findLast((row) => verdict(row) !== undefined);
  return (last && verdict(last)) ?? "provisional";
}

function verdict(row: DecisionRow): "verified" | "rejected" | undefined {
  if (row.kind !== "review") return undefined;
  const verdicts: Partial<Record<ReviewBody["decision"], "verified" | "rejected">> = {
    verify: "verified",
    reject: "rejected",
  };
  return verdicts[row.body.decision];
}

function newRecord(id: number, acceptedAt: number, body: RecordBody): DeskRecord {
  return {
    id,
    acceptedAt,
    body,
    decisions: [],
    status: "unclaimed",
    statusBefore: "unclaimed",
    flaggedBy: undefined,
    settled: false,
    reviewedIndustry: undefined,
    identity: undefined,
    mergedInto: undefined,
  };
}

const NEW_CITY: DeskCity["states"] = {
  "city denominator": "unreviewed",
  "city publication": "published",
  "city collection": "active",
  "city launch": "preview",
};

type CityStep = Exclude<CityBody["step"], "register">;

/** What each step changes, and to what. */
export const CITY_STEPS: Readonly<Record<CityStep, readonly [CitySubject, string]>> = {
  review: ["city denominator", "reviewed"],
  publish: ["city publication", "published"],
  unpublish: ["city publication", "unpublished"],
  pause: ["city collection", "paused"],
  resume: ["city collection", "active"],
  launch: ["city launch", "launched"],
};
