import { findIndustry } from "../../contract/cities/industry.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { IntakeIndex } from "../../ledger/matching/intake-index.ts";
import type { OnlineCheck } from "../../ledger/online-checks.ts";
import { LiveRows } from "../../ledger/rows/live-rows.ts";
import type { IdentityBody, NewRow, ReviewBody, RowKind, StatusBody } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { observerTag } from "../append.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { goneInto, mergesInEffect } from "./merge-chains.ts";

/** What reviewers decide, as rows. Each function appends one, after checking that its target is what the decision is about. */

type Decision = ReviewBody["decision"];

const TARGETS: Readonly<Record<Decision, RowKind>> = {
  verify: "observation",
  reject: "observation",
  reprocess: "observation",
  retire: "asset",
  unretire: "asset",
  flag: "record",
  unflag: "record",
  classify: "record",
  settle_match: "record",
  merge: "record",
  admit: "observation",
  dismiss: "city",
};

/** A review without what the ledger fills in; `industry` belongs to `classify`, `into` to `merge`. */
export interface Review {
  readonly decision: Decision;
  readonly target: number;
  readonly reason: string;
  readonly reviewer: string;
  readonly industry?: string | null; // null: none can be given
  readonly into?: number;
}

/** A review (see `reviewRow`) in a transaction. Returns the row id. */
export function appendReview(ledger: LedgerWriter, review: Review): number {
  return ledger.transaction(() => ledger.append(reviewRow(ledger, review)).id);
}

/**
 * The row of a review, within a transaction; for a merge, intake's look-up tables are changed as well.
 * Throws OperatorError for a target of another kind, an unknown industry, or a merge across cities.
 */
export function reviewRow(ledger: LedgerWriter, review: Review): NewRow {
  const { decision, target, reason, reviewer, industry = null, into = null } = review;
  const index = new IntakeIndex(ledger.index);
  assertKind(index, target, TARGETS[decision]);
  if (
    (decision === "classify") !== (review.industry !== undefined) ||
    (decision === "merge") !== (into !== null)
  )
    throw new OperatorError(
      "a classify review has an industry, a merge review a record to merge into, and no other has",
    );
  if (industry !== null && findIndustry(industry) === undefined)
    throw new OperatorError(`"${industry}" is not a code of ISIC Revision 5`);
  if (into !== null) assertMergeable(index, target, into);
  const tags = into === null ? null : mergedTags(ledger, index, target, into);
  if (into !== null) index.repoint(target, into);
  return { kind: "review", body: { decision, industry, into, reason, reviewer, tags, target } };
}

export function appendStatus(ledger: LedgerWriter, body: StatusBody): number {
  assertKind(new IntakeIndex(ledger.index), body.record, "record");
  return ledger.transaction(() => ledger.append({ kind: "status", body }).id);
}

export function appendIdentity(ledger: LedgerWriter, body: IdentityBody): number {
  assertKind(new IntakeIndex(ledger.index), body.record, "record");
  return ledger.transaction(() => ledger.append({ kind: "identity", body }).id);
}

export function appendOnlineCheck(ledger: LedgerWriter, check: OnlineCheck): void {
  assertKind(new IntakeIndex(ledger.index), check.record, "record");
  ledger.transaction(() => ledger.appendOnlineCheck(check));
}

function assertKind(index: IntakeIndex, row: number, expected: RowKind): void {
  const kind = index.kindOfRow(row);
  if (kind !== expected)
    throw new OperatorError(
      `row ${row} is ${kind === undefined ? "not there, or erased" : `of kind ${kind}`}; expected a row of kind ${expected}`,
    );
}

function assertMergeable(index: IntakeIndex, target: number, into: number): void {
  assertKind(index, into, "record");
  if (target === into) throw new OperatorError(`record ${target} cannot be merged into itself`);
  const cities = [index.cityOfRecord(target), index.cityOfRecord(into)];
  if (cities[0] === undefined || cities[0] !== cities[1])
    throw new OperatorError(`records ${target} and ${into} are not in one city: ${cities.join(" and ")}`);
}

/**
 * The tags of everyone who saw the merged record, or one that had gone into it, as they would have been had they seen the one
 * that stays.
 */
function mergedTags(
  ledger: LedgerWriter,
  index: IntakeIndex,
  target: number,
  into: number,
): Record<string, string> {
  const hashes = intakeHashes(ledger.purposeKey);
  const merges = mergesInEffect(
    new LiveRows(ledger.index).merges(),
    (record) => index.kindOfRow(record) !== undefined,
  );
  const observers = goneInto(target, merges, into).flatMap((record) => index.observersOf(record));
  const tag = ({ sourceType, observer }: (typeof observers)[number], record: number) =>
    observerTag(sourceType, observer, record, hashes);
  return Object.fromEntries(observers.map((seen) => [tag(seen, target), tag(seen, into)]));
}
