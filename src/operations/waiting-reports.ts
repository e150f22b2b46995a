import { REPORT_KIND_WORDS } from "../contract/accounts/reports.ts";
import { type SilentSource, silentSources } from "../intake/sources/source-desk.ts";
import type { DrawSample } from "../intake/sources/tally.ts";
import { isoTime } from "../kernel/time.ts";
import type { RecordState } from "../ledger/decisions/ledger-state.ts";
import type { LedgerReader } from "../ledger/reader.ts";
import type { LiveRows } from "../ledger/rows/live-rows.ts";
import { assetConflict } from "../method/asset-conflict.ts";
import { asOfAt, PARAMETERS } from "../method/numbers.ts";
import { drawSample } from "../method/review-sample.ts";
import type { AskOfAsset } from "../review/asset-conflicts.ts";
import type { DeskState } from "../review/desk-state.ts";
import type { Item } from "../review/items.ts";
import type { Report } from "../state/reports.ts";

/** Draws the sample of a month's set-aside observations (docs/methodology.md). */
export const drawSetAside: DrawSample = (candidates) =>
  drawSample(candidates, PARAMETERS.samples.setAsideSize);

/** Whether people are asked about a sign (docs/methodology.md, "Assets"). */
export const askOfAsset: AskOfAsset = (reports, { now, lng }) => assetConflict(reports, asOfAt(now, lng));

/** An open report as an item for reviewers. Only `presence report show` prints its text and address. */
export type WaitingReport = Omit<Item, "kind"> & { readonly kind: "report" };

export interface DeskFacts {
  readonly state: DeskState;
  readonly live: LiveRows;
}

export function waitingReport(
  { publicId, about, record, kind, receivedAt }: Report,
  facts: DeskFacts,
): WaitingReport {
  const subject = recordOf({ about, record }, facts);
  return {
    item: publicId,
    kind: "report",
    waits_since: isoTime(receivedAt),
    city: subject?.body.city ?? null,
    version: null,
    why: `reported problem: ${REPORT_KIND_WORDS[kind]}`,
    about: { record: subject?.id },
    facts: { about: about ?? "the service", problem: REPORT_KIND_WORDS[kind] },
    known: {
      about,
      problem: kind,
      ...(subject !== undefined && { row: subject.id, name: subject.name }),
    },
  };
}

function recordOf(
  { about, record }: Pick<Report, "about" | "record">,
  { state, live }: DeskFacts,
): RecordState | undefined {
  if (about === null) return undefined;
  const row = record === null ? live.recordsAbout(Number(about))[0] : state.withPublicId(record);
  return row === undefined ? undefined : state.records.get(row);
}

/** The sources of a ledger that send nothing. */
export function silentSourcesOf(
  reader: LedgerReader,
  { now, days }: { readonly now: number; readonly days: number },
): SilentSource[] {
  const sources = reader
    .sources()
    .map(({ id, state, row }) => ({ id, state, registeredAt: reader.live.acceptedAt(row) ?? now }));
  return silentSources(sources, reader.batches.lastIntake(), { now, days });
}
