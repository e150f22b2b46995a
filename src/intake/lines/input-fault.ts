import type { z } from "zod";
import { LineFault, type RejectReason } from "./fault.ts";

type Issue = z.core.$ZodIssue | undefined;

/** The first thing that a schema finds wrong in a line, as a fault of its field. */
export function faultOf(issue: Issue): LineFault {
  const field = String(issue?.path[0] ?? "");
  return new LineFault(reasonOf(issue), field, messageOf(issue, field));
}

/** zod says "invalid_type" both for what is absent and for what has another type; the input tells which. */
function reasonOf(issue: Issue): RejectReason {
  switch (issue?.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined") ? "missing_field" : "wrong_type";
    case "too_small":
      return issue.origin === "string" ? "missing_field" : "out_of_range";
    case "too_big":
      return issue.origin === "string" ? "too_long" : "out_of_range";
    default:
      return "not_allowed";
  }
}

function messageOf(issue: Issue, field: string): string {
  if (issue === undefined) return "is wrong";
  if (reasonOf(issue) === "missing_field") return "is missing";
  if (field === "lat" && reasonOf(issue) === "out_of_range")
    return "latitude is outside -90..90: are latitude and longitude swapped?";
  return issue.message.replace(/^Invalid (input|option): /, "");
}
