/**
 * Changes of what records are called: each night those that something new was said of are looked at, and what is to change waits for
 * its keyed day, mixed with other changes. What is written then is chosen anew.
 */
import { sha256Hex } from "../../kernel/hash.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { NewRow } from "../../ledger/rows/rows.ts";
import type { RaisedItem } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { delayOf } from "../sources/judge-ledger.ts";
import { type Chosen, chosenNamings } from "./chosen-namings.ts";

/** The check under which an item is raised when equally many principals declared two industries. */
export const INDUSTRY_TIE = "industry_tie";

const NAMING = { naming: true } as const;

/**
 * Queues the changes that the unsettled records need. Those of a leaver stay unsettled until its rows are erased. Writes at once, dated the
 * last finished day, what cannot wait (see `rowAtOnce`), and returns how many rows that were.
 */
export function queueNamings(ledger: LedgerWriter): number {
  const { intake, purposeKey, sources } = ledger;
  const unsettled = intake.unsettled();
  if (unsettled.length === 0) return 0;
  const chosen = chosenNamings(ledger, new Set(unsettled.map(({ record }) => record)));
  const near = Map.groupBy(intake.nearConfirmed(), ({ record }) => record);
  const today = utcDayStart(ledger.now());
  const hashes = intakeHashes(purposeKey);
  const ties = sources.openItems().filter(({ check }) => check === INDUSTRY_TIE);
  const open = unsettled.flatMap(({ record, adopted }) => {
    const known = chosen.get(record);
    return known?.isHeld === true
      ? []
      : [{ record, known, isAtOnce: adopted === 1 && known?.isChange === true }];
  });
  return ledger.transactionDated(today - 1, () => {
    const settled = open.map(({ record }) => record);
    intake.settleNames(settled);
    intake.settleNear(settled);
    for (const { record, known, isAtOnce } of open) {
      if (known === undefined) continue;
      if (known.isChange && !isAtOnce)
        sources.delay({ target: record, change: NAMING, due: today + delayOf(record, NAMING, hashes) });
      raiseTie(sources, record, known.tied, { today, ties });
    }
    const rows = open.flatMap(({ record, known, isAtOnce }) => {
      const others = (near.get(record) ?? []).map(({ other }) => other);
      return known === undefined ? [] : (rowAtOnce(known, isAtOnce, others) ?? []);
    });
    for (const row of rows) ledger.append(row);
    return rows.length;
  });
}

/**
 * What is written the same night: what counts says of a record that nothing counted for, so that nobody's spelling stays; and that a match
 * review is due, as the second line of a near name says. A reviewer who named the record has looked at it.
 */
function rowAtOnce(
  { row, present, candidates }: Chosen,
  isAtOnce: boolean,
  near: readonly number[],
): Chosen["row"] | undefined {
  const asks = near.length > 0 && present !== undefined && present.reviewer === undefined;
  if (!asks) return isAtOnce ? row : undefined;
  return {
    kind: "naming",
    body: { ...(isAtOnce ? row.body : present), match_review: true },
    private: { match_candidates: [...new Set([...candidates, ...near])] },
  };
}

/** Within a transaction: the rows of those of these changes that are still needed. */
export function dueNamings(ledger: LedgerWriter, records: readonly number[]): Map<number, NewRow> {
  const chosen = chosenNamings(ledger, new Set(records));
  ledger.intake.unsettle(...[...chosen].flatMap(([record, { isHeld }]) => (isHeld ? [record] : [])));
  const needed = [...chosen].filter(([, { isChange, isHeld }]) => isChange && !isHeld);
  return new Map(needed.map(([record, { row }]) => [record, row]));
}

interface OpenTies {
  readonly today: number;
  readonly ties: readonly RaisedItem[];
}

/** A tie that is over needs no reviewer any more. */
function raiseTie(
  sources: LedgerWriter["sources"],
  record: number,
  tied: Chosen["tied"],
  { today, ties }: OpenTies,
): void {
  const key = tied.length === 0 ? undefined : tieKey(record, tied);
  for (const item of ties)
    if (item.record === record && item.key !== key) sources.closeItem(item.key, "harmless");
  if (key !== undefined)
    sources.raise({ key, check: INDUSTRY_TIE, record, rows: tied.map(({ row }) => row), day: today });
}

function tieKey(record: number, tied: Chosen["tied"]): string {
  return sha256Hex(JSON.stringify([INDUSTRY_TIE, record, tied.map(({ industry }) => industry).sort()])).slice(
    0,
    16,
  );
}
