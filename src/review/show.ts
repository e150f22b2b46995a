/** Facts about one subject, for a reviewer who is to decide. */
import { OperatorError } from "../kernel/errors.ts";
import { isoDate } from "../kernel/time.ts";
import type { LiveRows } from "../ledger/rows/live-rows.ts";
import { decisionName } from "./check.ts";
import type { DecisionRow, DeskState } from "./desk-state.ts";
import { type Item, recordFacts } from "./items.ts";
import { recordOf } from "./request.ts";

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

/** An item, or the subject of a public id or a row number. Throws OperatorError for an unknown or redacted subject. */
export function showSubject(subject: string, { state, live, items }: ShowSources): Facts | Item {
  const item = items.find((each) => each.item === subject);
  if (item !== undefined && (item.version === null || item.kind === "set-aside")) return item;
  const row = rowNamed(subject, state);
  const subjectRow = row === undefined ? undefined : live.find(row);
  if (row === undefined || subjectRow === undefined)
    throw new OperatorError(`"${subject.slice(0, 80)}": no item that waits, no row number and no public id`);
  if (subjectRow.erasedBy !== undefined)
    throw new OperatorError(
      `row ${row} was redacted by row ${subjectRow.erasedBy.id} (${subjectRow.erasedBy.reason})`,
    );
  return {
    row,
    kind: subjectRow.kind,
    version: state.versionOf(row),
    known: known(row, state),
    waiting: items.filter((each) => each.item.endsWith(`-${row}`)).map((each) => each.item),
    decisions: state.decisionsAbout(row).map(decisionFacts),
  };
}

const ITEM = /^(?:match|industry|integrity|retire)-(\d{1,15})$/;

function rowNamed(subject: string, state: DeskState): number | undefined {
  const digits = ITEM.exec(subject)?.[1] ?? (/^\d{1,15}$/.test(subject) ? subject : undefined);
  return digits === undefined ? state.withPublicId(subject) : Number(digits);
}

function known(row: number, state: DeskState): Facts["known"] {
  if (state.records.has(row)) return recordKnown(row, state);
  const asset = state.assets.get(row);
  if (asset !== undefined) {
    const { public_id, asset_type, record } = state.reassigned.owned(row, asset.body);
    return { public_id, asset_type, record, retired: state.isRetired(row) };
  }
  return { verdict: state.verdictOf(row) };
}

function recordKnown(row: number, state: DeskState): Facts["known"] {
  const record = recordOf(row, { state });
  const isMerged = record.merge !== undefined;
  return {
    ...recordFacts(record),
    city: record.body.city,
    status: isMerged ? "merged" : record.status,
    merged_into: isMerged ? (state.records.get(state.merges.root(row))?.body.public_id ?? null) : null,
    flagged: record.flaggedBy !== undefined,
    reviewed_industry: record.isIndustryReviewed ? record.industry.code : null,
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
