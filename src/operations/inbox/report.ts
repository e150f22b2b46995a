/** What is said of the files of the inbox, for people and for monitors. */

import { existsSync } from "node:fs";
import { approvalNote } from "../../intake/brake.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { InboxFile } from "../../ledger/sources/inbox-store.ts";
import { type CommandContext, homeOf } from "../context.ts";
import { keptPath } from "./kept.ts";
import type { Entry } from "./look.ts";
import { labelOf } from "./read-copy.ts";

/** What became of one file: `left` stays where it is until somebody does something, `waits` until it is whole. */
export interface Told {
  readonly source: string;
  readonly file: string;
  readonly outcome: "accepted" | "known" | "failed" | "left" | "waits";
  readonly reason: string | null;
  readonly batch: string | null;
  readonly counts: InboxFile["counts"];
  readonly rejected: InboxFile["rejected"];
  /** What is left to do, and where more is said. */
  readonly notes: readonly string[];
}

type Outcome = Pick<Told, "outcome"> & Partial<Told>;

export function told({ source, name }: Pick<Entry, "source" | "name">, { outcome, ...rest }: Outcome): Told {
  const nothing = { reason: null, batch: null, counts: null, rejected: null, notes: [] };
  return { source, file: name, outcome, ...nothing, ...rest };
}

const OUTCOMES = [
  "accepted",
  "known",
  "failed",
  "left",
  "waits",
] as const satisfies readonly Told["outcome"][];

/** Files by outcome. */
export function countsOf(all: readonly Told[]): Record<string, number> {
  const count = (of: Told["outcome"]) => all.filter(({ outcome }) => outcome === of).length;
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)]));
}

/** What a file still asks of the operator, and where its copies say more: a sentence each. */
export function notesOn(
  { context, ledger }: { context: CommandContext; ledger: Pick<LedgerReader, "batches" | "intake"> },
  { batch, counts, takenAt, ...place }: InboxFile,
): string[] {
  const path = (folder: "archive" | "rejects", ending?: string) =>
    [keptPath(homeOf(context), folder, { ...place, at: takenAt }, ending)].filter(existsSync);
  const [copy = "FILE"] = [...path("archive"), ...path("rejects")];
  const { uncategorized = 0 } = counts ?? {};
  const check = shellLine(["presence", "map", "check", copy, "--map"]);
  return [
    ...approvalNote(ledger, batch, context.config.strictness),
    ...path("rejects", REJECTS).map((rejects) => `its rejected lines, each with the reason: ${rejects}`),
    ...(uncategorized === 0
      ? []
      : [
          `lines without an industry, because "industry_map" lacks their category: ${uncategorized}; \`${check} MAP.json\` names the categories`,
        ]),
  ];
}

export const REJECTS = ".rejects.ndjson";

/** `inbox/fleet/may.csv: accepted (batch b12: 800 read, 790 accepted, 0 known, 10 rejected: 10 invalid_date)`, and its notes below. */
export function toldLines({ source, file, outcome, reason, batch, counts, rejected, notes }: Told): string[] {
  const lines = counts === null ? [] : [countsText(counts, rejected ?? {})];
  const details = [batch === null ? [] : [`batch ${batch}`], lines].flat().join(": ");
  const because = reason === null ? "" : `: ${reason}`;
  const became = `${labelOf({ source, name: file })}: ${outcome}${details === "" ? "" : ` (${details})`}${because}`;
  return [became, ...notes.map((note) => `  ${note}`)];
}

function countsText(
  counts: Readonly<Record<string, number>>,
  rejected: Readonly<Record<string, number>>,
): string {
  const { read = 0, accepted = 0, looks = 0, known = 0, rejected: refused = 0 } = counts;
  const reasons = Object.entries(rejected).map(([reason, lines]) => `${lines} ${reason}`);
  const why = reasons.length === 0 ? "" : `: ${reasons.join(", ")}`;
  return `${read} read, ${accepted + looks} accepted, ${known} known, ${refused} rejected${why}`;
}
