import { BUILT_IN } from "../../contract/fields.ts";
import { contactKeys, parseWebsite } from "../../intake/lines/contact.ts";
import { LineFault } from "../../intake/lines/fault.ts";
import { checkedName, nameHoldReason } from "../../intake/lines/name.ts";
import { intakeHashes } from "../../intake/lines/sighting.ts";
import { standardClassifier } from "../../intake/matching/classify.ts";
import { chooseNaming, type Shown } from "../../intake/naming/choose-naming.ts";
import { chosenNamings, saidIn } from "../../intake/naming/queue-namings.ts";
import { OptOutJudge } from "../../intake/opt-outs/judge.ts";
import { cellOf } from "../../intake/opt-outs/plan-opt-out.ts";
import { NOWHERE } from "../../intake/places/anchors.ts";
import { tagAt } from "../../intake/sources/entry.ts";
import { Teaching } from "../../intake/sources/teaching.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import type { Website } from "../../kernel/text/contacts.ts";
import type { JsonValue } from "../../kernel/text/json.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { Place } from "../../ledger/decisions/merges.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { NamingBody, NewRow } from "../../ledger/rows/rows.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Desk } from "../desk.ts";
import { type Decider, heldBecause } from "../moves.ts";
import { recordOf, recordRow } from "../request.ts";

/** What a reviewer may correct about whose evidence is whose: previewed first, and done with the code of the preview. */

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
    `record ${record.id} was joined with ${root.body.public_id} (row ${root.id}): correct that one, or undo the join first`,
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
  "Events that were published keep their ids and their subjects, and none is raised again. Citations of earlier releases stay correct, and name the record that an observation was moved to.";

/** How a reviewer calls a record: by the rules that hold for the names and websites of lines. */

export interface GivenNaming {
  readonly name: string;
  /** `NO_WEBSITE` takes it away; without it the record keeps the one that it has. */
  readonly website?: string | undefined;
}

const NO_WEBSITE = "none";

export type Naming = Pick<NamingBody, "name" | "website">;

/** Throws OperatorError for a name or a website that no line about these observations could bring without a reviewer. */
export function checkedNaming(
  ledger: LedgerWriter,
  { body, website: present }: Pick<RecordState, "body" | "website">,
  given: GivenNaming,
  sightings: readonly LiveSighting[],
): Naming {
  const name = asOperator("--name", () => checkedName(given.name));
  const key = nameKey(name);
  const hold = nameHoldReason({ input: { name: given.name }, name, nameKey: key });
  if (hold !== undefined) throw new OperatorError(`--name: ${heldBecause(hold)}`);
  const site =
    given.website === undefined || given.website === NO_WEBSITE ? undefined : readWebsite(given.website);
  assertNotOptedOut(ledger, body.city, { nameKey: key, website: site && given.website }, sightings);
  const website = given.website === undefined ? present : (site?.url ?? null);
  return { name, website };
}

/** Throws OperatorError. */
export function readWebsite(given: string): Website {
  return asOperator("--website", () => parseWebsite(given));
}

function assertNotOptedOut(
  ledger: LedgerWriter,
  city: string,
  { nameKey, website }: { readonly nameKey: string; readonly website: string | undefined },
  sightings: readonly LiveSighting[],
): void {
  const hashes = intakeHashes(ledger.purposeKey);
  const judge = new OptOutJudge(ledger.intake, hashes, ledger.now());
  const contacts = contactKeys({ website }, hashes.contact);
  const isRefused = sightings.some((sighting) => {
    const place = cellOf(sighting) ?? NOWHERE;
    const input = { asset_type: sighting.body.asset_type };
    return judge.judge({ nameKey, contacts, place, input }, city) !== "pass";
  });
  if (isRefused)
    throw new OperatorError("--name: it is, or is near, that of a record that has opted out in this city");
}

function asOperator<T>(option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    throw new OperatorError(`${option}: ${error.message}`, { cause: error });
  }
}

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
