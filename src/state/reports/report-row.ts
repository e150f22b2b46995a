import { hmacSha256 } from "../../kernel/hash.ts";
import { answerer } from "../../kernel/table.ts";
import type { StateKeys } from "../state-key.ts";
import { type Row, STATE_TABLES } from "../tables.ts";

const contentOf = answerer(STATE_TABLES.reports);
const resolutionOf = answerer(STATE_TABLES.report_resolutions);

export interface Report extends ReturnType<typeof contentOf> {
  /** In order; the last one counts. None: it is open. */
  readonly resolutions: readonly Resolved[];
}
export type Resolved = ReturnType<typeof resolutionOf>;
export type Resolution = Omit<Resolved, "id" | "reportId" | "resolvedAt">;

/** A reported problem, validated by the caller. */
export type NewReport = Omit<Report, "publicId" | "receivedAt" | "resolutions"> & { readonly text: string };

/** The dates and outcomes of a report, without its content. */
export interface ReportCourse {
  readonly receivedAt: number;
  readonly resolutions: readonly Pick<Resolved, "outcome" | "resolvedAt">[];
}

export function reportOf(row: Row<"reports">, resolutions: readonly Row<"report_resolutions">[]): Report {
  return { ...contentOf(row), resolutions: resolutions.map(resolutionOf) };
}

/** The same for the same report of the same person; keyed, because the text may be short enough to be guessed. */
export function contentKey(keys: StateKeys, { about, kind, text, email }: NewReport): string {
  const content = JSON.stringify([about, kind, text, email?.toLowerCase() ?? null]);
  return hmacSha256(keys.purposeKey("reports"), content).toString("hex");
}
