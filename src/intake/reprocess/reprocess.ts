/**
 * Brings a ledger of an earlier version to today's precision: erases every row about a record and appends it again, without what
 * was too fine, in an order that tells nothing (the old ids told when a row came). Public ids, source references, dates of
 * acceptance and publication, and all decisions stay.
 */
import { assertConfirmed, confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { OpenRow } from "../../ledger/append-again.ts";
import type { SealResult } from "../../ledger/tree/seal.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { keyedHash } from "../matching/keyed-hash.ts";
import { modelAllowList } from "../matching/recognition-models.ts";
import { PrincipalTags } from "../sources/principal-tags.ts";
import { isTooFine, type Precision } from "./coarse-observation.ts";
import { coarseRow } from "./coarse-row.ts";
import { TagMapper } from "./tag-mapper.ts";

export interface ReprocessPlan {
  /** Observations and records that say more than intake publishes today. */
  readonly tooFine: number;
  /** Rows that would be erased and appended again; none when none is too fine. */
  readonly rows: number;
  readonly code: string; // valid until the ledger changes
}

export interface ReprocessResult {
  readonly rows: number;
  /** The rows that name the erased ones. */
  readonly named: readonly number[];
  readonly seal: SealResult;
}

export function planReprocess(ledger: LedgerWriter): ReprocessPlan {
  const rows = ledger.rowsToAppendAgain();
  const open = ledger.openRows();
  const precisionIn = precisions(ledger);
  const tooFine = rows.filter(({ id, kind }) => SAYING.has(kind) && isFine(open(id), precisionIn)).length;
  const { row, hash } = ledger.live.last();
  return {
    tooFine,
    rows: tooFine === 0 ? 0 : rows.length,
    code: confirmationCode([row, hash, "reprocess"]),
  };
}

/** Throws OperatorError when the code is not that of the plan. A kill leaves the ledger as it was, or done but for the scrub. */
export function reprocess(ledger: LedgerWriter, code: string): ReprocessResult {
  const plan = planReprocess(ledger);
  if (plan.rows === 0) {
    ledger.scrub();
    return { rows: 0, named: [], seal: ledger.seal({ now: true }) };
  }
  assertConfirmed(code, plan.code);
  const tags = new TagMapper(ledger.live, new PrincipalTags(ledger.sources, intakeHashes(ledger.purposeKey)));
  const precisionIn = precisions(ledger);
  const rows = inNewOrder(ledger);
  const named = ledger.appendAgain(rows, (row, ids) => coarseRow(row, ids, { precisionIn, tags }));
  return { rows: rows.length, named, seal: ledger.seal({ now: true }) };
}

/** Records, assets and observations in the order of a keyed hash, then the decisions about them as they were made. */
function inNewOrder(ledger: LedgerWriter): number[] {
  const hash = keyedHash(ledger.purposeKey("source_ref"));
  const rows = ledger.rowsToAppendAgain();
  const hashed = (kind: OpenRow["kind"]) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ id }) => ({ id, key: hash(`row ${id}`) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  const decisions = rows.filter(({ kind }) => !["record", "asset", "observation"].includes(kind));
  return [...hashed("record"), ...hashed("asset"), ...hashed("observation"), ...decisions].map(
    ({ id }) => id,
  );
}

/** The kinds whose bodies earlier versions wrote with more than is published today. */
const SAYING: ReadonlySet<OpenRow["kind"]> = new Set(["observation", "record"]);

function isFine(row: OpenRow, precisionIn: (city: string) => Precision): boolean {
  if (row.kind === "record") return (row.body.match_candidates ?? []).length > 0;
  return row.kind === "observation" && isTooFine(row.body, precisionIn(row.body.city));
}

function precisions(ledger: LedgerWriter): (city: string) => Precision {
  const isModelAllowed = modelAllowList(ledger.intake);
  const cities = new Map(ledger.intake.cities().map(({ slug, details }) => [slug, details.lng]));
  return (city) => {
    const lng = cities.get(city);
    if (lng === undefined) throw new OperatorError(`the city "${city}" of an observation is not registered`);
    return { lng, isModelAllowed };
  };
}
