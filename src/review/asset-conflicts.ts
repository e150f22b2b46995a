/** Signs whose evidence conflicts: people are asked about these alone, because age retires the others by rule. */
import type { AssetType } from "../contract/enums.ts";
import { DAY_MS, solarDayNumber, solarOffsetHours } from "../kernel/time.ts";
import type { AssetState, RecordState } from "../ledger/decisions/ledger-state.ts";
import { bitmapCells, cellManifestId, eligibleCells } from "../ledger/looks.ts";
import type { AssetReport, DeskRows } from "../ledger/rows/desk-rows.ts";
import type { DeskState } from "./desk-state.ts";

/** Why people are asked about a sign (docs/methodology.md, "Assets"). */
export type AssetConflict = "seen_since_retired" | "reported_by_one";

/** The methodology's rule for it. */
export type AskOfAsset = (
  reports: Reports,
  at: { readonly now: number; readonly lng: number },
) => AssetConflict | undefined;

/** What observations that count report of one asset, in solar days of its city. */
interface Reports {
  readonly assetType: AssetType;
  readonly lastDays: readonly number[]; // of each observer
  readonly retiredOn: number | undefined;
  readonly lookedMonthsAfter: (day: number) => number;
}

export interface DisputedAsset {
  readonly asset: AssetState;
  readonly owner: RecordState;
  readonly conflict: AssetConflict;
  readonly seen: readonly AssetReport[];
}

interface Sources {
  readonly state: DeskState;
  readonly rows: DeskRows;
}

/** Those that no reviewer decided about since they were seen. Reads the ledger through. */
export function assetConflicts(
  { state, rows }: Sources,
  ask: (reports: Reports, lng: number) => AssetConflict | undefined,
): DisputedAsset[] {
  const looked = new LookedCells(state, rows);
  return [...rows.lastSeen()].flatMap(([id, seen]) => {
    const asset = state.assets.get(id);
    const owner = asset === undefined ? undefined : ownerOf(asset, state);
    const lng = owner === undefined ? undefined : state.cities.get(owner.body.city)?.details.lng;
    if (asset === undefined || owner === undefined || lng === undefined) return [];
    if (seen.every(({ row }) => row < state.versionOf(id)) && state.decisionsAbout(id).length > 0) return [];
    const conflict = ask(reportsOf(asset, seen, { state, lng, looked, city: owner.body.city }), lng);
    return conflict === undefined ? [] : [{ asset, owner, conflict, seen }];
  });
}

function ownerOf(
  { id, body }: AssetState,
  { reassigned, merges, records }: DeskState,
): RecordState | undefined {
  return records.get(merges.root(reassigned.owned(id, body).record));
}

interface At {
  readonly state: DeskState;
  readonly lng: number;
  readonly looked: LookedCells;
  readonly city: string;
}

function reportsOf(
  { id, body, retirements }: AssetState,
  seen: readonly AssetReport[],
  { state, lng, looked, city }: At,
): Reports {
  const dayOf = (ms: number) => solarDayNumber(ms, solarOffsetHours(lng));
  const decided = state.decisionsAbout(id).at(-1);
  const isRetired = retirements.at(-1)?.retired === true;
  return {
    assetType: body.asset_type,
    lastDays: seen.map(({ observedAt }) => dayOf(Date.parse(observedAt))),
    retiredOn: isRetired && decided !== undefined ? dayOf(decided.acceptedAt) : undefined,
    lookedMonthsAfter: (day) => looked.after(city, seen[0]?.cell, day),
  };
}

/** The months in which two or more principals looked at a cell of a city, as far as its list of cells is the present one. */
class LookedCells {
  readonly #months: ReadonlyMap<string, readonly { readonly first: number }[]>;

  constructor({ cities }: DeskState, rows: DeskRows) {
    const looks = rows.monthLooks();
    const lists = new Map(
      [...new Set(looks.map(({ city }) => city))].map((slug) => {
        const details = cities.get(slug)?.details;
        const cells = details === undefined ? [] : eligibleCells(details);
        return [slug, { cells, manifest: cellManifestId(cells) }] as const;
      }),
    );
    const months = looks.flatMap(({ city, start, manifest, cells }) => {
      const list = lists.get(city);
      if (list === undefined || list.manifest !== manifest) return [];
      const first = Date.parse(start) / DAY_MS;
      return bitmapCells(list.cells, cells).map((cell) => ({ key: `${city} ${cell}`, first }));
    });
    this.#months = Map.groupBy(months, ({ key }) => key);
  }

  /** How many of them began after a solar day. */
  after(city: string, cell: string | undefined, day: number): number {
    return (this.#months.get(`${city} ${cell}`) ?? []).filter(({ first }) => first > day).length;
  }
}
