import { REPORT_OPEN_WORDS, REPORT_OUTCOME_WORDS } from "../contract/accounts/reports.ts";
import { ReportOutcome } from "../contract/enums.ts";

const OUTCOMES: Readonly<Record<ReportOutcome, { readonly title: string; readonly more: string }>> = {
  upheld: {
    title: "Found to be right",
    more: "What was decided because of it is a row of the ledger; pages and numbers show it from the release on that has this row.",
  },
  not_upheld: {
    title: "Not found to be right",
    more: "If you know of something that shows it, report it once more and say how it can be checked.",
  },
  duplicate: { title: "Reported before", more: "What comes of the earlier report holds for this one, too." },
  withdrawn: { title: "Withdrawn", more: "Nothing was changed because of it." },
  out_of_scope: { title: "Not decided here", more: "Nothing was changed because of it." },
};

/** Where the forms lead to; the paths are those of `src/server/report-forms.ts`. */
export const REPORT_RESULTS: readonly {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly more: string;
}[] = [
  {
    path: "open",
    title: "Not decided yet",
    text: REPORT_OPEN_WORDS,
    more: "How long that takes is in the methodology metrics, as far as it was measured.",
  },
  {
    path: "unknown",
    title: "No such report",
    text: "No report has this id.",
    more: "An id begins with rep_ and has sixteen letters and digits after it. Is it whole?",
  },
  ...ReportOutcome.options.map((outcome) => ({
    path: outcome.replaceAll("_", "-"),
    text: REPORT_OUTCOME_WORDS[outcome],
    ...OUTCOMES[outcome],
  })),
];
