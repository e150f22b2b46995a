/** What an opt-out is to refuse from then on, and what it touches of others. */
import { gridDisk, isValidCell, latLngToCell } from "h3-js";
import type { AssetType } from "../../contract/enums.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { OptOutEntries } from "../../ledger/matching/opt-outs.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Scope } from "../erasure/cascade.ts";
import { isGenericName } from "../lines/name.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { isMobile } from "../matching/keyed-hash.ts";
import { PLACE_RESOLUTION } from "../places/place.ts";
import { areNearNames, type JudgedLines, judgedLines, OptOutJudge } from "./judge.ts";
import {
  CityFacts,
  type CityRow,
  cityRows,
  entriesSource,
  type KnownBy,
  optOutEntries,
  type Point,
} from "./known-by.ts";

/** Records that opt out together, in one city, and what of theirs goes. */
export interface OptOutSubject {
  readonly scope: Scope;
  readonly group: readonly number[];
  readonly erased: ReadonlySet<number>; // all rows that go
  readonly asset: number | undefined; // the row of the one asset that opts out
  readonly isWhole: boolean; // false: one asset or one place
  readonly also: readonly string[]; // names that the operator adds
}

/** Where intake refuses a name, and why there. */
export interface OptOutName {
  readonly key: string; // the form in which names are compared
  readonly reach: "city" | "places" | "nowhere";
  readonly because: "taught" | "borne_by_others" | "generic" | "part" | "untaught" | "also";
}

/** A live record of others, and how many of its rows a line like them would be refused, or wait for review. */
export interface TouchedRecord {
  readonly public_id: string;
  readonly name: string;
  readonly refused: number;
  readonly review: number;
}

export interface OptOutPlan {
  readonly names: readonly OptOutName[];
  readonly knownBy: KnownBy;
  readonly places: readonly Point[];
  readonly touched: readonly TouchedRecord[];
  readonly entries: OptOutEntries;
  readonly pending: JudgedLines;
}

const ID_DIGITS = 32;

/** What intake is to refuse from now on. Reads the ledger through. Throws OperatorError when no record is left to opt out. */
export function planOptedOut(ledger: LedgerWriter, subject: OptOutSubject, hashes: IntakeHashes): OptOutPlan {
  const { scope, group, isWhole } = subject;
  const city = group.map((id) => scope.records.get(id)).find((body) => body !== undefined)?.city;
  if (city === undefined) throw new OperatorError("there is no record to opt out");
  const state = LedgerState.of(ledger.deskRows.rows());
  const rows = () => cityRows(ledger, city, state, hashes);
  const facts = factsOf(rows(), subject, { state, city, hashes });
  const names = namesOf(facts, subject);
  const places = facts.places();
  const at = [...new Set([...places.keys()].flatMap(withRing))].sort();
  const knownBy = facts.knownBy();
  const text = JSON.stringify(["opt_out", group, isWhole, at, ledger.live.last().row]);
  const optedOut = {
    id: Buffer.from(hashes.optOut(text).slice(0, ID_DIGITS), "hex"),
    ...{ city, places: at, isWhole, knownBy, assetType: assetType(subject) },
    names: names.flatMap(({ key, reach }) => (reach === "nowhere" ? [] : [{ key, reach }])),
  };
  const entries = optOutEntries(optedOut, hashes, ledger.now());
  const source = entriesSource(entries);
  const judge = new OptOutJudge(source, hashes, ledger.now());
  return {
    ...{ names, knownBy, entries, places: [...places.values()] },
    touched: touchedBy(rows(), subject, { state, city, judge, names }),
    pending: judgedLines(ledger, source, hashes),
  };
}

interface InCity {
  readonly state: LedgerState;
  readonly city: string;
}

function factsOf(
  rows: Iterable<CityRow>,
  { group, erased }: OptOutSubject,
  { state, city, hashes }: InCity & { readonly hashes: IntakeHashes },
): CityFacts {
  const isOwn = (record: number) => group.includes(record);
  const facts = new CityFacts({ isOwn, isGone: (row) => erased.has(row) }, hashes);
  for (const row of rows) facts.add(row);
  for (const { id, body, merge, naming } of state.records.values())
    if (body.city === city && naming?.reviewer !== undefined && (isOwn(id) || merge === undefined))
      facts.addNaming(naming);
  return facts;
}

/** Every name of the records, and those that the operator adds. */
function namesOf(facts: CityFacts, { isWhole, also }: OptOutSubject): OptOutName[] {
  const added = new Set(also.map(nameKey));
  const taught = facts.names();
  return [...new Set([...taught.keys(), ...added])]
    .filter(Boolean)
    .sort()
    .map((key) => {
      const isAdded = added.has(key);
      return { key, ...(taught.get(key) === true ? reach(key, isAdded) : untaught(isAdded)) };
    });

  function reach(key: string, isAdded: boolean): Omit<OptOutName, "key"> {
    if (!isWhole) return { reach: "places", because: "part" };
    if (isGenericName(key)) return { reach: "places", because: "generic" };
    if (!facts.isBorneByOthers(key)) return { reach: "city", because: "taught" };
    return isAdded ? { reach: "city", because: "also" } : { reach: "places", because: "borne_by_others" };
  }
}

function untaught(isAdded: boolean): Omit<OptOutName, "key"> {
  return isAdded ? { reach: "places", because: "also" } : { reach: "nowhere", because: "untaught" };
}

/** A cell with those around it; what stands for the place of a vehicle has nothing around it. */
function withRing(place: string): string[] {
  return isValidCell(place) ? gridDisk(place, 1) : [place];
}

function assetType({ asset, scope }: OptOutSubject): AssetType | null {
  return (asset === undefined ? undefined : scope.assets.get(asset)?.asset_type) ?? null;
}

interface Judging extends InCity {
  readonly judge: OptOutJudge;
  readonly names: readonly OptOutName[];
}

/** The records whose rows intake would treat otherwise if they came again. */
function touchedBy(
  rows: Iterable<CityRow>,
  { erased }: OptOutSubject,
  { state, city, judge, names }: Judging,
): TouchedRecord[] {
  const banned = names.filter(({ reach }) => reach !== "nowhere");
  const near = new Map<string, boolean>(); // nothing else can be refused
  const isNear = (key: string) => {
    const known = near.get(key) ?? banned.some((name) => areNearNames(name.key, key));
    near.set(key, known);
    return known;
  };
  const counts = new Map<number, { refused: number; review: number }>();
  for (const row of rows) {
    if (erased.has(row.row) || !isNear(row.nameKey)) continue;
    const verdict = judge.judge(row, city);
    if (verdict === "pass") continue;
    const known = counts.get(row.record) ?? { refused: 0, review: 0 };
    counts.set(row.record, known);
    known[verdict === "refuse" ? "refused" : "review"] += 1;
  }
  return [...counts].flatMap(([record, counted]) => {
    const known = state.records.get(record);
    return known === undefined ? [] : [{ public_id: known.body.public_id, name: known.name, ...counted }];
  });
}

/** One asset or one place of a record that stays, to which an opt-out is limited: a public id, or a position; the place is its resolution-11 cell and the six around it, as in matching. */
export type OptOutPart =
  | { readonly asset: string }
  | { readonly place: { readonly lat: number; readonly lng: number } };

/** The rows that a part names: the asset, or the observations at the place. Throws OperatorError when there are none. */
export function partRows(
  part: OptOutPart,
  group: readonly number[],
  scope: Scope,
  { live }: LedgerWriter,
): number[] {
  return "asset" in part
    ? [assetRow(part.asset, group, scope, live.withPublicId(part.asset))]
    : rowsAt(part.place, group, scope);
}

function assetRow(
  publicId: string,
  group: readonly number[],
  { assets, sightings }: Scope,
  known: { readonly id: number; readonly kind: string } | undefined,
): number {
  if (known?.kind !== "asset")
    throw new OperatorError(`--asset ${publicId}: no asset has this public id, or it was already erased`);
  const owner = assets.get(known.id)?.record;
  const isSeen = sightings.some(({ body }) => body.asset === known.id && group.includes(body.record));
  if (isSeen || (owner !== undefined && group.includes(owner))) return known.id;
  throw new OperatorError(`--asset ${publicId}: it belongs to another record`);
}

function rowsAt(place: { lat: number; lng: number }, group: readonly number[], scope: Scope): number[] {
  const cells = new Set(gridDisk(latLngToCell(place.lat, place.lng, PLACE_RESOLUTION), 1));
  const rows = scope.sightings
    .filter(({ body }) => group.includes(body.record))
    .filter((sighting) => cells.has(cellOf(sighting) ?? ""))
    .map(({ id }) => id);
  if (rows.length > 0) return rows;
  throw new OperatorError(
    `--place ${place.lat},${place.lng}: the record has no live observation of a fixed asset there`,
  );
}

/** The place of a fixed asset's observation, while the row has it. */
export function cellOf({ body, exact }: LiveSighting): string | undefined {
  if (exact === undefined || isMobile(body.asset_type)) return undefined;
  return latLngToCell(exact.lat, exact.lng, PLACE_RESOLUTION);
}
