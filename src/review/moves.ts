import { z } from "zod";
import type { HoldReason } from "../intake/lines/name.ts";
import { OperatorError } from "../kernel/errors.ts";

/**
 * What can happen to each thing that has a life of its own: the only list, shown in docs/states.md. Moves of subscriptions, webhooks
 * and reports are no rows of the ledger (src/state), and stand here so that one page has them all.
 */
export interface Move {
  readonly move: string;
  readonly from: readonly string[];
  /** Null: what it was before the move that is taken back. */
  readonly to: string | null;
  readonly by: string;
}

const OPEN_ENTITY = ["unclaimed", "claimed", "verified"];
const STANDING_ASSET = ["active", "stale"];

export const MOVES = {
  entity: [
    { move: "claim", from: ["unclaimed"], to: "claimed", by: "`presence record claim`" },
    { move: "verify", from: ["claimed"], to: "verified", by: "`presence record verify`" },
    { move: "dissolve", from: OPEN_ENTITY, to: "dissolved", by: "`presence record dissolve`" },
    { move: "reopen", from: ["dissolved"], to: null, by: "`presence record reopen`" },
    { move: "join", from: [...OPEN_ENTITY, "dissolved"], to: "merged", by: "`presence review join`" },
    { move: "take the join back", from: ["merged"], to: null, by: "`presence review join --undo`" },
  ],
  integrity: [
    { move: "flag", from: ["clear"], to: "flagged", by: "`presence review flag`" },
    { move: "unflag", from: ["flagged"], to: "clear", by: "`presence review unflag`" },
  ],
  asset: [
    { move: "retire", from: STANDING_ASSET, to: "retired", by: "`presence review retire`" },
    { move: "unretire", from: ["retired"], to: "active", by: "`presence review unretire`" },
    { move: "keep", from: STANDING_ASSET, to: "active", by: "`presence review reject retire-ROW`" },
    { move: "keep retired", from: ["retired"], to: "retired", by: "`presence review accept retire-ROW`" },
    { move: "not seen for long", from: ["active"], to: "stale", by: "the methodology, from dates alone" },
    { move: "not seen for longer", from: ["stale"], to: "retired", by: "the methodology, from dates alone" },
    {
      move: "seen again",
      from: ["stale", "retired"],
      to: "active",
      by: "the methodology, from dates alone; not what a review retired",
    },
  ],
  observation: [
    {
      move: "corroborate",
      from: ["provisional"],
      to: "corroborated",
      by: "the methodology, from another observer's observation",
    },
    {
      move: "verify",
      from: ["provisional", "corroborated", "rejected"],
      to: "verified",
      by: "`presence review accept ROW`",
    },
    {
      move: "reject",
      from: ["provisional", "corroborated", "verified"],
      to: "rejected",
      by: "`presence review reject ROW`",
    },
  ],
  "set-aside observation": [
    {
      move: "confirm",
      from: ["set_aside", "restored"],
      to: "confirmed",
      by: "`presence review accept set-aside-ROW`",
    },
    {
      move: "restore",
      from: ["set_aside", "confirmed"],
      to: "restored",
      by: "`presence review reject set-aside-ROW`",
    },
  ],
  "raised item": [
    { move: "handle", from: ["open"], to: "handled", by: "`presence review accept independence-KEY`" },
    { move: "dismiss", from: ["open"], to: "harmless", by: "`presence review reject independence-KEY`" },
  ],
  "record of an observation": [
    { move: "split", from: ["own", "moved"], to: "moved", by: "`presence review split`" },
    { move: "take the split back", from: ["moved"], to: null, by: "`presence review split --undo`" },
  ],
  "name of a record": [
    { move: "rename", from: ["chosen", "given"], to: "given", by: "`presence review rename`" },
    { move: "take the name back", from: ["given"], to: "chosen", by: "`presence review rename --undo`" },
  ],
  "two records": [
    { move: "keep apart", from: ["unrelated"], to: "apart", by: "`presence review apart`" },
    { move: "take it back", from: ["apart"], to: "unrelated", by: "`presence review apart --undo`" },
  ],
  "what a batch made": [
    { move: "withdraw", from: ["published"], to: "withdrawn", by: "`presence batch undo`" },
  ],
  "city denominator": [
    { move: "review", from: ["unreviewed"], to: "reviewed", by: "`presence city review`" },
    { move: "replace", from: ["unreviewed", "reviewed"], to: "unreviewed", by: "`presence city cells`" },
  ],
  "city publication": [
    { move: "publish", from: ["unpublished"], to: "published", by: "`presence city publish`" },
    { move: "unpublish", from: ["published"], to: "unpublished", by: "`presence city unpublish`" },
  ],
  "city collection": [
    { move: "pause", from: ["active"], to: "paused", by: "`presence city pause`" },
    { move: "resume", from: ["paused"], to: "active", by: "`presence city resume`" },
  ],
  "city launch": [{ move: "launch", from: ["preview"], to: "launched", by: "`presence city launch`" }],
  subscription: [
    {
      move: "confirm",
      from: ["pending", "unsubscribed"],
      to: "active",
      by: "the link in the confirmation email",
    },
    { move: "pause", from: ["active"], to: "paused", by: "its owner, or an email that came back" },
    { move: "resume", from: ["paused"], to: "active", by: "its owner" },
    {
      move: "unsubscribe",
      from: ["pending", "active", "paused"],
      to: "unsubscribed",
      by: "its owner; permanent",
    },
  ],
  report: [
    { move: "resolve", from: ["open"], to: "resolved", by: "`presence report resolve`" },
    {
      move: "resolve again",
      from: ["resolved"],
      to: "resolved",
      by: "`presence report resolve --again`; earlier decisions stay on its record",
    },
  ],
  webhook: [
    { move: "answer the challenge", from: ["pending"], to: "active", by: "the receiver" },
    {
      move: "disable",
      from: ["pending", "active"],
      to: "disabled",
      by: "its owner, an address that is gone, or many failures",
    },
    { move: "register again", from: ["disabled"], to: "pending", by: "its owner" },
  ],
} as const satisfies Readonly<Record<string, readonly Move[]>>;

export type Subject = keyof typeof MOVES;

function movesFrom(subject: Subject, state: string): string[] {
  const moves: readonly Move[] = MOVES[subject];
  return moves.filter(({ from }) => from.includes(state)).map(({ move }) => move);
}

/** `label` begins the message. Throws OperatorError that names what is allowed instead. */
export function assertMove(subject: Subject, move: string, state: string, label: string): void {
  const allowed = movesFrom(subject, state);
  if (allowed.includes(move)) return;
  const moves: readonly Move[] = MOVES[subject];
  const needed = moves.filter((each) => each.move === move).flatMap(({ from }) => from);
  throw new OperatorError(
    `${label} is ${state}: "${move}" is for what is ${needed.join(" or ")}; allowed now: ${allowed.join(", ") || "nothing"}`,
  );
}

/** Why something was decided: the only list, shown in docs/states.md. Codes are published in the ledger, so they say nothing of anybody. */
export const REASONS = {
  picture_clear: "the picture shows the name and the place clearly",
  picture_unclear: "the picture does not show what was read",
  wrong_subject: "the picture or the line shows something else",
  same_business: "two records are one business",
  different_businesses: "two businesses share a name",
  name_identifies: "the name, though generic, is that of one place",
  name_too_generic: "the name could belong to anyone",
  industry_confirmed: "the proposed industry is right",
  industry_corrected: "another industry is right",
  industry_unknown: "no industry can be given",
  suspicious_pattern: "the observations look arranged",
  checked_genuine: "the observations were checked and are genuine",
  taken_down: "the sign or vehicle is gone",
  still_there: "the sign or vehicle is still there",
  owner_request: "the business asked for it",
  documents_checked: "documents were checked",
  business_ended: "the business has ended",
  business_resumed: "the business continues",
  reported_problem: "somebody reported it, and it was checked",
  operator_error: "an earlier decision was a mistake",
} as const;

export type Reason = keyof typeof REASONS;

const Reason = z.custom<Reason>((code) => typeof code === "string" && Object.hasOwn(REASONS, code));

/** Lowercase letters and hyphens, and at most a number: a role holds no full name and no email address. */
const ROLE = /^[a-z]{2,20}(-[a-z]{2,20}){0,2}(-\d{1,3})?$/;

/** Who decides, as a role, and why, as a code: both are published. */
export interface Decider {
  readonly reviewer: string;
  readonly reason: Reason;
}

/** Throws OperatorError that says what a role looks like. */
export function reviewerRole(role: string): string {
  if (ROLE.test(role)) return role;
  throw new OperatorError(
    "--as: give a role such as review-desk or field-team-2 (small letters, hyphens, a number), never a person: it is published",
  );
}

/** Throws OperatorError for an invalid role, and for an unknown code with the list of codes. */
export function decider(role: string, code: string): Decider {
  const reviewer = reviewerRole(role);
  const reason = Reason.safeParse(code);
  if (!reason.success)
    throw new OperatorError(`--reason: not a reason code; there are: ${Object.keys(REASONS).join(", ")}`);
  return { reviewer, reason: reason.data };
}

/** Why intake held a line, in words, and the kind of item that it is at the review desk. */

export type HeldKind = "generic-name" | "damaged-name" | "private-name" | "opt-out";

const HOLD_REASONS: Readonly<Record<HoldReason, readonly [kind: HeldKind, why: string]>> = {
  generic_name: ["generic-name", "the name is generic"],
  damaged_name: ["damaged-name", "the name was damaged on its way, and would be published as it is"],
  phone_in_name: ["private-name", "the name holds a telephone number, and would be published with it"],
  email_in_name: ["private-name", "the name holds an email address, and would be published with it"],
  plate_in_name: ["private-name", "the name holds a number plate, and would be published with it"],
  person_in_name: ["private-name", "the name addresses a person, and would be published as it is"],
  near_opt_out: ["opt-out", "the name is near that of a record that opted out at the same place"],
};

export function heldKind(reason: string): HeldKind {
  return known(reason)[0];
}

export function heldBecause(reason: string): string {
  return known(reason)[1];
}

function known(reason: string): readonly [kind: HeldKind, why: string] {
  if (isHoldReason(reason)) return HOLD_REASONS[reason];
  throw new Error(`no reason to hold a line: ${reason}`);
}

function isHoldReason(reason: string): reason is HoldReason {
  return Object.hasOwn(HOLD_REASONS, reason);
}
