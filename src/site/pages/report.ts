import {
  REPORT_KIND_WORDS,
  REPORT_OPEN_WORDS,
  REPORT_OUTCOME_WORDS,
} from "../../contract/accounts/reports.ts";
import { ReportKind, ReportOutcome } from "../../contract/enums.ts";
import type { ResultPage } from "./search.ts";

/** Choices of the form on /report/. */
export const REPORT_KINDS = ReportKind.options.map((kind) => ({ kind, words: REPORT_KIND_WORDS[kind] }));

const OUTCOMES: Readonly<Record<ReportOutcome, { readonly title: string; readonly more: string }>> = {
  upheld: {
    title: "Report confirmed",
    more: "The decision is a row of the ledger. Pages and numbers show it from the first release that contains this row.",
  },
  not_upheld: {
    title: "Report not confirmed",
    more: "If you have evidence, report the problem again and explain how to check it.",
  },
  duplicate: {
    title: "Already reported",
    more: "The outcome of the earlier report also applies to this one.",
  },
  withdrawn: { title: "Withdrawn", more: "It led to no changes." },
  out_of_scope: { title: "Out of scope", more: "It led to no changes." },
};

/** Result pages of the forms, with the paths of the server's report forms. */
export const REPORT_RESULTS: readonly ResultPage[] = [
  {
    path: "open",
    title: "Not yet decided",
    text: REPORT_OPEN_WORDS,
    more: "The methodology metrics show how long decisions take, once measured.",
  },
  {
    path: "unknown",
    title: "No such report",
    text: "No report has this id.",
    more: "An id is rep_ followed by sixteen letters and digits. Check that it is complete.",
  },
  ...ReportOutcome.options.map((outcome) => ({
    path: outcome.replaceAll("_", "-"),
    text: REPORT_OUTCOME_WORDS[outcome],
    ...OUTCOMES[outcome],
  })),
];
