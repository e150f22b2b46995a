import { intakeHashes } from "../../intake/lines/sighting.ts";
import { standardClassifier } from "../../intake/matching/classify.ts";
import { chooseNaming, type Shown } from "../../intake/naming/choose-naming.ts";
import { chosenNamings, saidIn } from "../../intake/naming/queue-namings.ts";
import { tagAt } from "../../intake/sources/line-sources.ts";
import { Teaching } from "../../intake/sources/teaching.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { Place } from "../../ledger/decisions/merges.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { NewRow } from "../../ledger/rows/rows.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Decider } from "../reasons.ts";
import type { DeskAtWork } from "./correction.ts";
import type { Naming } from "./naming.ts";

/** Observations with the places that they get. */
export type Moved = readonly (readonly [observation: number, place: Place])[];

/** The places of observations at a record, each under its principal's tag there. */
export function atRecord(
  { ledger }: DeskAtWork,
  record: number,
  sightings: readonly LiveSighting[],
  assetOf: (asset: number) => number = (asset) => asset,
): Moved {
  const hashes = intakeHashes(ledger.purposeKey);
  const principals = new Map(ledger.live.principalsOf(sightings).map((seen) => [seen.tag, seen.principal]));
  return sightings.map(({ id, body: { asset, observer_tag: tag } }) => {
    const observer_tag = tagAt({ tag, principal: principals.get(tag) ?? null }, record, hashes);
    return [id, { record, asset: assetOf(asset), observer_tag }];
  });
}

/** Within a transaction. Returns the first row; 0 where nothing moves. */
export function move({ desk }: DeskAtWork, moved: Moved, decider: Decider): number {
  const rows = moved.map(([target, place]) =>
    desk.append({ kind: "reassign", body: { target, ...place, ...decider } }),
  );
  return rows[0] ?? 0;
}

/** What the rule for names says, for corrections. */

/** Of a record that begins with these observations. Throws OperatorError where none says anything any more, and no name is given. */
export function firstNaming(
  { desk, ledger }: DeskAtWork,
  stored: readonly StoredObservation[],
  called: Naming | undefined,
): Shown {
  const { classify } = standardClassifier();
  if (called !== undefined) {
    const classified = classify({ nameKey: nameKey(called.name) });
    if ("reason" in classified || classified.method !== "name_rule")
      return { ...called, industry: null, industry_method: "unclassified" };
    return { ...called, industry: classified.industry, industry_method: "name_rule" };
  }
  const teaching = new Teaching(ledger, desk.state);
  const lines = stored.map((each) => {
    const { principal, teaches } = teaching.of(each);
    return { said: saidIn(each, principal), teaches };
  });
  const [first] = lines;
  if (first === undefined)
    throw new OperatorError("split: what these lines said was erased: give the new record a --name");
  const taught = lines.filter(({ teaches }) => teaches).map(({ said }) => said);
  return chooseNaming({ first: first.said, taught }, classify).shown;
}

/** Of a record that no reviewer names any more. Throws OperatorError where what its lines said was erased. */
export function namingByRule(
  ledger: LedgerWriter,
  { id, body }: RecordState,
): Extract<NewRow, { kind: "naming" }> {
  const chosen = chosenNamings(ledger, new Set([id])).get(id);
  if (chosen !== undefined) return chosen.row;
  throw new OperatorError(
    `rename: what lines said of ${body.public_id} was erased: its name stays a reviewer's`,
  );
}
