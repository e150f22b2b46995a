import type { ReportKind, ReportOutcome } from "../../contract/enums.ts";
import { hmacSha256 } from "../../kernel/hash.ts";
import type { StateKeys } from "../state-key.ts";
import type { Row } from "../tables.ts";

/** A reported problem, validated by the caller. */
export interface NewReport {
  readonly about: string | null; // public id or number of a ledger row; null: something else, or it was erased
  readonly record: string | null; // public id of the record that it is about, where that is known
  readonly kind: ReportKind;
  readonly text: string;
  readonly email: string | null;
}

export interface Resolution {
  readonly outcome: ReportOutcome;
  readonly ledgerRow: number | null; // what it led to
  readonly resolvedBy: string; // a role
  readonly note: string | null;
}

export interface Resolved extends Resolution {
  readonly at: number;
}

export interface Report extends Omit<NewReport, "text"> {
  readonly publicId: string;
  readonly text: string | null; // null once it was deleted
  readonly receivedAt: number;
  /** In order; the last one counts. None: it is open. */
  readonly resolutions: readonly Resolved[];
}

/** The dates and outcomes of a report, without its content. */
export interface ReportCourse {
  readonly receivedAt: number;
  readonly resolutions: readonly Pick<Resolved, "outcome" | "at">[];
}

export function reportOf(row: Row<"reports">, resolutions: readonly Row<"report_resolutions">[]): Report {
  return {
    publicId: row.public_id,
    about: row.about,
    record: row.record,
    kind: row.kind,
    text: row.text,
    email: row.email,
    receivedAt: row.received_at,
    resolutions: resolutions.map(({ outcome, ledger_row, resolved_by, note, resolved_at }) => ({
      outcome,
      ledgerRow: ledger_row,
      resolvedBy: resolved_by,
      note,
      at: resolved_at,
    })),
  };
}

/** The same for the same report of the same person; keyed, because the text may be short enough to be guessed. */
export function contentKey(keys: StateKeys, { about, kind, text, email }: NewReport): string {
  const content = JSON.stringify([about, kind, text, email?.toLowerCase() ?? null]);
  return hmacSha256(keys.purposeKey("reports"), content).toString("hex");
}
