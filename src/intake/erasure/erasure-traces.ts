import { gridDisk } from "h3-js";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { IndexedName, IntakeTraces, Traces } from "../../ledger/matching/intake-traces.ts";
import type { LiveRows, LiveSighting } from "../../ledger/rows/live-rows.ts";
import { contactKeys, parseWebsite, phoneKey } from "../lines/contact.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { isMobile } from "../matching/asset-kind.ts";
import { cellOf } from "../opt-outs/opt-out-part.ts";
import { isCell } from "../places/anchors.ts";
import type { Scope } from "./erasure-scope.ts";

/**
 * Entries of intake's look-up tables that only erased observations support. The tables do not record which observation added a
 * name or a contact, so a doubtful entry is removed: at worst a later sighting creates a new record with a match review.
 */
export interface TraceSources {
  readonly live: LiveRows;
  readonly traces: IntakeTraces;
  readonly hashes: IntakeHashes;
}

type Remains = Pick<Traces, "names" | "newNames" | "contacts" | "movedAssets">;

/** For the records and assets that stay; some without their first observation (see `outlivingFirst`). */
export function remains(
  scope: Scope,
  erased: ReadonlySet<number>,
  outliving: readonly number[],
  { live, traces, hashes }: TraceSources,
): Remains {
  const root = (record: number) => scope.merges.root(record);
  const gone = scope.sightings.filter(({ id }) => erased.has(id));
  const roots = new Set(gone.map(({ body }) => root(body.record)));
  const left = scope.sightings.filter(({ id, body }) => !erased.has(id) && roots.has(root(body.record)));
  // A merge moved what the tables knew of one record to the other.
  const group = [...scope.records.keys()].filter((id) => roots.has(root(id)) && !erased.has(id));
  const lost = lostPlaces(gone, left, traces);
  const proven = provenContacts(group, scope, outliving, live, hashes);
  const names = traces.namesOf(group).filter(({ place }) => lost.has(place));
  return {
    names,
    newNames: anchoredAgain(names, ownNames(group, scope), cells(left)),
    contacts: traces.contactsOf(group).filter(({ key }) => !proven.has(key.toString("hex"))),
    movedAssets: movedAssets(scope, gone, left, erased),
  };
}

/** Records and assets that stay without their first observation, from which their private values came. */
export function outlivingFirst(scope: Scope, erased: ReadonlySet<number>): number[] {
  const first = new Map<number, number>();
  for (const { id, body } of scope.sightings)
    for (const row of [body.record, body.asset]) if (!first.has(row)) first.set(row, id);
  return (
    [...first]
      .filter(([row, sighting]) => erased.has(sighting) && !erased.has(row))
      .map(([row]) => row)
      // All sightings of a vehicle with a reference came with that reference.
      .filter((row) => scope.assets.get(row)?.is_mobile !== true)
      .sort((a, b) => a - b)
  );
}

/** The rows that lose their private values with that observation: such an asset's own, and the namings of such a record. */
export function strippedRows(outliving: readonly number[], { records, decisions }: Scope): number[] {
  return outliving
    .flatMap((row) =>
      records.has(row)
        ? decisions.filter(({ kind, about }) => kind === "naming" && about.includes(row)).map(({ id }) => id)
        : [row],
    )
    .sort((a, b) => a - b);
}

function cells(sightings: readonly LiveSighting[]): Set<string> {
  return new Set(sightings.map(cellOf).filter((cell) => cell !== undefined));
}

/** Cells and asset references of erased observations that no other observation was made at. */
function lostPlaces(
  gone: readonly LiveSighting[],
  left: readonly LiveSighting[],
  traces: IntakeTraces,
): Set<string> {
  const assets = traces.assets([...gone, ...left].map(({ body }) => body.asset));
  const placeOf = (sighting: LiveSighting) =>
    isMobile(sighting.body.asset_type) ? assets.get(sighting.body.asset)?.place : cellOf(sighting);
  const kept = new Set(left.map(placeOf));
  const places = gone.map(placeOf).filter((place) => place !== undefined);
  return new Set(places.filter((place) => !kept.has(place)));
}

/** The keys of public names. */
function ownNames(group: readonly number[], { namings }: Scope): Set<string> {
  return new Set(group.map((id) => nameKey(namings.get(id)?.name ?? "")));
}

/** A record's public name stays known at cells next to the erased place where others saw it. */
function anchoredAgain(
  names: readonly IndexedName[],
  own: ReadonlySet<string>,
  places: ReadonlySet<string>,
): IndexedName[] {
  return names
    .filter(({ nameKey: key, place }) => own.has(key) && isCell(place))
    .flatMap((name) =>
      gridDisk(name.place, 1)
        .filter((cell) => places.has(cell))
        .map((place) => ({ ...name, place })),
    );
}

/** Keyed hashes of the contacts that rows still show: public websites, and telephones of records that keep their first observation. */
function provenContacts(
  group: readonly number[],
  { namings }: Scope,
  outliving: readonly number[],
  live: LiveRows,
  hashes: IntakeHashes,
): Set<string> {
  return new Set(
    group.flatMap((record) => {
      const website = namings.get(record)?.website ?? undefined;
      const phone = outliving.includes(record) ? undefined : live.phoneOf(record);
      return contactKeys(
        website === undefined ? undefined : parseWebsite(website).matchKey,
        phone === undefined ? undefined : phoneKey(phone),
        hashes.contact,
      );
    }),
  );
}

/** A fixed asset is known by the place of its first observation; without that, by the place of the next. */
function movedAssets(
  { assets }: Scope,
  gone: readonly LiveSighting[],
  left: readonly LiveSighting[],
  erased: ReadonlySet<number>,
): Traces["movedAssets"] {
  const touched = new Set(gone.map(({ body }) => body.asset));
  return [...touched].flatMap((asset) => {
    if (erased.has(asset) || assets.get(asset)?.is_mobile !== false) return [];
    const place = left.filter(({ body }) => body.asset === asset).map(cellOf)[0];
    return place === undefined ? [] : [{ asset, place }];
  });
}
