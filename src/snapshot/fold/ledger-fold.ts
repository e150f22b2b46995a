import type { EntityStatus, Environment, IdentityStatus, RecordStatus } from "../../contract/enums.ts";
import type { RowOf } from "../../kernel/table.ts";
import { DAY_MS, spanOf } from "../../kernel/time.ts";
import { LedgerState, type RecordState } from "../../ledger/decisions/ledger-state.ts";
import { type Merge, mergeOf } from "../../ledger/decisions/merges.ts";
import { bitmapCells, cellManifestId, eligibleCells } from "../../ledger/looks.ts";
import type { ExternalProof, OnlineCheck } from "../../ledger/outside-tree.ts";
import type { CachedRows } from "../../ledger/row-cache.ts";
import type {
  CityBody,
  IdentityBody,
  LedgerRow,
  LookBody,
  NamingBody,
  ReassignBody,
  RecordBody,
  RecountBody,
  ReviewBody,
  RevisitBody,
  RevisitPlan,
  RevisitResult,
  SealBody,
  SourceBody,
  TallyBody,
} from "../../ledger/rows/rows.ts";
import type { Industry, LookRow } from "../../method/types.ts";
import type { cityVersions } from "../tables/cities.ts";
import type {
  Change,
  changes,
  earlierNames,
  erasures,
  reassigns,
  recounts,
  verdicts,
} from "../tables/decisions.ts";
import { groupedRows } from "./grouped-rows.ts";
import { SightingFold } from "./sighting-fold.ts";

/**
 * The state that the first rows of a ledger add up to. A redacted row has no body and leaves no trace. Bodies of observations are
 * not kept: `sightings` has their values as columns.
 */
export class LedgerFold extends LedgerState {
  readonly seals: { readonly row: number; readonly body: SealBody }[] = [];
  readonly sightings: SightingFold;
  /** Decisions with their rows, for what releases of earlier trees said. */
  readonly history: DecisionHistory = {
    verdicts: [],
    names: [],
    merges: [],
    reassigns: [],
    recounts: [],
    changes: [],
    erasures: new Map(),
    cities: [],
  };
  readonly sourceRows: { readonly id: number; readonly body: SourceBody }[] = [];
  readonly tallies: TallyBody[] = []; // in order
  /** Records that were named more than once. */
  readonly #renamed = new Set<number>();
  #otherwise: Uint8Array | undefined;
  #observationsByCity: Map<string, Uint32Array> | undefined;
  readonly revisits = new RevisitRows();
  /** Records and assets that a review withdrew, with the row that did. */
  readonly withdrawn = new Map<number, number>();
  #lastWithdrawal: { readonly row: number; readonly by: number } | undefined;
  /** Reviews with their reasons, by row. */
  readonly reasons = new Map<number, string>();

  readonly #looks: { readonly row: number; readonly body: LookBody }[] = [];
  /** The lists of eligible cells that any city ever had, by their ids: bitmaps refer to them. */
  readonly #manifests = new Map<string, readonly string[]>();

  constructor(treeSize: number) {
    super();
    this.sightings = new SightingFold(treeSize);
  }

  /** As `apply` for each row of a range. All of them must be in effect. */
  applyCached({ start, observations, others }: CachedRows): void {
    this.sightings.load(start.size, observations);
    for (const row of others) this.apply(row);
  }

  /** Rows must come in order, each once. */
  apply(row: LedgerRow): void {
    if (row.body === undefined) return;
    this.#noteChange(row);
    switch (row.kind) {
      case "observation":
        this.sightings.add(row.id, row.body, row.leafHash);
        return;
      case "seal":
        this.#seal(row.id, row.body);
        return;
      case "look":
        this.#looks.push({ row: row.id, body: row.body });
        return;
      case "revisit":
        this.revisits.add(row.id, row.body);
        return;
      case "clock":
        return; // only the dates of rows depend on it
      case "recount":
        this.#recount(row.id, row.body);
        return;
      case "reassign":
        this.take(row);
        this.#noteMove(row.id, row.body);
        return;
      case "source":
        this.sourceRows.push({ id: row.id, body: row.body });
        return;
      case "tally":
        this.tallies.push(row.body);
        return;
      case "redaction":
        // The rows that it names come without a body.
        for (const erased of row.body.rows)
          this.history.erasures.set(erased, { row: erased, erasedBy: row.id });
        return;
      default:
        if (row.kind === "naming") this.#noteName(row.id, row.body);
        this.take(row);
        if (row.kind === "city") this.#noteCity(row.id, row.body);
        if (row.kind === "review") this.#noteReview(row.id, row.body);
    }
  }

  /** Before the row is applied. */
  #noteChange(row: LedgerRow): void {
    const [change, targets] = this.#changeBy(row) ?? [];
    if (change === undefined) return;
    for (const target of new Set(targets)) this.history.changes.push({ row: row.id, target, change });
  }

  #changeBy({ id, kind, body }: LedgerRow): [Change, number[]] | undefined {
    if (body === undefined) return undefined;
    switch (kind) {
      case "recount":
        return [body.code ?? kind, [body.target]];
      case "review":
        return [body.decision, [body.target, body.into ?? body.target]];
      case "identity":
      case "status":
        return [kind, [body.record]];
      case "reassign":
        return [kind, [body.target, body.record, this.sightings.record(body.target)]];
      case "city":
        return [body.step, [this.cities.get(body.city)?.id ?? id]];
      case "naming": {
        if (body.reviewer !== undefined) return ["named", [body.record]];
        // Nearly all records are named once, by the line that made them.
        const isFirst = this.records.get(body.record)?.namedBy === undefined;
        return isFirst ? undefined : [kind, [body.record]];
      }
      default:
        return undefined;
    }
  }

  #seal(row: number, body: SealBody): void {
    this.seals.push({ row, body });
    this.sightings.publish(body.first_observation_id, body.last_observation_id, Date.parse(body.created_at));
  }

  /** The sealed look rows of a city in order, up to a row. A bitmap over a list that the city never had says nothing. */
  lookRows(slug: string, lastRow = Number.POSITIVE_INFINITY): LookRow[] {
    return this.#looks.flatMap(({ row, body: { city, span, start, cells, manifest } }) => {
      const list = this.#manifests.get(manifest);
      const publishedAt = this.sightings.publishedAt(row);
      if (city !== slug || row > lastRow || list === undefined || publishedAt === 0) return [];
      const first = Date.parse(start) / DAY_MS;
      return [{ span, ...spanOf(span, first), publishedAt, cells: bitmapCells(list, cells) }];
    });
  }

  /** Nearly all records are named once: of these nothing is noted. */
  #noteName(row: number, { record, name }: NamingBody): void {
    const { name: before, namedBy } = this.records.get(record) ?? {};
    if (before === undefined || namedBy === undefined) return;
    const { names } = this.history;
    if (!this.#renamed.has(record)) names.push({ row: namedBy, record, name: before });
    this.#renamed.add(record);
    names.push({ row, record, name });
  }

  #noteMove(row: number, { target, record, asset, observer_tag }: ReassignBody): void {
    const from = this.sightings.record(target);
    if (from === 0) return;
    this.history.reassigns.push({ row, target, from, record, asset, observerTag: observer_tag });
    this.sightings.move(target, { record, asset, observer_tag });
  }

  #noteCity(row: number, { city: slug, details }: CityBody): void {
    if (details !== null) {
      const cells = eligibleCells(details);
      this.#manifests.set(cellManifestId(cells), cells);
    }
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

  #noteReview(row: number, body: ReviewBody): void {
    const { decision, target, reason } = body;
    this.reasons.set(row, reason);
    if (decision === "withdraw") this.#noteWithdrawal(row, target);
    if (decision === "verify" || decision === "reject") {
      this.sightings.setVerdict(target, decision === "verify" ? "verified" : "rejected");
      this.history.verdicts.push({ row, target, decision });
    }
    const merge = mergeOf(row, body);
    if (merge !== undefined && this.records.has(merge.record)) this.history.merges.push(merge);
  }

  /** Those of one command follow one another: all are withdrawn by the first of them. */
  #noteWithdrawal(row: number, target: number): void {
    const before = this.#lastWithdrawal;
    const by = before?.row === row - 1 ? before.by : row;
    this.#lastWithdrawal = { row, by };
    this.withdrawn.set(target, by);
  }

  /** Once all rows are applied: what left the public with its record or asset, and the row that withdrew it. */
  *withdrawnRows(): Generator<{ readonly row: number; readonly erasedBy: number }> {
    if (this.withdrawn.size === 0) return;
    for (const [row, erasedBy] of this.withdrawn) yield { row, erasedBy };
    for (const [row, record, asset] of this.sightings.observedBy(Number.POSITIVE_INFINITY)) {
      const erasedBy = this.withdrawn.get(record) ?? this.withdrawn.get(asset);
      if (erasedBy !== undefined) yield { row, erasedBy };
    }
  }

  /** The record at the end of the merges; undefined when that one is gone. */
  root({ id }: LedgerRecord): LedgerRecord | undefined {
    return this.records.get(this.merges.root(id));
  }

  /** The observer tag of an observation as the record at the end of the merges counts it. */
  observerTag(row: number): string {
    const { sightings, merges } = this;
    return merges.rootTag(sightings.record(row), sightings.observer(row));
  }

  /** Once all rows are applied: by row 1 where a release may show an observation otherwise than the ledger has it. */
  mayBeShownOtherwise(): Uint8Array {
    this.#otherwise ??= this.#findOtherwise();
    return this.#otherwise;
  }

  #findOtherwise(): Uint8Array {
    const records = new Set(this.merges.all().map(({ record }) => record));
    return this.sightings.mayBeShownOtherwise(records);
  }

  /** Once all rows are applied: the live observations of a city's records, merged or not, in row order. */
  observationsIn(city: string): Uint32Array {
    this.#observationsByCity ??= this.#groupByCity();
    return this.#observationsByCity.get(city) ?? new Uint32Array();
  }

  #groupByCity(): Map<string, Uint32Array> {
    const slugs = [...this.cities.keys()];
    const places = new Map(slugs.map((slug, index) => [slug, index + 1]));
    const placeOf = new Uint32Array(this.sightings.lastRow + 1); // by record
    for (const { id, body } of this.records.values()) placeOf[id] = places.get(body.city) ?? 0;
    const grouped = groupedRows(slugs.length, this.sightings.valueOfRecord(placeOf));
    return new Map(slugs.map((slug, index) => [slug, grouped[index + 1] ?? new Uint32Array()]));
  }

  #recount(row: number, { target, counts }: RecountBody): void {
    this.history.recounts.push({ row, target, counts });
    if (this.sightings.record(target) !== 0) this.sightings.setCounts(target, counts);
  }
}

/** The public part of an external proof. */
export type PublicProof = Pick<ExternalProof, "size" | "provider" | "status" | "sha256" | "verifiedAt">;

/**
 * Input of a snapshot in addition to the folded rows. The ledger provides it, and so do a release's public files, from which a
 * replay builds.
 */
export interface LedgerSource {
  readonly meta: { readonly environment: Environment; readonly origin: string };
  lastSealedRow(treeSize: number): number;
  checkpointAt(size: number): { readonly root: Uint8Array } | undefined;
  checkpoints(): readonly { readonly size: number }[];
  externalProofs(asOf: number): readonly PublicProof[];
  publishedOnlineChecks(asOf: number, sealed: number): Iterable<OnlineCheck>;
  /** The newest row accepted by `asOf` (ms); `latestAcceptedAt` in ms, null when there is none. */
  head(asOf: number): { readonly lastRow: number; readonly latestAcceptedAt: number | null };
  /** Accepted lines that had no row yet at `asOf` (ms) and wait for no reviewer. */
  pendingLines(asOf: number): number;
}

export type LedgerRecord = RecordState;

/** What the ledger says of a record in the end, as plain data. */
export interface ShownRecord {
  readonly id: number; // ledger row
  readonly body: RecordBody;
  readonly name: string;
  readonly website: string | null;
  readonly industry: Industry;
  readonly status: EntityStatus;
  readonly recordStatus: RecordStatus;
  readonly identityStatus: IdentityStatus;
  readonly identity: IdentityBody | null; // the last reviewed one
  readonly isFlagged: boolean;
  readonly isMatchUnderReview: boolean;
}

export function shownRecord(record: LedgerRecord): ShownRecord {
  const { id, body, name, website, industry, status, identityStatus, identity } = record;
  return {
    id,
    body,
    name,
    website,
    industry,
    status,
    recordStatus: recordStatus(record),
    identityStatus,
    identity,
    isFlagged: record.flaggedBy !== undefined,
    isMatchUnderReview: record.isMatchWaiting,
  };
}

function recordStatus({ merge, status }: LedgerRecord): RecordStatus {
  if (merge !== undefined) return "merged";
  return status === "dissolved" ? "dissolved" : "active";
}

/** Decisions in row order. A release of an earlier tree knew those up to its last sealed row. */
export interface DecisionHistory {
  readonly verdicts: RowOf<typeof verdicts.columns>[];
  readonly names: RowOf<typeof earlierNames.columns>[];
  readonly merges: Merge[];
  readonly reassigns: RowOf<typeof reassigns.columns>[];
  readonly recounts: RowOf<typeof recounts.columns>[];
  readonly changes: RowOf<typeof changes.columns>[];
  readonly erasures: Map<number, RowOf<typeof erasures.columns>>; // by erased row
  readonly cities: RowOf<typeof cityVersions.columns>[];
}

/** The plans and results of a ledger, in row order. */
export class RevisitRows {
  readonly plans: { readonly row: number; readonly body: RevisitPlan }[] = [];
  readonly results: { readonly row: number; readonly body: RevisitResult }[] = [];

  add(row: number, body: RevisitBody): void {
    if (body.step === "plan") this.plans.push({ row, body });
    else this.results.push({ row, body });
  }
}
