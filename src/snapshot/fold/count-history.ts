import { Merges } from "../../ledger/decisions/merges.ts";
import type { EventHistory } from "../../method/events/events.ts";
import type { Spell } from "../../method/types.ts";
import type { LedgerFold } from "./ledger-fold.ts";
import { endOf, type ListedRecord, movedOn } from "./listing.ts";

/** What decisions changed of the listed records of a city. */
export function countHistory(fold: LedgerFold, records: readonly ListedRecord[]): EventHistory {
  const changes = changesByRow(fold);
  const roots = rootsOverTime(fold);
  const spells = new Map<number, readonly Spell[]>();
  for (const { rows } of records)
    for (const row of rows) {
      const own = changes.get(row) ?? [];
      if (own.length > 0 || roots.has(fold.sightings.record(row)))
        spells.set(row, spellsOf(fold, row, own, roots));
    }
  return { spells, roots: standIns(fold, records, roots) };
}

/** What a decision says of an observation from a publication on. */
interface Change {
  readonly at: number; // ms
  readonly counts?: boolean;
  readonly isRejected?: boolean;
  readonly record?: number;
  readonly asset?: number;
}

/** In the order of publication. */
function changesByRow({ history, sightings }: LedgerFold): Map<number, Change[]> {
  const decided = [
    ...history.recounts.flatMap(({ row, target, counts }) =>
      counts === null ? [] : [{ row, target, counts }],
    ),
    ...history.verdicts.map(({ row, target, decision }) => ({
      row,
      target,
      isRejected: decision === "reject",
    })),
    ...history.reassigns.map(({ row, target, record, asset }) => ({ row, target, record, asset })),
  ].sort((a, b) => a.row - b.row);
  const changes = new Map<number, Change[]>();
  for (const { row, target, ...said } of decided) {
    const known = changes.get(target) ?? [];
    changes.set(target, known);
    known.push({ at: sightings.publishedAt(row), ...said });
  }
  return changes;
}

/** Of each record that merges concern: which record stood for it from which publication on. */
type RootsOverTime = ReadonlyMap<number, readonly { readonly at: number; readonly root: number }[]>;

function rootsOverTime({ history, sightings }: LedgerFold): RootsOverTime {
  const merges = new Merges();
  const roots = new Map<number, { at: number; root: number }[]>();
  for (const merge of history.merges) {
    merges.apply(merge);
    for (const record of [merge.record, merge.into]) if (!roots.has(record)) roots.set(record, []);
    for (const [record, known] of roots) {
      const root = merges.root(record);
      if (root !== (known.at(-1)?.root ?? record)) known.push({ at: sightings.publishedAt(merge.row), root });
    }
  }
  return roots;
}

/** Record that is not listed -> the listed one that stands for it now. */
function standIns(
  fold: LedgerFold,
  records: readonly ListedRecord[],
  roots: RootsOverTime,
): Map<number, number> {
  const listed = new Set(records.flatMap(({ record }) => fold.records.get(record.id) ?? []));
  const emptied = movedOn(fold);
  return new Map(
    [...roots.keys(), ...emptied.keys()].flatMap((id) => {
      const record = fold.records.get(id);
      const end = record && endOf(record, fold, emptied, listed);
      return end === undefined || end.id === id ? [] : [[id, end.id] as const];
    }),
  );
}

/** Decisions that one seal publishes take effect together, those of a row's own seal with the row. */
function spellsOf(
  { sightings }: LedgerFold,
  row: number,
  own: readonly Change[],
  roots: RootsOverTime,
): Spell[] {
  const entered = sightings.publishedAt(row);
  const { record, asset } = sightings.written(row);
  const state = { counts: sightings.countedAtEntry(row), isRejected: false, record, asset };
  const named = new Set([record, ...own.flatMap((change) => change.record ?? [])]);
  const merged: Change[] = [...named].flatMap((id) => roots.get(id) ?? []).map(({ at }) => ({ at }));
  const byTime = Map.groupBy([{ at: entered }, ...own, ...merged], ({ at }) => Math.max(at, entered));
  const spells: Spell[] = [];
  for (const [at, changes] of [...byTime].sort(([a], [b]) => a - b)) {
    for (const { at: _, ...said } of changes) Object.assign(state, said);
    const root = roots.get(state.record)?.findLast((each) => each.at <= at)?.root ?? state.record;
    const isCounted = state.counts && !state.isRejected && sightings.canBeSeen(row);
    turn(spells, at, isCounted ? { record: root, asset: state.asset } : undefined);
  }
  return spells;
}

/** Ends the spell that lasts, and begins another one, where a sighting counts otherwise from a time on. */
function turn(spells: Spell[], at: number, place: Pick<Spell, "record" | "asset"> | undefined): void {
  const last = spells.at(-1);
  const isSame = (spell: Spell) => spell.record === place?.record && spell.asset === place.asset;
  if (last?.until === Number.POSITIVE_INFINITY) {
    if (isSame(last)) return;
    spells[spells.length - 1] = { ...last, until: at };
  }
  if (place === undefined) return;
  const isMoved = spells.some((spell) => !isSame(spell));
  spells.push({ ...place, from: at, until: Number.POSITIVE_INFINITY, isMoved });
}
