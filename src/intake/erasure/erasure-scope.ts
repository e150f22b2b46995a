import { Merges, relatedRecords } from "../../ledger/decisions/merges.ts";
import type {
  LiveDecision,
  LiveMerge,
  LiveRow,
  LiveRows,
  LiveSighting,
} from "../../ledger/rows/live-rows.ts";
import type { AssetBody, NamingBody, RecordBody } from "../../ledger/rows/rows.ts";

/** All live rows that may depend on each other: some records, what merges ever brought together with them, and what is theirs. */
export interface Scope {
  readonly records: ReadonlyMap<number, RecordBody>;
  /** Record -> its naming in effect. */
  readonly namings: ReadonlyMap<number, NamingBody>;
  readonly everyNaming: readonly LiveRow<NamingBody>[]; // in order
  readonly assets: ReadonlyMap<number, AssetBody>;
  readonly sightings: readonly LiveSighting[];
  readonly decisions: readonly LiveDecision[];
  readonly reviews: readonly LiveMerge[]; // all merges among them, in order
  readonly merges: Merges<LiveMerge>; // the ones in effect
}

export function scopeAround(live: LiveRows, start: readonly number[]): Scope {
  const everyMerge = live.merges();
  let related = relatedRecords(start, everyMerge);
  for (;;) {
    const scope = scopeOf(live, related, everyMerge);
    // An asset can have observations of a record that it was merged with once, even if the merge itself was erased.
    const wider = relatedRecords([...related, ...recordsIn(scope)], everyMerge);
    if (wider.size === related.size) return scope;
    related = wider;
  }
}

function scopeOf(live: LiveRows, related: ReadonlySet<number>, everyMerge: readonly LiveMerge[]): Scope {
  const records = new Map(live.records(related).map(({ id, body }) => [id, body]));
  const ownAssets = live.assets(related, []).map(({ id }) => id);
  const sightings = live.sightings(related, ownAssets);
  const seen = sightings.map(({ body }) => body.asset);
  const assets = new Map(live.assets(related, seen).map(({ id, body }) => [id, body]));
  const ids = [...related, ...assets.keys(), ...sightings.map(({ id }) => id)];
  const reviews = everyMerge.filter(({ record }) => related.has(record));
  const everyNaming = live.namings(related);
  return {
    records,
    namings: new Map(everyNaming.map(({ body }) => [body.record, body])),
    everyNaming,
    assets,
    sightings,
    decisions: live.decisions(ids),
    reviews,
    merges: new Merges(reviews.filter(({ record }) => records.has(record))),
  };
}

function recordsIn({ assets, sightings }: Scope): number[] {
  return [
    ...Array.from(assets.values(), ({ record }) => record),
    ...sightings.map(({ body }) => body.record),
  ];
}

/** The records that an observation counts for: its own, its asset's, and those that they went into. */
export function supportedBy({ body }: LiveSighting, { assets, merges }: Scope): number[] {
  const owner = assets.get(body.asset)?.record ?? body.record;
  return [...merges.chain(body.record), ...(owner === body.record ? [] : merges.chain(owner))];
}
