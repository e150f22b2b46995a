import { gridDisk } from "h3-js";
import type { AssetType } from "../../contract/enums.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { IndexedName } from "../../ledger/matching/intake-traces.ts";
import type { OptOutEntries } from "../../ledger/matching/opt-out-list.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Scope } from "../erasure/erasure-scope.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { isCell } from "../places/anchors.ts";
import { entriesSource, optOutEntries } from "./entries.ts";
import { placeOf } from "./fact-keys.ts";
import { knownBy } from "./known-by.ts";
import { cellOf } from "./opt-out-part.ts";
import { type JudgedLines, judgedLines } from "./waiting-lines.ts";

/** Records that opt out together, in one city, and what of theirs goes. */
export interface OptOutSubject {
  readonly scope: Scope;
  readonly group: readonly number[];
  readonly erased: ReadonlySet<number>; // all rows that go
  readonly asset: number | undefined; // the row of the one asset that opts out
  readonly isWhole: boolean; // false: one asset or one place
}

export interface OptOutPlan {
  readonly names: readonly string[]; // in the form in which names are compared
  readonly entries: OptOutEntries;
  /** Where intake knows these names, also of other records, which get no more observations under them. */
  readonly indexed: readonly IndexedName[];
  readonly sameName: readonly string[]; // public ids of those other records
  readonly pending: JudgedLines;
}

const ID_DIGITS = 32;

/** What intake is to refuse from now on. Throws OperatorError when no record is left to opt out. */
export function planOptedOut(ledger: LedgerWriter, subject: OptOutSubject, hashes: IntakeHashes): OptOutPlan {
  const { traces, live } = ledger;
  const { scope, group, isWhole } = subject;
  const bodies = group.map((id) => scope.records.get(id)).filter((body) => body !== undefined);
  const city = bodies[0]?.city;
  if (city === undefined) throw new OperatorError("there is no record to opt out");
  const seen = traces.namesOf(group);
  const names = [
    ...new Set([
      ...group.map((id) => nameKey(scope.namings.get(id)?.name ?? "")),
      ...seen.map((entry) => entry.nameKey),
    ]),
  ]
    .filter(Boolean)
    .sort();
  const places = placesOf(subject, ledger, seen);
  const text = JSON.stringify(["opt_out", group, isWhole, places, live.last().row]);
  const optedOut = {
    id: Buffer.from(hashes.optOut(text).slice(0, ID_DIGITS), "hex"),
    ...{ city, names, places, isWhole },
    knownBy: knownBy(
      { group, withAddress: addressed(subject), assets: assetsOf(subject) },
      { live, traces, hashes },
    ),
    assetType: assetType(subject),
  };
  const entries = optOutEntries(optedOut, hashes, ledger.now());
  const indexed = isWhole ? names.flatMap((name) => traces.entriesOf(city, name)) : [];
  const others = indexed.map(({ record }) => record).filter((record) => !group.includes(record));
  return {
    ...{ names, entries, indexed },
    sameName: live.records(new Set(others)).map(({ body }) => body.public_id),
    pending: judgedLines(ledger, entriesSource(entries), hashes),
  };
}

/** The places of what opts out, each with the cells around it. */
function placesOf(subject: OptOutSubject, { traces }: LedgerWriter, seen: readonly IndexedName[]): string[] {
  const { scope, group, erased, asset, isWhole } = subject;
  const sightings = scope.sightings.filter(({ id, body }) => erased.has(id) && group.includes(body.record));
  const cells = sightings.map(cellOf).filter((cell) => cell !== undefined);
  const known = isWhole ? seen.map(({ place }) => place).filter(isCell) : [];
  const around = [...new Set([...cells, ...known])].flatMap((cell) => gridDisk(cell, 1));
  return [...new Set([...around, ...mobilePlace(asset, scope, traces)])].sort();
}

/** The reference of a mobile asset that opts out by itself stands for its place. */
function mobilePlace(asset: number | undefined, { assets }: Scope, traces: LedgerWriter["traces"]): string[] {
  const body = asset === undefined ? undefined : assets.get(asset);
  if (asset === undefined || body?.is_mobile !== true) return [];
  const place = traces.assets([asset]).get(asset)?.place;
  return place === undefined ? [] : [placeOf(place, body.asset_type)];
}

function assetType({ asset, scope }: OptOutSubject): AssetType | null {
  return (asset === undefined ? undefined : scope.assets.get(asset)?.asset_type) ?? null;
}

function assetsOf({ scope, erased }: OptOutSubject): Set<number> {
  return new Set([...scope.assets.keys()].filter((id) => erased.has(id)));
}

/** A record's address came with its first observation. */
function addressed({ scope, group, erased, isWhole }: OptOutSubject): number[] {
  return group.filter((record) => {
    const first = scope.sightings.find(({ body }) => body.record === record);
    return isWhole || (first !== undefined && erased.has(first.id));
  });
}
