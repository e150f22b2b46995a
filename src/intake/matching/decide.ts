/** Reviewers' decisions as rows. Each function checks the kind of the target, then appends one row. */
import { findIndustry } from "../../contract/cities/industry.ts";
import { BUILT_IN } from "../../contract/fields.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { Merges } from "../../ledger/decisions/merges.ts";
import type { OnlineCheck } from "../../ledger/outside-tree.ts";
import type { LiveRows } from "../../ledger/rows/live-rows.ts";
import type { IdentityBody, NewRow, ReviewBody, RowKind, StatusBody } from "../../ledger/rows/rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { tagAt } from "../sources/entry.ts";
import { reteach } from "./reteach.ts";

type Decision = ReviewBody["decision"];

const TARGETS: Readonly<Record<Decision, RowKind>> = {
  verify: "observation",
  reject: "observation",
  retire: "asset",
  unretire: "asset",
  flag: "record",
  unflag: "record",
  classify: "record",
  settle_match: "record",
  merge: "record",
  unmerge: "record",
  apart: "record",
  unapart: "record",
  admit: "observation",
  dismiss: "city",
  withdraw: "record", // or an asset; no reviewer decides it, but an undone batch (`undo`)
};

type ReviewLedger = Pick<LedgerWriter, "live" | "purposeKey">;

/** A review without what the ledger fills in; `industry` belongs to `classify`, `into` to decisions about two records. */
export interface Review {
  readonly decision: Decision;
  readonly target: number;
  readonly reason: string;
  readonly reviewer: string;
  readonly industry?: string | null; // null: none can be given
  readonly into?: number;
}

/** Decisions about two records. */
const OF_PAIRS: ReadonlySet<Decision> = new Set(["merge", "unmerge", "apart", "unapart"]);

/** A review (see `reviewRow`) in a transaction. Returns the row id. */
export function appendReview(ledger: LedgerWriter, review: Review): number {
  return ledger.transaction(() => {
    const retaught = retaughtBy(review, ledger.live);
    const { id } = ledger.append(reviewRow(ledger, review));
    reteach(ledger, retaught);
    return id;
  });
}

/** The records of which other rows teach after a review that is not written yet: rows of a pair, and one that is rejected or no longer. */
export function retaughtBy(
  { decision, target, into }: Pick<ReviewBody, "decision" | "target"> & { readonly into?: number | null },
  live: LiveRows,
): number[] {
  if (decision === "verify" || decision === "reject")
    return live.isRejected(target) === (decision === "reject") ? [] : live.recordsAbout(target);
  return typeof into === "number" ? [target, into] : [];
}

/** The row of a review. Throws OperatorError for a target of another kind, an unknown industry, or two records of different cities. */
export function reviewRow(ledger: ReviewLedger, review: Review): NewRow {
  const { decision, target, reason, reviewer, industry = null, into = null } = review;
  const { live } = ledger;
  assertKind(live, target, TARGETS[decision]);
  if (
    (decision === "classify") !== (review.industry !== undefined) ||
    OF_PAIRS.has(decision) !== (into !== null)
  )
    throw new OperatorError(
      "a classify review has an industry, a review of two records the other one, and no other has",
    );
  if (industry !== null && findIndustry(industry) === undefined)
    throw new OperatorError(`"${industry}" is not an ISIC Rev. 5 code`);
  if (into !== null) assertPair(live, target, into);
  const tags = decision === "merge" && into !== null ? mergedTags(ledger, target, into) : null;
  return { kind: "review", body: { decision, industry, into, reason, reviewer, tags, target } };
}

export function appendStatus(ledger: LedgerWriter, body: StatusBody): number {
  assertKind(ledger.live, body.record, "record");
  return ledger.transaction(() => ledger.append({ kind: "status", body }).id);
}

export function appendIdentity(ledger: LedgerWriter, body: IdentityBody): number {
  assertKind(ledger.live, body.record, "record");
  return ledger.transaction(() => ledger.append({ kind: "identity", body }).id);
}

export function appendOnlineCheck(ledger: LedgerWriter, check: OnlineCheck): void {
  assertKind(ledger.live, check.record, "record");
  ledger.transaction(() => ledger.appendOnlineCheck(check));
}

function assertKind(live: LiveRows, row: number, expected: RowKind): void {
  const known = live.find(row);
  if (known?.isLive === true && known.kind === expected) return;
  const problem = known?.isLive === true ? `of kind ${known.kind}` : "not there, or erased";
  throw new OperatorError(`row ${row} is ${problem}; expected a row of kind ${expected}`);
}

function assertPair(live: LiveRows, target: number, into: number): void {
  assertKind(live, into, "record");
  if (target === into) throw new OperatorError(`give another recordthan ${target} itself`);
  const [city, otherCity] = [target, into].map((id) => live.records([id])[0]?.body.city);
  if (city === undefined || city !== otherCity)
    throw new OperatorError(`records ${target} and ${into} are not in one city: ${city} and ${otherCity}`);
}

/**
 * Tag -> new tag of each principal of the merged record and of the records merged into it. The new tag is the one that the principal
 * has at the record that stays.
 */
function mergedTags(
  { live, purposeKey }: ReviewLedger,
  target: number,
  into: number,
): Record<string, string> {
  const merges = new Merges(live.merges().filter(({ record }) => live.find(record)?.isLive === true));
  const hashes = intakeHashes(purposeKey);
  const pairs = merges.group(target, into).flatMap((record) =>
    live
      .principalsOf(live.sightings([record], []))
      .filter(({ tag }) => tag !== BUILT_IN)
      .map((seen) => [merges.rootTag(record, seen.tag), tagAt(seen, into, hashes)] as const),
  );
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}
