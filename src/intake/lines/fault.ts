import type { z } from "zod";

/** Why a line is refused. The list is closed: summaries count by it, and operators filter the rejects file by it. */
const REJECT_REASONS = [
  "invalid_json",
  "not_an_object",
  "invalid_encoding",
  "line_too_long",
  "unclosed_quote",
  "malformed_quote",
  "column_count",
  "missing_field",
  "wrong_type",
  "not_allowed",
  "too_long",
  "out_of_range",
  "zero_coordinates",
  "invalid_date",
  "no_such_local_time",
  "ambiguous_local_time",
  "ancient_date",
  "future_date",
  "empty_name",
  "name_too_long",
  "invalid_website",
  "invalid_phone",
  "unknown_industry_code",
  "outside_registered_cities",
  "duplicate_reference_with_other_content",
  "opted_out",
  "unknown_source",
  "other_source",
  "source_not_active",
  "track_too_short",
  "too_fast",
  "look_too_late",
] as const;

export type RejectReason = (typeof REJECT_REASONS)[number];

/** Thrown for one bad line; the run goes on with the next. The message never repeats private values. */
export class LineFault extends Error {
  readonly reason: RejectReason;
  readonly field: string | null;

  constructor(reason: RejectReason, field: string | null, message: string) {
    super(message);
    this.name = "LineFault";
    this.reason = reason;
    this.field = field;
  }
}

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
