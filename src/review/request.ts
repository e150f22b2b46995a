/** A reviewer's request in words, and the decision that it stands for. */
import { OperatorError } from "../kernel/errors.ts";
import type { RecordState } from "../ledger/decisions/ledger-state.ts";
import type { LiveRows } from "../ledger/rows/live-rows.ts";
import type { ReviewBody, RowKind } from "../ledger/rows/rows.ts";
import type { ItemOutcome, SetAsideReview } from "../ledger/sources/source-store.ts";
import type { DeskState } from "./desk-state.ts";
import { matchCandidates } from "./items.ts";

export const ACTIONS = [
  "accept",
  "reject",
  "join",
  "apart",
  "classify",
  "flag",
  "unflag",
  "retire",
  "unretire",
  "claim",
  "verify",
  "dissolve",
  "reopen",
] as const;
export type Action = (typeof ACTIONS)[number];

export interface Request {
  readonly action: Action;
  /** An item, a public id, or the number of a row. */
  readonly subject: string;
  /** `join`, and `accept` of a match: the record that stays; `apart`: the other record; `classify`: a code, or `none`. */
  readonly value?: string | undefined;
}

export type RecordMove = Extract<Action, "claim" | "verify" | "dissolve" | "reopen">;

export type Decision =
  | {
      readonly kind: "review";
      readonly decision: ReviewBody["decision"];
      readonly target: number;
      readonly into?: number;
      readonly industry?: string | null;
    }
  | { readonly kind: "status"; readonly move: RecordMove; readonly target: number }
  | { readonly kind: "held"; readonly key: string; readonly takes: boolean }
  | { readonly kind: "set-aside"; readonly row: number; readonly review: SetAsideReview }
  | { readonly kind: "independence"; readonly key: string; readonly outcome: ItemOutcome };

export interface Sources {
  readonly state: DeskState;
  readonly live: LiveRows;
}

type Review = Extract<Decision, { kind: "review" }>;

/** Throws OperatorError for a subject that is unknown, erased, or of another kind than the action needs. */
export function decisionOf(request: Request, sources: Sources): Decision {
  const { action, subject, value } = request;
  if (value !== undefined && !["accept", "join", "apart", "classify"].includes(action))
    throw new OperatorError(`${action} takes no value`);
  switch (action) {
    case "accept":
    case "reject":
      return answered(request, sources);
    case "join":
    case "apart":
      return ofPair(action, subject, value, sources);
    case "classify":
      return classify(subject, value, sources);
    case "flag":
    case "unflag":
      return { kind: "review", decision: action, target: recordRow(subject, sources) };
    case "retire":
    case "unretire":
      return { kind: "review", decision: action, target: rowOf(subject, "asset", sources) };
    default:
      return { kind: "status", move: action, target: recordRow(subject, sources) };
  }
}

const HELD_ITEM = /^(?:generic-name|damaged-name|private-name|opt-out)-([0-9a-f]{32})$/;
const SET_ASIDE_ITEM = /^set-aside-(\d{1,15})$/;
const RAISED_ITEM = /^independence-([0-9a-f]{16})$/;
const ROW_ITEM = /^(match|industry|integrity|retire)-(\d{1,15})$/;
const ROW_NUMBER = /^\d{1,15}$/;

function answered({ action, subject, value }: Request, sources: Sources): Decision {
  const accepts = action === "accept";
  const [, kind, row = ""] = ROW_ITEM.exec(subject) ?? [];
  if (value !== undefined && !(accepts && kind === "match"))
    throw new OperatorError(`${action} ${subject} takes no value`);
  if (kind !== undefined) return answeredItem(kind, { row, accepts, value }, sources);
  const privately = privateAnswer(subject, accepts, sources);
  if (privately !== undefined) return privately;
  const target = rowOf(subject, "observation", sources);
  return { kind: "review", decision: accepts ? "verify" : "reject", target };
}

/** Answers to what no row of the ledger tells of. */
function privateAnswer(subject: string, accepts: boolean, sources: Sources): Decision | undefined {
  const held = HELD_ITEM.exec(subject)?.[1];
  if (held !== undefined) return { kind: "held", key: held, takes: accepts };
  const raised = RAISED_ITEM.exec(subject)?.[1];
  if (raised !== undefined)
    return { kind: "independence", key: raised, outcome: accepts ? "handled" : "harmless" };
  const setAside = SET_ASIDE_ITEM.exec(subject)?.[1];
  if (setAside === undefined) return undefined;
  const row = rowOf(setAside, "observation", sources);
  return { kind: "set-aside", row, review: accepts ? "confirmed" : "restored" };
}

interface Answer {
  readonly row: string;
  readonly accepts: boolean;
  readonly value: string | undefined;
}

function answeredItem(kind: string, { row, accepts, value }: Answer, sources: Sources): Review {
  switch (kind) {
    case "match":
      return accepts
        ? ofPair("join", row, value ?? onlyCandidate(row, sources), sources)
        : { kind: "review", decision: "settle_match", target: recordRow(row, sources) };
    case "industry":
      return classify(row, accepts ? (proposedIndustry(row, sources) ?? undefined) : NO_INDUSTRY, sources);
    case "integrity":
      return integrity(row, accepts, sources);
    default:
      return {
        kind: "review",
        decision: accepts ? "retire" : "unretire",
        target: rowOf(row, "asset", sources),
      };
  }
}

function integrity(row: string, accepts: boolean, sources: Sources): Review {
  const target = recordRow(row, sources);
  if (accepts) return { kind: "review", decision: "unflag", target };
  throw new OperatorError(
    `integrity-${target} stays flagged as it is: reject the observations that are not genuine, one by one`,
  );
}

/** How `classify` says that no industry can be given. */
export const NO_INDUSTRY = "none";

function classify(subject: string, value: string | undefined, sources: Sources): Review {
  const target = recordRow(subject, sources);
  if (value === undefined)
    throw new OperatorError(
      `record ${target}: no industry is proposed: name one with classify, or reject the item to say that none can be given`,
    );
  return { kind: "review", decision: "classify", target, industry: value === NO_INDUSTRY ? null : value };
}

function proposedIndustry(row: string, sources: Sources): string | null {
  return recordOf(recordRow(row, sources), sources).naming?.industry ?? null;
}

function ofPair(
  action: "join" | "apart",
  subject: string,
  value: string | undefined,
  sources: Sources,
): Review {
  if (value === undefined) throw new OperatorError(`${action}: name the other record`);
  const [target, into] = [recordRow(subject, sources), recordRow(value, sources)];
  return { kind: "review", decision: action === "join" ? "merge" : action, target, into };
}

function onlyCandidate(row: string, sources: Sources): string {
  const candidates = matchCandidates(recordOf(recordRow(row, sources), sources), sources.state);
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return String(only.id);
  const names = candidates.map(({ body }) => body.public_id).join(", ");
  throw new OperatorError(
    `match-${row}: ${names === "" ? "no candidate is left: reject the item" : `say into which record it goes: ${names}`}`,
  );
}

export function recordRow(subject: string, sources: Sources): number {
  return rowOf(subject, "record", sources);
}

export function recordOf(row: number, { state }: Pick<Sources, "state">): RecordState {
  const record = state.records.get(row);
  if (record === undefined) throw new Error(`row ${row} is not a record`);
  return record;
}

function rowOf(subject: string, kind: RowKind, { state, live }: Sources): number {
  const row = ROW_NUMBER.test(subject) ? Number(subject) : state.withPublicId(subject);
  if (row === undefined)
    throw new OperatorError(
      `"${subject.slice(0, 80)}": no item, row number or public id: it is unknown, opted out or redacted`,
    );
  const known = live.find(row);
  if (known === undefined) throw new OperatorError(`row ${row}: the ledger has no such row`);
  if (known.erasedBy !== undefined)
    throw new OperatorError(
      `row ${row} was redacted by row ${known.erasedBy.id} (${known.erasedBy.reason}): there is nothing left to decide about`,
    );
  if (known.kind !== kind)
    throw new OperatorError(`row ${row} is of kind ${known.kind}; this is for a row of kind ${kind}`);
  return row;
}
