/** Observations of another business leave a record for one of their own, and come back. */

import { PublicIds } from "../../intake/append.ts";
import { parseWebsite } from "../../intake/lines/contact.ts";
import { recordOf as affiliatedRecord, recordSubject } from "../../intake/sources/principals.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { systemRandom } from "../../kernel/ids.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { Place } from "../../ledger/decisions/merges.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import type { Seen, StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { Decider } from "../moves.ts";
import {
  atRecord,
  type Correction,
  checkedNaming,
  correctionCode,
  type DeskAtWork,
  EVENTS_NOTE,
  firstNaming,
  type GivenNaming,
  groupOf,
  linkedNote,
  type Moved,
  move,
  principalsOf,
  readWebsite,
  sightingsOf,
  standingRecord,
} from "./correction.ts";

/** Which observations leave: those that any of these finds. */
export interface SplitRequest {
  readonly record: string;
  readonly assets: readonly string[]; // public ids
  readonly seen: readonly string[]; // names that the lines gave
  readonly websites: readonly string[];
  readonly rows: readonly number[];
  /** How the new record is called, unless the rule for names decides. */
  readonly called?: GivenNaming | undefined;
}

/** Throws OperatorError for what names nothing of the record, for all of it, and for a name that intake refuses. */
export function planSplit(at: DeskAtWork, request: SplitRequest): Correction {
  const { ledger } = at;
  const record = standingRecord(at, request.record);
  const all = sightingsOf(at, record);
  const stored = storedOf(at, all);
  const leaving = chosen(request, all, { stored, at, record });
  const called =
    request.called && checkedNaming(ledger, { body: record.body, website: null }, request.called, leaving);
  const named = leaving.flatMap(({ id }) => stored.get(id) ?? []);
  const naming = firstNaming(at, named, called);
  const assets = assetsOf(all, leaving);
  const principals = principalsOf(at, leaving);
  const from = record.body.public_id;
  return {
    shown: {
      correction: "split",
      record: from,
      name: record.name,
      city: record.body.city,
      new_name: naming.name,
      observations_leaving: leaving.length,
      observations_staying: all.length - leaving.length,
      seen_as: seenAs(leaving, stored),
      assets_leaving: assets.whole.map((asset) => publicAsset(at, asset)),
      assets_parted: assets.parted.map((asset) => publicAsset(at, asset)),
      principals_linked: principals,
      stays_with_the_record: SIDES,
      holds_for_both: ["affiliations", "a flag"],
    },
    notes: [
      linkedNote(principals),
      "Both records are kept apart from then on: a later line of one name and place goes by contact, else to the nearer one.",
      EVENTS_NOTE,
      "`--undo` with the new record's public id takes it back.",
    ],
    code: correctionCode(ledger, [
      "split",
      record.id,
      leaving.map(({ id }) => id),
      naming.name,
      naming.website,
    ]),
    make: (decider) =>
      makeSplit(at, decider, {
        record,
        leaving,
        parted: assets.parted,
        naming,
        isGiven: called !== undefined,
      }),
  };
}

interface Splitting extends Leaving {
  readonly record: RecordState;
  readonly naming: ReturnType<typeof firstNaming>;
  readonly isGiven: boolean; // by the reviewer
}

/** Returns the new record. */
function makeSplit(at: DeskAtWork, decider: Decider, { record, naming, isGiven, ...leaving }: Splitting) {
  const { desk, ledger } = at;
  const public_id = new PublicIds(ledger, ledger.intake, systemRandom).next();
  const to = desk.append({ kind: "record", body: { ...record.body, public_id } });
  const said = { ...naming, match_review: false, record: to };
  desk.append({ kind: "naming", body: { ...said, ...(isGiven && decider) } });
  move(at, movedTo(at, to, leaving), decider);
  copyToOther(at, record, to, decider);
  desk.decide({ decision: "apart", target: to, into: record.id, ...decider });
  desk.teach([record.id, to]);
  return to;
}

const SIDES = [
  ...["online checks", "problem reports", "subscriptions", "removal requests", "webhooks"],
  ...["status", "reviewed identity", "reviewed industry"],
];

interface Known {
  readonly stored: ReadonlyMap<number, StoredObservation>;
  readonly at: DeskAtWork;
  readonly record: RecordState;
}

function chosen(request: SplitRequest, all: readonly LiveSighting[], known: Known): LiveSighting[] {
  const { at, record } = known;
  const isChosen = [
    ...request.assets.map((asset) => ofAsset(asset, at)),
    ...request.seen.map((name) => bySeen(known, ({ name: seen }) => nameKey(seen) === nameKey(name))),
    ...request.websites.map((website) => ofWebsite(website, known)),
    ...request.rows.map(
      (row) =>
        ({ id }: LiveSighting) =>
          id === row,
    ),
  ];
  const asked = [...request.assets, ...request.seen, ...request.websites, ...request.rows];
  const publicId = record.body.public_id;
  if (asked.length === 0)
    throw new OperatorError(
      "split: select the observations to move: --asset, --seen, --website or --row, each as often as needed",
    );
  for (const [index, isOne] of isChosen.entries())
    if (!all.some(isOne))
      throw new OperatorError(
        `split: ${publicId} has no observation of "${String(asked[index]).slice(0, 80)}"`,
      );
  const leaving = all.filter((sighting) => isChosen.some((isOne) => isOne(sighting)));
  if (leaving.length < all.length) return leaving;
  throw new OperatorError(
    `split: these are all ${all.length} observations of ${publicId}: to call it otherwise, use \`presence review rename\``,
  );
}

type IsChosen = (sighting: LiveSighting) => boolean;

function ofAsset(publicId: string, { desk }: DeskAtWork): IsChosen {
  const row = desk.state.withPublicId(publicId);
  return ({ body }) => body.asset === row;
}

function ofWebsite(website: string, known: Known): IsChosen {
  const { matchKey } = readWebsite(website);
  return bySeen(known, ({ website: seen }) => seen !== undefined && parseWebsite(seen).matchKey === matchKey);
}

function bySeen({ stored }: Known, is: (seen: Seen) => boolean): IsChosen {
  return ({ id }) => {
    const seen = stored.get(id)?.hidden.seen;
    return seen !== undefined && is(seen);
  };
}

/** Those that still have their private values. */
function storedOf({ ledger }: DeskAtWork, all: readonly LiveSighting[]): Map<number, StoredObservation> {
  const rows = all.map(({ id }) => id);
  const own = new Map<number, StoredObservation>();
  for (const stored of ledger.storedObservations({ rows })) own.set(stored.row, stored);
  return own;
}

function seenAs(leaving: readonly LiveSighting[], stored: Known["stored"]): string[] {
  const names = leaving.flatMap(({ id }) => stored.get(id)?.hidden.seen.name ?? []);
  return [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => `${name} (${length})`);
}

/** An asset leaves as a whole, or a part of what was seen of it does. */
function assetsOf(
  all: readonly LiveSighting[],
  leaving: readonly LiveSighting[],
): { readonly whole: readonly number[]; readonly parted: readonly number[] } {
  const gone = new Set(leaving);
  const staying = new Set(all.filter((sighting) => !gone.has(sighting)).map(({ body }) => body.asset));
  const assets = [...new Set(leaving.map(({ body }) => body.asset))];
  return {
    whole: assets.filter((asset) => !staying.has(asset)),
    parted: assets.filter((asset) => staying.has(asset)),
  };
}

function publicAsset({ desk }: DeskAtWork, asset: number): string {
  return desk.state.assets.get(asset)?.body.public_id ?? String(asset);
}

interface Leaving {
  readonly leaving: readonly LiveSighting[];
  readonly parted: readonly number[]; // assets that stay where they are, of which the part that leaves gets a new one
}

/** Appends the new assets. */
function movedTo(at: DeskAtWork, record: number, { leaving, parted }: Leaving): Moved {
  const { desk, ledger } = at;
  const publicIds = new PublicIds(ledger, ledger.intake, systemRandom);
  const assets = new Map<number, number>();
  for (const old of parted) {
    const body = desk.state.assets.get(old)?.body;
    if (body === undefined) throw new Error(`row ${old} is no live asset`);
    assets.set(old, desk.append({ kind: "asset", body: { ...body, public_id: publicIds.next(), record } }));
  }
  return atRecord(at, record, leaving, (asset) => assets.get(asset) ?? asset);
}

/** What is known of a record in general holds for a part of it. */
function copyToOther(at: DeskAtWork, record: RecordState, to: number, decider: Decider): void {
  const { desk, ledger } = at;
  if (record.flaggedBy !== undefined) desk.decide({ decision: "flag", target: to, ...decider });
  const group = new Set(groupOf(desk, record.id));
  for (const { principal, subject } of ledger.sources.affiliations())
    if (group.has(affiliatedRecord(subject) ?? 0))
      ledger.sources.addAffiliation({ principal, subject: recordSubject(to) });
}

/** Takes a split back: what it moved to a record, with what was seen of the same assets since, returns. */
export function planUnsplit(at: DeskAtWork, subject: string): Correction {
  const { desk, ledger } = at;
  const record = standingRecord(at, subject);
  const all = sightingsOf(at, record);
  const moved = all.flatMap(({ id, body }) => {
    const before = placeBefore(at, id);
    return before === undefined ? [] : [{ id, asset: body.asset, before }];
  });
  const home = moved[0]?.before.record;
  const publicId = record.body.public_id;
  if (home === undefined)
    throw new OperatorError(`split: no observation was moved to ${publicId}: nothing to undo`);
  const origin = standingRecord(at, String(desk.state.merges.root(home)));
  if (origin.id === record.id)
    throw new OperatorError(`split: ${publicId} has what was moved to it by a join: undo the join first`);
  const homes = new Map(moved.map(({ asset, before }) => [asset, before.asset]));
  const since = all.filter(({ id, body }) => homes.has(body.asset) && !moved.some((each) => each.id === id));
  const returning: Moved = [
    ...moved.map(({ id, before }) => [id, before] as const),
    ...atRecord(at, origin.id, since, (asset) => homes.get(asset) ?? asset),
  ];
  const principals = principalsOf(at, since);
  const staying = all.length - returning.length;
  return {
    shown: {
      correction: "split taken back",
      record: publicId,
      name: record.name,
      returns_to: origin.body.public_id,
      observations_returning: returning.length,
      observations_staying: staying,
      principals_linked: principals,
      stays_with_the_record: SIDES,
    },
    notes: [
      linkedNote(principals),
      staying === 0
        ? `${publicId} has no observation then: its addresses lead to ${origin.body.public_id}.`
        : `${staying} observations of other assets came to ${publicId} since, and stay: join the records to bring them along.`,
      EVENTS_NOTE,
    ],
    code: correctionCode(ledger, ["unsplit", record.id, returning.map(([id]) => id)]),
    make: (decider) => {
      const first = move(at, returning, decider);
      const apart = desk.apartBetween(record.id, origin.id);
      for (const [target, into] of apart) desk.decide({ decision: "unapart", target, into, ...decider });
      desk.teach([record.id, origin.id]);
      return first;
    },
  };
}

/** Where an observation was before the last row that moved it; undefined for one that was never moved. */
function placeBefore({ desk, ledger }: DeskAtWork, observation: number): Place | undefined {
  const moves = desk.state
    .decisionsAbout(observation)
    .flatMap((row) => (row.kind === "reassign" ? [row.body] : []));
  if (moves.length === 0) return undefined;
  const before = moves.at(-2);
  if (before === undefined) return ledger.live.written(observation);
  const { record, asset, observer_tag } = before;
  return { record, asset, observer_tag };
}
