/** Checks whether the state of the ledger allows a decision. */
import { findIndustry } from "../contract/cities/industry.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { RecordState } from "../ledger/decisions/ledger-state.ts";
import type { DecisionRow, DeskState } from "./desk-state.ts";
import { assertMove } from "./moves.ts";
import { type Decision, recordOf } from "./request.ts";

export type RowDecision = Extract<Decision, { kind: "review" | "status" }>;
type Review = Extract<Decision, { kind: "review" }>;
type Status = Extract<Decision, { kind: "status" }>;

/** Throws OperatorError when another decision was made since `expect`, the last row that the reviewer saw. */
export function assertExpected(target: number, expect: number | undefined, state: DeskState): void {
  const version = state.versionOf(target);
  if (expect === undefined || expect === version) return;
  const newest = state.decisionsAbout(target).at(-1);
  const what =
    newest === undefined ? "nothing was decided about it" : `row ${version} (${rowText(newest)}) is newer`;
  throw new OperatorError(
    `row ${target}: stale: you saw it at row ${expect}, but ${what}: look at it again, and decide with --expect ${version}`,
  );
}

export function rowText(row: DecisionRow): string {
  const { reviewer, reason } = row.body;
  const by = reviewer === undefined ? "" : ` by ${reviewer}`;
  return `${decisionName(row)}${by}${reason === undefined ? "" : `: ${reason}`}`;
}

export function decisionName(row: DecisionRow): string {
  if (row.kind === "review") return row.body.decision;
  if (row.kind === "status") return `status ${row.body.status}`;
  if (row.kind === "reassign") return `moved to record ${row.body.record}`;
  return row.body.scope === null ? "identity cleared" : "identity set";
}

/** Decisions of one family replace each other; others stand side by side. */
const FAMILIES: readonly (readonly string[])[] = [
  ["verify", "reject"],
  ["flag", "unflag"],
  ["retire", "unretire"],
  ["classify"],
  ["settle_match"],
  ["merge", "unmerge"],
  ["apart", "unapart"],
];

/** The last row of the decision's family if it says the same: the decision is a repeat then. */
export function repeatOf(decision: RowDecision, state: DeskState): DecisionRow | undefined {
  const last = state.decisionsAbout(decision.target).findLast((row) => isFamily(row, decision));
  // A merge that was taken back since is no longer in effect.
  const isMerge = decision.kind === "review" && decision.decision === "merge";
  if (isMerge && state.merges.get(decision.target)?.into !== decision.into) return undefined;
  return last !== undefined && isSame(last, decision, state) ? last : undefined;
}

function isReview(decision: RowDecision, name: Review["decision"]): boolean {
  return decision.kind === "review" && decision.decision === name;
}

function isFamily(row: DecisionRow, decision: RowDecision): boolean {
  if (decision.kind === "status") return row.kind === "status";
  if (row.kind !== "review" || row.body.target !== decision.target) return false;
  return FAMILIES.some((family) => family.includes(decision.decision) && family.includes(row.body.decision));
}

/** Whether a row says the same as a decision. */
export function isSame(row: DecisionRow, decision: RowDecision, state: DeskState): boolean {
  if (decision.kind === "status") return isSameStatus(row, decision, state);
  if (row.kind !== "review") return false;
  const { body } = row;
  const { target, into = null, industry = null } = decision;
  return (
    body.decision === decision.decision &&
    body.target === target &&
    body.into === into &&
    body.industry === industry
  );
}

function isSameStatus(row: DecisionRow, { move, target }: Status, state: DeskState): boolean {
  if (row.kind !== "status" || row.body.record !== target) return false;
  if (row.body.status !== statusAfter(move, recordOf(target, { state }))) return false;
  const all = state.decisionsAbout(target).filter((each) => each.kind === "status");
  const before = all[all.indexOf(row) - 1];
  return (before?.body.status === "dissolved") === (move === "reopen");
}

export function statusAfter(move: Status["move"], { identityStatus }: RecordState): RecordState["status"] {
  return move === "reopen" ? identityStatus : AFTER[move];
}

const AFTER = { claim: "claimed", verify: "verified", dissolve: "dissolved" } as const;

/** Throws OperatorError for a decision that the subject's state does not allow. */
export function assertAllowed(decision: RowDecision, state: DeskState): void {
  const record = state.records.get(decision.target);
  if (record !== undefined) assertStands(decision, record, state);
  if (decision.kind === "status")
    assertMove(
      "entity",
      decision.move,
      recordOf(decision.target, { state }).status,
      `record ${decision.target}`,
    );
  else assertReview(decision, state);
}

function assertReview(decision: Review, state: DeskState): void {
  const { target, industry } = decision;
  switch (decision.decision) {
    case "verify":
    case "reject":
      assertMove("observation", decision.decision, state.verdictOf(target), `observation ${target}`);
      return;
    case "flag":
    case "unflag": {
      const flagged = recordOf(target, { state }).flaggedBy !== undefined;
      assertMove("integrity", decision.decision, flagged ? "flagged" : "clear", `record ${target}`);
      return;
    }
    case "retire":
    case "unretire":
      assertAsset(decision.decision, target, state);
      return;
    case "classify":
      if (typeof industry === "string" && findIndustry(industry) === undefined)
        throw new OperatorError(`"${industry.slice(0, 20)}" is not an ISIC Rev. 5 code`);
      return;
    case "settle_match":
      if (!recordOf(target, { state }).hasMatchReview)
        throw new OperatorError(`record ${target} has no match candidates: there is no match to settle`);
      return;
    default:
      return;
  }
}

/** Deciding once more what is so already records that a reviewer looked again. */
function assertAsset(decision: "retire" | "unretire", target: number, state: DeskState): void {
  const retired = state.isRetired(target);
  const again = retired ? "keep retired" : "keep";
  const move = (decision === "retire") === retired ? again : decision;
  assertMove("asset", move, retired ? "retired" : "active", `asset ${target}`);
}

/** Refuses decisions about a joined record, and about two records that are not two of one city. */
function assertStands(decision: RowDecision, record: RecordState, state: DeskState): void {
  const { id } = record;
  if (record.merge !== undefined) throw mergedError(id, state);
  if (decision.kind !== "review" || decision.into === undefined) return;
  const into = recordOf(decision.into, { state });
  if (into.id === id) throw new OperatorError(`record ${id}: give two records, not one`);
  if (into.body.city !== record.body.city)
    throw new OperatorError(
      `records ${id} and ${into.id} are not in one city: ${record.body.city} and ${into.body.city}`,
    );
  if (into.merge !== undefined) throw mergedError(into.id, state);
  const isApart = state.apart.between(id, into.id, state.merges).length > 0;
  if (isReview(decision, "merge")) assertJoinable(record, into, isApart);
  if (isReview(decision, "unapart") && !isApart)
    throw new OperatorError(`records ${id} and ${into.id} are not kept apart: nothing to undo`);
}

function assertJoinable(record: RecordState, into: RecordState, isApart: boolean): void {
  assertMove("entity", "join", record.status, `record ${record.id}`);
  if (isApart)
    throw new OperatorError(
      `records ${record.id} and ${into.id} are kept apart: undo that first, with \`presence review apart\` and --undo`,
    );
}

function mergedError(id: number, state: DeskState): OperatorError {
  const root = state.merges.root(id);
  const publicId = state.records.get(root)?.body.public_id;
  return new OperatorError(
    `record ${id} was joined with ${publicId} (row ${root}): decide about that record instead, or undo the join`,
  );
}
