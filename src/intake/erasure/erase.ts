/** What an erasure changes in the ledger, how one that was done before is found again, and the erasure of lines without a row. */
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { continues } from "../../ledger/redaction-counts.ts";
import type { Redaction } from "../../ledger/rows/redactions.ts";
import type { SealResult } from "../../ledger/tree/seal.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { idsOfName, rememberedKey } from "../lines/held-name.ts";
import { parseObservation } from "../lines/observation-input.ts";
import { reteach } from "../matching/reteach.ts";
import { cityAt, cityFinder } from "../places/place.ts";
import { type ErasurePlan, type ErasureRequest, planCode } from "./erasure-plan.ts";

export interface ErasureResult {
  /** The rows that name what was erased. */
  readonly named: readonly number[];
  readonly erasedRows: number;
  readonly seal: SealResult;
}

/** Erases what the plan says and seals, so that the next release covers it; `LedgerWriter.scrub` follows. Throws OperatorError as `LedgerWriter.erase` does. */
export function erase(ledger: LedgerWriter, plan: ErasurePlan): ErasureResult {
  const { request, rows, stripped, replacements, related, optOuts, pending, heldAgain, batch } = plan;
  const names = [...namesOfRows(ledger, [...rows, ...stripped]), ...namesOfLines(ledger, pending)];
  const forgetLines = () => {
    forgetNames(ledger, names);
    ledger.pending.erase(pending, ledger.now());
    ledger.pending.holdAgain(heldAgain, ledger.now());
    if (batch === undefined) return;
    ledger.batches.decide(batch, "undone", ledger.now());
    ledger.batches.forgetDeliveries(batch);
  };
  if (rows.length === 0) ledger.transaction(forgetLines);
  const named = ledger.erase({
    reason: request.reason,
    rows,
    stripped,
    replacements,
    alongside: () => {
      ledger.traces.remove(rows, optOuts, ledger.now());
      reteach(ledger, related);
      ledger.sources.forgetRows(rows);
      forgetLines();
    },
  });
  return { named, erasedRows: rows.length, seal: ledger.seal({ now: true }) };
}

/** A name of a city, as a line gave it. */
type CityName = readonly [city: string, name: string];

function namesOfRows(ledger: LedgerWriter, rows: readonly number[]): CityName[] {
  const stored = [...ledger.storedObservations({ rows })];
  return stored.map(({ body, hidden }) => [body.city, hidden.seen.name]);
}

function namesOfLines({ pending, intake }: LedgerWriter, ids: readonly number[]): CityName[] {
  const cityOf = cityFinder(intake.cities());
  return pending.inputs(ids).flatMap((input) => {
    const { name, lat, lng } = parseObservation(JSON.parse(input));
    const city = cityAt(cityOf, lat, lng);
    return city === undefined ? [] : [[city.slug, name] as const];
  });
}

/** What was decided of a held name goes with any line or observation of it. */
function forgetNames({ heldNames, purposeKey }: LedgerWriter, names: readonly CityName[]): void {
  const hashed = rememberedKey(purposeKey);
  heldNames.forget(names.flatMap(([city, name]) => idsOfName(city, name).map(hashed)));
}

/** The rows of an erasure that was confirmed with this code before, in order; its command may have been killed since. */
export function doneBefore(
  ledger: LedgerWriter,
  request: ErasureRequest,
  code: string,
): Redaction[] | undefined {
  const { live } = ledger;
  return decisions(live.redactions()).find(([first, ...rest]) => {
    if (first === undefined || first.reason !== request.reason) return false;
    const rows = [first, ...rest].flatMap((redaction) => redaction.rows);
    return code === planCode(live.last(first.id - 1), request, rows);
  });
}

/** Repeats the seal after the erasure itself, which changes nothing when it is complete. */
export function finish(ledger: LedgerWriter, done: readonly Redaction[]): ErasureResult {
  return {
    named: done.map(({ id }) => id),
    erasedRows: done.reduce((sum, { rows }) => sum + rows.length, 0),
    seal: ledger.seal({ now: true }),
  };
}

/** Redactions grouped by decision. */
function decisions(redactions: readonly Redaction[]): Redaction[][] {
  const groups: Redaction[][] = [];
  for (const redaction of redactions) {
    const last = groups.at(-1);
    if (last !== undefined && continues(redaction, last.at(-1))) last.push(redaction);
    else groups.push([redaction]);
  }
  return groups;
}

/** An accepted line that is not a row yet. When it is redacted, its source reference stays refused. */
export interface PendingTarget {
  readonly batch: string;
  readonly line: number;
}

/** What the operator sees before the line is deleted. */
export interface PendingRedaction extends PendingTarget {
  readonly id: number;
  readonly name: string;
  readonly assetType: string;
  readonly observedAt: string;
  readonly code: string;
}

const TARGET = /^(b\d{1,15}):([1-9]\d{0,14})$/;

/** The pending line that `b12:345` names; undefined for what has another form, such as the number of a row. */
export function pendingTarget(text: string): PendingTarget | undefined {
  const [, batch, line] = TARGET.exec(text) ?? [];
  return batch === undefined ? undefined : { batch, line: Number(line) };
}

/** Changes nothing. Throws OperatorError when no such line is pending. */
export function planPendingRedaction(ledger: LedgerWriter, target: PendingTarget): PendingRedaction {
  const found = ledger.pending.find(target.batch, target.line);
  if (found === undefined) throw notPending(target);
  const { name, asset_type, observed_at } = parseObservation(JSON.parse(found.input));
  const about = { name, assetType: asset_type, observedAt: observed_at };
  return { ...target, id: found.id, ...about, code: pendingCode(ledger, target) };
}

/** Deletes the line. `LedgerWriter.scrub` follows. */
export function erasePending(ledger: LedgerWriter, id: number): void {
  ledger.transaction(() => {
    forgetNames(ledger, namesOfLines(ledger, [id]));
    ledger.pending.erase([id], ledger.now());
  });
}

/** A line never changes, so its code is that of its name. */
function pendingCode({ meta }: LedgerWriter, { batch, line }: PendingTarget): string {
  return confirmationCode([meta.origin, "pending", batch, line]);
}

function notPending({ batch, line }: PendingTarget): OperatorError {
  return new OperatorError(
    `${batch}:${line}: no such line is pending: it was deleted, or it became rows when its day was taken in: give the number of its row`,
  );
}
