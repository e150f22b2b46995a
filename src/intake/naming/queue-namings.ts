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

/** Queues the changes that the unsettled records need. Those of a leaver stay unsettled until its rows are erased. */
export function queueNamings(ledger: LedgerWriter): void {
  const { intake, purposeKey, sources } = ledger;
  const unsettled = intake.unsettled();
  if (unsettled.length === 0) return;
  const chosen = chosenNamings(ledger, new Set(unsettled));
  const today = utcDayStart(ledger.now());
  const hashes = intakeHashes(purposeKey);
  const ties = sources.openItems().filter(({ check }) => check === INDUSTRY_TIE);
  ledger.transaction(() => {
    intake.settleNames(unsettled.filter((record) => chosen.get(record)?.isHeld !== true));
    for (const [record, { isChange, isHeld, tied }] of chosen) {
      if (isHeld) continue;
      if (isChange)
        sources.delay({ target: record, change: NAMING, due: today + delayOf(record, NAMING, hashes) });
      raiseTie(sources, record, tied, { today, ties });
    }
  });
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
