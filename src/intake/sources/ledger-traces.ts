import { latLngToCell } from "h3-js";
import { BUILT_IN } from "../../contract/fields.ts";
import type { Trace } from "../../independence/trace.ts";
import type { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { SetAsideRow, Source } from "../../ledger/sources/source-store.ts";
import { namedSourceOf, type StoredObservation } from "../../ledger/sources/stored-observations.ts";
import { CITY_RESOLUTION } from "../places/place.ts";
import type { Principals } from "./principals.ts";

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
