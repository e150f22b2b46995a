/** What a reviewer may correct about whose evidence is whose: previewed first, and done with the code of the preview. */
import { BUILT_IN } from "../../contract/fields.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { JsonValue } from "../../kernel/text/canonical-json.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Desk } from "../desk.ts";
import type { Decider } from "../reasons.ts";
import { recordOf, recordRow } from "../request.ts";

/** Making one changes nothing. */
export interface Correction {
  readonly shown: { readonly [name: string]: JsonValue };
  readonly notes: readonly string[];
  /** Valid until the ledger changes. */
  readonly code: string;
  /** Within a transaction of the ledger: appends the rows, and returns the first one's number. */
  readonly make: (decider: Decider) => number;
}

/** Where a correction is made. */
export interface DeskAtWork {
  readonly desk: Desk;
  readonly ledger: LedgerWriter;
}

export function correctionCode({ live }: Pick<LedgerWriter, "live">, asked: JsonValue): string {
  const { row, hash } = live.last();
  return confirmationCode([row, hash, asked]);
}

/** Throws OperatorError for what is no record, is erased, or stands for another record. */
export function standingRecord({ desk }: Pick<DeskAtWork, "desk">, subject: string): RecordState {
  const record = recordOf(recordRow(subject, desk.sources), desk.sources);
  if (record.merge === undefined) return record;
  const root = recordOf(desk.state.merges.root(record.id), desk.sources);
  throw new OperatorError(
    `record ${record.id} was joined with ${root.body.public_id} (row ${root.id}): correct that one, or take the join back first`,
  );
}

/** All live observations that count for a record that stands by itself. */
export function sightingsOf({ desk, ledger }: DeskAtWork, { id }: RecordState): LiveSighting[] {
  return ledger.live.sightings(groupOf(desk, id), []);
}

/** The record and those that went into it. */
export function groupOf({ state }: Desk, root: number): number[] {
  return [...state.records.keys()].filter((record) => state.merges.root(record) === root);
}

/** How many principals made observations, as every reader can count them by tags. */
export function principalsOf({ desk }: Pick<DeskAtWork, "desk">, sightings: readonly LiveSighting[]): number {
  const { merges } = desk.state;
  const tags = sightings.map(({ body }) => merges.rootTag(body.record, body.observer_tag));
  return new Set(tags.filter((tag) => tag !== BUILT_IN)).size;
}

/** What everybody can link by a move, in words. */
export function linkedNote(principals: number): string {
  if (principals === 0) return "No registered observer gets another tag by it.";
  return `${principals} principal${principals === 1 ? " gets" : "s get"} a tag at the other record: every reader of the ledger can tell that both tags are of one principal.`;
}

export const EVENTS_NOTE =
  "Events that were published keep their ids and their subjects, and none is raised anew. Citations of earlier releases stay right, and say where an observation was moved to.";
