import { OperatorError } from "../kernel/errors.ts";
import { isoDate } from "../kernel/time.ts";
import type { LiveRows } from "../ledger/rows/live-rows.ts";
import { decisionName, decisionsAbout } from "./check.ts";
import { type DecisionRow, type DeskState, verdictOf, versionOf } from "./desk-state.ts";
import { type Item, recordFacts } from "./items.ts";
import { recordOf } from "./request.ts";

/** What a reviewer sees of one subject before deciding. */

export interface Facts {
  readonly row: number;
  readonly kind: string;
  readonly version: number; // for --expect
  readonly known: Readonly<Record<string, unknown>>;
  readonly waiting: readonly string[]; // items about it
  readonly decisions: readonly Readonly<Record<string, unknown>>[];
}

export interface ShowSources {
  readonly state: DeskState;
  readonly live: LiveRows;
  readonly items: readonly Item[];
}

/** An item, or whatever a public id or a row number names. Throws OperatorError for what is not there or redacted. */
export function showSubject(subject: string, { state, live, items }: ShowSources): Facts | Item {
  const item = items.find((each) => each.item === subject);
  if (item?.version === null) return item;
  const row = rowNamed(subject, state);
  const found = row === undefined ? undefined : live.find(row);
  if (row === undefined || found === undefined)
    throw new OperatorError(`"${subject.slice(0, 80)}": no item that waits, no row number and no public id`);
  if (found.erasedBy !== undefined)
    throw new OperatorError(`row ${row} was redacted by row ${found.erasedBy.id} (${found.erasedBy.reason})`);
  const decisions = decisionsAbout(row, state);
  return {
    row,
    kind: found.kind,
    version: versionOf({ id: row, decisions }),
    known: known(row, state, decisions),
    waiting: items.filter((each) => each.item.endsWith(`-${row}`)).map((each) => each.item),
    decisions: decisions.map(decisionFacts),
  };
}

const ITEM = /^(?:match|industry|integrity|retire)-(\d{1,15})$/;

function rowNamed(subject: string, state: DeskState): number | undefined {
  const digits = ITEM.exec(subject)?.[1] ?? (/^\d{1,15}$/.test(subject) ? subject : undefined);
  return digits === undefined ? state.withPublicId(subject) : Number(digits);
}

function known(row: number, state: DeskState, decisions: readonly DecisionRow[]): Facts["known"] {
  if (state.records.has(row)) return recordKnown(row, state);
  const asset = state.assets.get(row);
  if (asset !== undefined) {
    const { public_id, asset_type, record } = asset.body;
    return { public_id, asset_type, record, retired: asset.retired };
  }
  return { verdict: verdictOf(decisions) };
}

function recordKnown(row: number, state: DeskState): Facts["known"] {
  const record = recordOf(row, { state });
  const root = state.chain(row).at(-1);
  return {
    ...recordFacts(record),
    city: record.body.city,
    status: record.mergedInto === undefined ? record.status : "merged",
    merged_into:
      root === undefined || root === row ? null : (state.records.get(root)?.body.public_id ?? null),
    flagged: record.flaggedBy !== undefined,
    reviewed_industry: record.reviewedIndustry ?? null,
    scope: record.identity?.scope ?? null,
  };
}

function decisionFacts(row: DecisionRow): Readonly<Record<string, unknown>> {
  const { reviewer, reason } = row.body;
  return {
    row: row.id,
    date: isoDate(row.acceptedAt),
    decision: decisionName(row),
    reviewer: reviewer ?? null,
    reason: reason ?? null,
  };
}
