import { latLngToCell } from "h3-js";
import { BUILT_IN } from "../../contract/fields.ts";
import type { Trace } from "../../independence/trace.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { RecountBody } from "../../ledger/rows/rows.ts";
import type { SetAsideRow, Source } from "../../ledger/sources/source-store.ts";
import { namedSourceOf, type StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { checkedName } from "../lines/name.ts";
import { CITY_RESOLUTION } from "../places/place.ts";
import { Affiliations, isLasting, Principals } from "./principals.ts";

/** What a row is worth to its record. */
export interface Lesson {
  readonly record: number; // at the end of merges
  /** Undefined for the built-in sources, whose lines teach no contacts. */
  readonly principal: string | undefined;
  readonly teaches: boolean;
}

/**
 * Which rows teach: those whose names, places and contacts become the record's. A row teaches if it counts, its last review did not
 * reject it, and nothing that is known in private sets it aside now; the public rows say so only when their keyed day has come.
 */
export class Teaching {
  readonly #state: LedgerState;
  readonly #counts: CurrentCounts;
  readonly #setAside: ReadonlyMap<number, SetAsideRow>;
  readonly #sourceOf: (observation: StoredObservation) => Source | undefined;
  readonly #principals: Principals;
  readonly #affiliations: Affiliations;

  /** Reads the ledger through for the rows that changed what counts. */
  constructor({ sources, live }: Pick<LedgerWriter, "sources" | "live">, state: LedgerState) {
    this.#state = state;
    this.#counts = new CurrentCounts(live.recounts());
    this.#setAside = sources.setAside();
    this.#sourceOf = sourceFinder(sources.sources());
    this.#principals = new Principals(sources);
    this.#affiliations = new Affiliations(sources, state.merges);
  }

  /** The record that an observation is one of, at the end of merges. */
  recordOf({ body }: Pick<StoredObservation, "row" | "body">): number {
    return this.#state.merges.root(body.record);
  }

  of(stored: StoredObservation): Lesson {
    const record = this.recordOf(stored);
    const source = this.#sourceOf(stored);
    if (source === undefined) return { record, principal: undefined, teaches: this.#isSound(stored) };
    const principal = this.principalOf(stored, source);
    const teaches =
      this.#isSound(stored) &&
      !this.#isSuspended(stored, source) &&
      !this.#affiliations.has(principal, { record, nameKey: nameKey(checkedName(stored.hidden.seen.name)) });
    return { record, principal, teaches };
  }

  /** By what is known today of who controls whom. */
  principalOf({ hidden }: StoredObservation, source: Source): string {
    return this.#principals.of(source.id, hidden.observer.hash);
  }

  #isSuspended({ hidden }: StoredObservation, { vetting }: Source): boolean {
    return vetting === "individual" && this.#principals.observer(hidden.observer.hash).isSuspended;
  }

  #isSound(stored: StoredObservation): boolean {
    const known = this.#setAside.get(stored.row);
    const isSetAside = known !== undefined && isLasting(known.check) && known.review !== "restored";
    const isRejected = this.#state.verdicts.get(stored.row)?.decision === "reject";
    return !isSetAside && !isRejected && this.#counts.of({ row: stored.row, stored });
  }
}

/** Whether rows count now, as they and the rows about them say. */
export class CurrentCounts {
  readonly #changed = new Map<number, boolean>();

  constructor(recounts: Iterable<{ readonly body: RecountBody }>) {
    for (const { body } of recounts) this.#changed.set(body.target, body.counts);
  }

  of({ row, stored }: { readonly row: number; readonly stored: Pick<StoredObservation, "body"> }): boolean {
    return this.#changed.get(row) ?? stored.body.counts;
  }
}

/** A row as the checks see it, with what its later changes depend on. */
export interface LedgerTrace extends Trace {
  readonly stored: StoredObservation;
  /** Its source: undefined for the built-in ones. */
  readonly registered: Source | undefined;
}

export interface TraceContext {
  readonly state: LedgerState;
  readonly principals: Principals;
  readonly sourceOf: (observation: StoredObservation) => Source | undefined;
  readonly setAside: ReadonlyMap<number, SetAsideRow>;
}

const VERDICTS = { verify: "verified", reject: "rejected" } as const;

/** Traces of observations in the order of their rows, which they must come in. */
export function ledgerTraces(
  observations: Iterable<StoredObservation>,
  context: TraceContext,
): LedgerTrace[] {
  const published = new Map<number, number>();
  const traces: LedgerTrace[] = [];
  for (const stored of observations) {
    const { asset } = stored.body;
    const assetPublishedDay = Math.min(published.get(asset) ?? Number.POSITIVE_INFINITY, stored.acceptedDay);
    published.set(asset, assetPublishedDay);
    traces.push({ ...traceOf(stored, context), assetPublishedDay });
  }
  return traces;
}

function traceOf(
  stored: StoredObservation,
  { state, principals, sourceOf, setAside }: TraceContext,
): Omit<LedgerTrace, "assetPublishedDay"> {
  const { row, body, hidden, acceptedDay } = stored;
  const { exact } = hidden;
  const observer = hidden.observer.hash;
  const registered = sourceOf(stored);
  const isCollective = registered?.vetting !== "individual";
  const verdict = state.verdicts.get(row)?.decision;
  return {
    row,
    observer,
    principal: principals.of(registered?.id, observer), // by what is known today
    source: registered?.id ?? BUILT_IN,
    isCollective,
    assetType: body.asset_type,
    record: state.merges.root(body.record),
    asset: body.asset,
    cell: latLngToCell(exact.lat, exact.lng, CITY_RESOLUTION),
    lat: exact.lat,
    lng: exact.lng,
    instant: Date.parse(exact.observed_at),
    isBareDate: exact.bare_date === true,
    isArchive: body.derived_from_archive,
    acceptedDay,
    media: exact.media_sha256 ?? null,
    mediaLook: exact.media_phash === undefined ? null : BigInt(`0x${exact.media_phash}`),
    verdict: verdict && VERDICTS[verdict],
    isRestored: setAside.get(row)?.review === "restored",
    stored,
    registered,
  };
}

/** Finds the source that an observation's line named. */
export function sourceFinder(
  sources: readonly Source[],
): (observation: Pick<StoredObservation, "hidden">) => Source | undefined {
  const byId = new Map(sources.map((source) => [source.id, source]));
  return ({ hidden }) => {
    const named = namedSourceOf(hidden);
    return named === null ? undefined : byId.get(named);
  };
}
