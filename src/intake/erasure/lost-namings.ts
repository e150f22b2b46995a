/** Published names and websites whose last live row goes: their namings go along, and what is shown from then on takes their place. */
import type { LiveRow, LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { NamingBody, NewRow } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseWebsite } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { displayName } from "../naming/choose-naming.ts";
import { chosenNamings } from "../naming/queue-namings.ts";
import type { Scope } from "./cascade.ts";

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
