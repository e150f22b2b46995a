import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";

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
