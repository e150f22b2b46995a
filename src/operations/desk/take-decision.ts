/** Takes one decision of the review desk, within a transaction of the ledger. */
import { type DeskDecision, needsLead } from "../../desk/crossing.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Desk, Outcome } from "../../review/desk.ts";
import { type Decider, decider } from "../../review/moves.ts";
import { planGroup } from "../../review/queue/decide-group.ts";
import { itemsOf } from "../review-queue.ts";

interface Taking {
  readonly desk: Desk;
  readonly ledger: LedgerWriter;
  readonly role: string; // of the ledger, for the rows
  readonly now: number; // ms
}

type OfItem = Extract<DeskDecision, { kind: "item" }>;
type OfGroup = Extract<DeskDecision, { kind: "group" }>;

/** Throws OperatorError, and has written nothing then, for what is not there, stale, not allowed, or not for this role of the desk. */
export function takeDeskDecision(decision: DeskDecision, taking: Taking): Outcome {
  const by = decider(taking.role, decision.reason);
  return decision.kind === "item" ? takeItem(decision, by, taking) : takeGroup(decision, by, taking);
}

const ITEM = /^([a-z]+(?:-[a-z]+)*)-([0-9a-f]+)$/;

function takeItem(
  { by: role, subject, action, value, expect }: OfItem,
  by: Decider,
  { desk }: Taking,
): Outcome {
  const [, kind, row] = ITEM.exec(subject) ?? [];
  if (kind === undefined || row === undefined) throw new OperatorError(`${subject}: not an item`);
  assertMay(role, subject, needsLead(kind, 1));
  return desk.take({
    action,
    subject: subjectOf(action, subject),
    value: value ?? undefined,
    decider: by,
    expect: expect ?? undefined,
  });
}

/** Items are accepted and rejected; everything else is about the row that an item names. */
function subjectOf(action: DeskDecision["action"], item: string): string {
  return action === "accept" || action === "reject" ? item : (ITEM.exec(item)?.[2] ?? item);
}

/** All of its items, or none: the group must be the one that the reviewer saw. */
function takeGroup(decision: OfGroup, by: Decider, { desk, ledger, now }: Taking): Outcome {
  const { by: role, subject, action, value, version } = decision;
  if (action !== "accept" && action !== "reject" && action !== "classify")
    throw new OperatorError(`${subject}: a group cannot be answered with ${action}`);
  const items = itemsOf(desk.state, { ledger, now });
  const plan = planGroup({ desk, ledger, items }, { group: subject, action, value: value ?? undefined });
  if (plan.group.version !== version)
    throw new OperatorError(`${subject}: stale: its items have changed: look at it again`);
  assertMay(role, subject, needsLead(plan.group.kind, plan.group.items));
  plan.decide(by);
  return { done: "decided", row: null };
}

/** The desk checks it, too; but what holds is what is checked here. */
function assertMay(role: DeskDecision["by"], subject: string, isForLead: boolean): void {
  if (isForLead && role !== "lead") throw new OperatorError(`${subject} can only be decided by a lead`);
}
