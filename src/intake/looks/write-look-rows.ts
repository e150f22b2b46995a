import { LOOK_PARAMETERS } from "../../contract/params.ts";
import { type DaySpan, type DaySpanKind, lastSpanEnd } from "../../kernel/day-spans.ts";
import { DAY_MS, isoDate, solarDayNumber, solarOffsetHours, utcDayStart } from "../../kernel/time.ts";
import { cellBitmap, cellManifestId, eligibleCells } from "../../ledger/looks/cell-bitmap.ts";
import { LOOK_SPANS } from "../../ledger/looks/waiting-looks.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { type PrincipalOfLooker, principalsOfLookers } from "./lookers.ts";

type LookLedger = Pick<LedgerWriter, "intake" | "looks" | "sources" | "now" | "transactionDated" | "append">;

/** Principals that must have looked in a cell, so that the row of a span names it. */
const PRINCIPALS: Readonly<Record<DaySpanKind, number>> = {
  day: LOOK_PARAMETERS.dayPrincipals,
  week: LOOK_PARAMETERS.weekPrincipals,
  month: LOOK_PARAMETERS.monthPrincipals,
};

/**
 * Writes the look rows that are due: one a city and span, for the spans that ended some days ago, and none where it would be empty.
 * What no later row needs is deleted. The rows are dated at the end of the last finished UTC day, so that the seal covers them; with
 * `now`, at the present. Belongs before a seal. Returns how many rows were written.
 */
export function writeLookRows(ledger: LookLedger, { now }: { readonly now: boolean }): number {
  const instant = now ? ledger.now() : utcDayStart(ledger.now()) - 1;
  const due = ledger.intake
    .cities()
    .flatMap(({ slug, details }) => dueSpans(ledger, slug, details.lng, instant));
  if (due.length === 0) return 0;
  return ledger.transactionDated(instant, () => {
    const principalOf = principalsOfLookers(ledger.sources);
    const written = due.map((each) => settle(ledger, each, principalOf));
    return written.reduce((sum, rows) => sum + rows, 0);
  });
}

interface Due {
  readonly city: string;
  readonly kind: DaySpanKind;
  readonly after: number; // solar day: spans up to it are settled
  readonly upTo: number;
}

/** Spans are over for good some days after their end: later looks enter no row. */
function dueSpans({ looks }: LookLedger, city: string, lng: number, instant: number): Due[] {
  const today = solarDayNumber(instant + 1, solarOffsetHours(lng));
  const over = today - 1 - LOOK_PARAMETERS.graceDays;
  return LOOK_SPANS.flatMap((kind) => {
    const [after, upTo] = [looks.settledThrough(city, kind), lastSpanEnd(kind, over)];
    return upTo > after ? [{ city, kind, after, upTo }] : [];
  });
}

function settle(
  ledger: LookLedger,
  { city, kind, after, upTo }: Due,
  principalOf: PrincipalOfLooker,
): number {
  const details = ledger.intake.eligibleDetails(city);
  const list = details === undefined ? [] : eligibleCells(details);
  const spans = ledger.looks.spans(city, kind, after, upTo);
  const rows = spans.filter((span) => writeRow(ledger, { city, kind, span, list, principalOf })).length;
  ledger.looks.settle(city, kind, upTo);
  return rows;
}

interface DueRow {
  readonly city: string;
  readonly kind: DaySpanKind;
  readonly span: DaySpan;
  readonly list: readonly string[]; // the city's eligible cells, sorted
  readonly principalOf: PrincipalOfLooker;
}

/** Whether there is a row: none is written without a cell in it. */
function writeRow(ledger: LookLedger, { city, kind, span, list, principalOf }: DueRow): boolean {
  const eligible = new Set(list);
  const byCell = Map.groupBy(
    ledger.looks
      .inSpan(city, span)
      .filter(({ cell, observer }) => eligible.has(cell) && principalOf(observer) !== undefined),
    ({ cell }) => cell,
  );
  const enough = [...byCell].filter(
    ([, looks]) => new Set(looks.map(({ observer }) => principalOf(observer))).size >= PRINCIPALS[kind],
  );
  const cells = cellBitmap(list, new Set(enough.map(([cell]) => cell)));
  if (cells === undefined) return false;
  const start = isoDate(span.first * DAY_MS);
  const body = { cells, city, manifest: cellManifestId(list), span: kind, start };
  const { id } = ledger.append({ kind: "look", body });
  ledger.looks.noteMakers(
    id,
    enough.flatMap(([, looks]) => looks),
  );
  return true;
}
