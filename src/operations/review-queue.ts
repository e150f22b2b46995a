/** The queue of reviewers (see `reviewQueue`), with the methodology's numbers and the reports of the state. */
import type { LedgerReader } from "../ledger/reader.ts";
import { DeskState } from "../review/desk-state.ts";
import { ITEM_KINDS, type Item, type ItemKind, type ItemSources, waitingItems } from "../review/items.ts";
import { filtered, type ItemFilter } from "../review/queue/groups.ts";
import type { ReviewQueue } from "../review/queue/model.ts";
import { notAsked } from "../review/queue/not-asked.ts";
import { type QueuedItem, reviewQueue } from "../review/queue/queue.ts";
import type { Report } from "../state/reports.ts";
import { askOfAsset, drawSetAside, waitingReport } from "./waiting-reports.ts";

type QueueLedger = Pick<LedgerReader, "deskRows" | "live" | "batches">;

export interface QueueInputs {
  readonly ledger: QueueLedger;
  readonly reports: readonly Report[]; // open ones
  readonly now: number; // ms
  readonly filter?: ItemFilter;
  /** Which of the set-aside observations: the random sample, unless given. */
  readonly setAside?: ItemSources["setAside"];
  /** Each item by itself. */
  readonly ungrouped?: boolean;
}

/** Reads the ledger through. */
export function queueOf(inputs: QueueInputs): ReviewQueue {
  const { ledger, reports, now, filter = {}, ungrouped = false } = inputs;
  const { deskRows: rows, live, batches } = ledger;
  const state = new DeskState(rows.rows());
  const items = filtered(itemsOf(state, inputs), filter, { state, rows, live, batches });
  const reported = reportItems(reports, filter, { state, live });
  const sources = { state, rows, live, now, notAsked: notAsked({ state, rows }, drawSetAside, filter) };
  return reviewQueue({ ...sources, items: [...items, ...reported], ungrouped });
}

/** All items of a ledger that wait. */
export function itemsOf(
  state: DeskState,
  {
    ledger: { deskRows: rows },
    now,
    filter,
    setAside = drawSetAside,
  }: Pick<QueueInputs, "ledger" | "now" | "filter" | "setAside">,
): Item[] {
  const kinds = ITEM_KINDS.filter((kind: ItemKind) => (filter?.kind ?? kind) === kind);
  return waitingItems({ state, rows, now, assetConflict: askOfAsset, setAside }, kinds);
}

/** Reports are of no source and no batch. */
function reportItems(
  reports: readonly Report[],
  { kind = "report", city, source, batch, group }: ItemFilter,
  facts: Parameters<typeof waitingReport>[1],
): QueuedItem[] {
  if (kind !== "report" || source !== undefined || batch !== undefined || group !== undefined) return [];
  return reports
    .map((report) => waitingReport(report, facts))
    .filter((item) => city === undefined || item.city === city);
}
