import { type Merge, Merges, relatedRecords } from "../../ledger/decisions/merges.ts";
import type {
  LiveDecision,
  LiveMerge,
  LiveRow,
  LiveRows,
  LiveSighting,
} from "../../ledger/rows/live-rows.ts";
import type { AssetBody, NamingBody, NewRow, RecordBody } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseWebsite } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { displayName } from "../naming/choose-naming.ts";
import { chosenNamings } from "../naming/queue-namings.ts";

/** What goes along with rows that are erased: all that existed only because of them, and what they alone bear out. Pure but for reading the rows. */

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
function supportedBy({ body }: LiveSighting, { assets, merges }: Scope): number[] {
  const owner = assets.get(body.asset)?.record ?? body.record;
  return [...merges.chain(body.record), ...(owner === body.record ? [] : merges.chain(owner))];
}

/**
 * The given rows and everything that existed only because of them: the observations of an erased record or asset, assets and
 * records without any other live observation, and what was decided about an erased row. Pure.
 */
export function withDependents(start: Iterable<number>, scope: Scope): Set<number> {
  const erased = new Set(start);
  const add = (rows: Iterable<number>) => {
    for (const row of rows) erased.add(row);
  };
  add(assetsOf(erased, scope));
  add(
    scope.sightings
      .filter(({ body }) => erased.has(body.record) || erased.has(body.asset))
      .map(({ id }) => id),
  );
  const gone = scope.sightings.filter(({ id }) => erased.has(id));
  const left = scope.sightings.filter(({ id }) => !erased.has(id));
  add(unsupported(gone, left, ({ body }) => [body.asset]));
  add(unsupported(gone, left, (sighting) => supportedBy(sighting, scope)));
  add(assetsOf(erased, scope));
  add(scope.decisions.filter(({ about }) => about.some((row) => erased.has(row))).map(({ id }) => id));
  return erased;
}

function assetsOf(records: ReadonlySet<number>, { assets }: Scope): number[] {
  return [...assets].filter(([, { record }]) => records.has(record)).map(([asset]) => asset);
}

/** What the observations that are gone were about, and none that is left is. */
function unsupported(
  gone: readonly LiveSighting[],
  left: readonly LiveSighting[],
  subjects: (sighting: LiveSighting) => readonly number[],
): number[] {
  const kept = new Set(left.flatMap(subjects));
  return gone.flatMap(subjects).filter((row) => !kept.has(row));
}

/**
 * Rows that stay and lose their private values, because these came from a first observation that is erased: the asset's own row, and the
 * namings of a record.
 */
export function strippedRows({ sightings, assets, decisions }: Scope, erased: ReadonlySet<number>): number[] {
  const first = new Map<number, number>();
  for (const { id, body } of sightings)
    for (const row of [body.record, body.asset]) if (!first.has(row)) first.set(row, id);
  const outlivesFirst = (row: number) => !erased.has(row) && erased.has(first.get(row) ?? 0);
  // All sightings of a vehicle with a reference came with that reference.
  const fixed = [...assets].filter(([id, { is_mobile }]) => !is_mobile && outlivesFirst(id));
  const namings = decisions.filter(({ kind, about }) => kind === "naming" && about.some(outlivesFirst));
  return [...fixed.map(([id]) => id), ...namings.map(({ id }) => id)]
    .filter((row) => !erased.has(row))
    .sort((a, b) => a - b);
}

/**
 * Merges whose rows go, and those that are written anew. A merge that stays must not name an observer tag that only erased observations
 * had, and where a merge goes, none that was undone long ago may come back into effect. So where the rows that are left do not say just what
 * is in effect, all that are connected go, and what is in effect is written anew. `start` are the rows that the operator named, which undoes what they
 * say; `erased` all rows that go.
 */
export function rewrittenMerges(
  scope: Scope,
  start: ReadonlySet<number>,
  erased: ReadonlySet<number>,
): { readonly rows: number[]; readonly replacements: NewRow[] } {
  const live = scope.reviews.filter(({ record }) => scope.records.has(record));
  const left = live.filter(({ row }) => !erased.has(row));
  const meant = new Merges(live.filter(({ row }) => !start.has(row)))
    .all()
    .filter(({ row }) => !erased.has(row));
  const inEffect = new Merges(meant.sort((a, b) => a.row - b.row));
  const replayed = new Merges(left);
  const tags = arrivingTags(scope, inEffect, erased);
  const saysIt = (merge: LiveMerge) =>
    replayed.get(merge.record)?.into === inEffect.get(merge.record)?.into && !hasStaleTag(merge, tags);
  const wrong = left.filter((merge) => !saysIt(merge)).map(({ record }) => record);
  const related = relatedRecords(wrong, left);
  const isRewritten = ({ record }: LiveMerge) => related.has(record);
  return {
    rows: left.filter(isRewritten).map(({ row }) => row),
    replacements: meant.filter(isRewritten).map((merge) => withTags(merge, tags)),
  };
}

type Tags = ReadonlyMap<number, ReadonlySet<string>>;

/** Record -> the observer tags under which its live observations, and those of records merged into it, are counted. */
function arrivingTags(scope: Scope, merges: Merges, erased: ReadonlySet<number>): Tags {
  const tags = new Map<number, Set<string>>();
  for (const { id, body } of scope.sightings) {
    if (erased.has(id)) continue;
    let tag = body.observer_tag;
    for (const record of merges.chain(body.record)) {
      const known = tags.get(record) ?? new Set();
      tags.set(record, known.add(tag));
      tag = merges.get(record)?.tags[tag] ?? tag;
    }
  }
  return tags;
}

function hasStaleTag({ record, tags }: Merge, arriving: Tags): boolean {
  return Object.keys(tags).some((tag) => arriving.get(record)?.has(tag) !== true);
}

function withTags({ record, body, tags }: LiveMerge, arriving: Tags): NewRow {
  const used = Object.entries(tags).filter(([tag]) => arriving.get(record)?.has(tag));
  return { kind: "review", body: { ...body, tags: Object.fromEntries(used) } };
}

/** Published names and websites whose last live row goes: their namings go along, and what is shown from then on takes their place. */

type Naming = LiveRow<NamingBody>;

/**
 * The namings that only erased rows bear out. A reviewer's stays, and so do those of a record with rows of a leaver that wait for their
 * erasure: what they said is gone already. Pure.
 */
export function lostNamings(
  { sightings, merges, everyNaming }: Scope,
  erased: ReadonlySet<number>,
): Naming[] {
  const byRecord = Map.groupBy(sightings, ({ body }) => merges.root(body.record));
  return everyNaming.filter(({ id, body }) => {
    if (erased.has(id) || erased.has(body.record) || body.reviewer !== undefined) return false;
    const rows = byRecord.get(merges.root(body.record)) ?? [];
    const gone = rows.filter((row) => erased.has(row.id));
    const left = rows.filter((row) => !erased.has(row.id));
    if (left.some(({ seen }) => seen === undefined)) return false;
    return [bearsName(body), bearsWebsite(body)].some(
      (bears) => gone.some((row) => row.seen === undefined || bears(row)) && !left.some(bears),
    );
  });
}

type Bears = (sighting: LiveSighting) => boolean;

function bearsName({ name }: NamingBody): Bears {
  return ({ seen }) => seen !== undefined && displayName(checkedName(seen.name)) === name;
}

function bearsWebsite({ website }: NamingBody): Bears {
  return ({ seen }) =>
    website === null || (seen?.website !== undefined && parseWebsite(seen.website).url === website);
}

/** What a record is shown as, before and after an erasure. */
export interface Renamed {
  readonly public_id: string;
  readonly was: Pick<NamingBody, "name" | "website">;
  readonly is: Pick<NamingBody, "name" | "website">;
}

export interface NamingsAfter {
  readonly rows: readonly NewRow[];
  readonly renamed: readonly Renamed[];
}

/** The namings that take the place of lost ones. Reads the ledger through where there are any. */
export function namingsAfter(
  ledger: LedgerWriter,
  { records, namings }: Scope,
  lost: readonly Naming[],
  erased: ReadonlySet<number>,
): NamingsAfter {
  const chosen = chosenNamings(ledger, new Set(lost.map(({ body }) => body.record)), erased);
  const rows: NewRow[] = [];
  const renamed: Renamed[] = [];
  for (const [record, { row, isChange }] of chosen) {
    const [was, body] = [namings.get(record), records.get(record)];
    if (isChange) rows.push(row);
    if (was === undefined || body === undefined) continue;
    const is = isChange ? row.body : was;
    if (is.name !== was.name || is.website !== was.website)
      renamed.push({ public_id: body.public_id, was: shown(was), is: shown(is) });
  }
  return { rows, renamed };
}

function shown({ name, website }: NamingBody): Renamed["was"] {
  return { name, website };
}
