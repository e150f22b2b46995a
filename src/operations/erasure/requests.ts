/** What else is taken out of the ledger: lines without a row, whoever leaves, and batches. No release shows it before a night does. */
import { knownBatch } from "../../intake/batches.ts";
import { erasePending, type PendingTarget, planPendingRedaction } from "../../intake/erasure/erase.ts";
import { type Leaver, leave, planToLeave } from "../../intake/sources/leaving.ts";
import { planUndo, type UndoPlan, undo } from "../../intake/undo.ts";
import { isoDate } from "../../kernel/time.ts";
import type { Leaving } from "../../ledger/sources/source-store.ts";
import type { LedgerRequest, Shown } from "./take-out.ts";

const NOTHING_KNOWN = { records: [], rows: [] }; // the state knows nothing of it
const AGAIN = "Nothing of it was left: an earlier run of this command took it out.";

/** `presence redact` of an accepted line that is no row yet. A line is found again by no code: it may have become rows meanwhile. */
export function pendingLine({ batch, line }: PendingTarget, reason: string): LedgerRequest<Shown> {
  const target = `${batch}:${line}`;
  return {
    store: "ledger",
    isPublic: false,
    plan(ledger) {
      const { id, name, assetType, observedAt, code } = planPendingRedaction(ledger, { batch, line });
      return {
        fields: {
          ...{ command: "redact", target, reason, name },
          ...{ asset_type: assetType, observed_at: observedAt },
        },
        notes: PENDING_NOTES,
        code,
        next: `To delete this line: presence redact ${target} --reason ${reason}`,
        forgets: NOTHING_KNOWN,
        erase() {
          erasePending(ledger, id);
          return { fields: { command: "redact", target, lines_deleted: 1 }, notes: [] };
        },
      };
    },
    doneBefore: () => undefined,
    done: (shown) => shown,
  };
}

const PENDING_NOTES = [
  "This cannot be undone. No row names the line, because it never became one; the reason is not recorded.",
  "Intake still rejects the same source reference.",
  "Outside the ledger, find and delete the same values: input files, their `<input>.rejects.ndjson`, backups of ledger.db.",
];

/** `presence observer erase` and `presence source withdraw`: what is private goes at once, the public rows in the nights of two weeks. */
export function leaving(command: string, leaver: Leaver): LedgerRequest<Shown> {
  return {
    store: "ledger",
    isPublic: false,
    takesInFirst: true,
    plan(ledger) {
      const plan = planToLeave(ledger, leaver);
      const fields = {
        rows: plan.rows.size,
        records: new Set(plan.rows.values()).size,
        observers: plan.observers.length,
        pending_lines: plan.pending.length,
      };
      return {
        fields,
        notes: LEAVING_NOTES,
        code: plan.code,
        next: `To do this: presence ${command}`,
        forgets: NOTHING_KNOWN,
        erase() {
          leave(ledger, plan);
          return { fields: { ...fields, ...stillLeaving(ledger.sources.leaving()) }, notes: [] };
        },
      };
    },
    doneBefore(ledger) {
      if (!planToLeave(ledger, leaver).isGone) return undefined;
      const fields = { rows: 0, records: 0, observers: 0, pending_lines: 0 };
      return { fields: { ...fields, ...stillLeaving(ledger.sources.leaving()) }, notes: [AGAIN] };
    },
    done: (shown) => shown,
  };
}

/** Of all who left: nothing tells any more whose a row was. */
export function stillLeaving({ rows, lastDue }: Leaving) {
  return { rows_still_leaving: rows, last_leaves_on: lastDue === null ? null : isoDate(lastDue) };
}

const LEAVING_NOTES = [
  "Exact places, times and ids are deleted at once.",
  "The public rows leave record by record within 14 days, each in a redaction with others where there are any. What still waits is told as one sum over all who left: nothing says whose a row was.",
  "Outside the ledger, delete the same values: input files, rejects, backups, logs.",
];

/** `presence batch undo`: lines without a row go, rows stop counting. Without rows nobody learns of it, so it needs no code. */
export function undoneBatch(name: string): LedgerRequest<Shown> {
  return {
    store: "ledger",
    isPublic: false,
    plan(ledger) {
      const plan = planUndo(ledger, name);
      const { counting, records, observers, oneObserver, code } = plan;
      return {
        fields: {
          ...undoneFields(plan),
          records,
          observers,
          pairs_of_one_observer: Number(oneObserver.toFixed(3)),
        },
        notes: undoNotes(name, counting.length, oneObserver),
        code,
        next: `To do this: presence batch undo ${name}`,
        needsNoCode: plan.rows.length === 0,
        forgets: { records: [...plan.withdrawn.publicIds], rows: [] },
        erase() {
          undo(ledger, plan);
          return { fields: { ...undoneFields(plan), state: "undone" }, notes: [] };
        },
      };
    },
    doneBefore(ledger) {
      const batch = knownBatch(ledger.batches, name);
      if (batch.decision !== "undone") return undefined;
      const fields = { batch: name, file: batch.file, lines_deleted: 0, rows: 0, rows_that_stop_counting: 0 };
      return { fields: { ...fields, state: "undone" }, notes: [AGAIN] };
    },
    done: (shown) => shown,
  };
}

function undoneFields({ batch, left, rows, counting, withdrawn }: UndoPlan) {
  return {
    batch: batch.name,
    file: batch.file,
    lines_deleted: left.waiting + left.held + left.heldBack,
    rows: rows.length,
    rows_that_stop_counting: counting.length,
    records_withdrawn: withdrawn.records.length,
    assets_withdrawn: withdrawn.assets.length,
  };
}

function undoNotes(name: string, counting: number, oneObserver: number): string[] {
  return [
    `This publishes that these ${counting.toLocaleString("en-US")} rows came in one batch: each gets a recount row with the code batch_undone, all of one day.`,
    `Whoever takes two of them for one observer's is right in ${(100 * oneObserver).toFixed(1)} % of the pairs. That cannot be taken back.`,
    "The rows stay in the ledger and stop counting with the next release. Records and assets that only they made leave the public then, for good: subscribers' waiting messages about them go at once, and endpoints are told of the withdrawn rows.",
    `To take the rows themselves out, use \`presence redact --batch ${name}\`.`,
    "Their references stay known: lines that correct them need references of their own.",
  ];
}
