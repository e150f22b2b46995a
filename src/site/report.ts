import { REPORT_KIND_WORDS } from "../contract/accounts/reports.ts";
import { ReportKind } from "../contract/enums.ts";

/** What the form of /report/ offers. */
export const KINDS = ReportKind.options.map((kind) => ({ kind, words: REPORT_KIND_WORDS[kind] }));
