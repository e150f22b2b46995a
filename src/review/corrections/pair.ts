/** Two records of one business are joined, and two businesses that look like one are kept apart; both can be taken back. */
import { OperatorError } from "../../kernel/errors.ts";
import type { RecordState } from "../../ledger/decisions/ledger-state.ts";
import type { LiveSighting } from "../../ledger/rows/live-rows.ts";
import { assertAllowed } from "../check.ts";
import { recordOf, recordRow } from "../request.ts";
import {
  atRecord,
  type Correction,
  correctionCode,
  type DeskAtWork,
  EVENTS_NOTE,
  groupOf,
  linkedNote,
  move,
  principalsOf,
  sightingsOf,
} from "./correction.ts";

type Pair = readonly [record: RecordState, other: RecordState];

export function planJoin(at: DeskAtWork, subject: string, into: string): Correction {
  const [record, other] = allowedPair(at, "merge", subject, into);
  const own = sightingsOf(at, record);
  const principals = principalsOf(at, own);
  const [goes, stays] = [record.body.public_id, other.body.public_id];
  return {
    shown: {
      ...shownPair("join", [record, other]),
      observations_moving: own.length,
      assets_moving: new Set(own.map(({ body }) => body.asset)).size,
      principals_linked: principals,
      name: record.name,
      name_that_stays: other.name,
      stays_with_the_record_that_goes: [
        "online checks",
        "status",
        "reviewed identity",
        "reviewed industry",
        "a flag",
      ],
      leads_to_the_other: ["problem reports", "removal requests"],
      holds_for_both: ["affiliations"],
    },
    notes: [
      linkedNote(principals),
      `Addresses of ${goes} lead to ${stays}. Subscriptions and webhooks for ${goes} alone hear of nothing new; those of the city hear of ${stays}.`,
      EVENTS_NOTE,
      `\`presence review join ${goes} ${stays} --undo\` takes it back.`,
    ],
    code: correctionCode(at.ledger, ["join", record.id, other.id]),
    make: decided(at, [["merge", record.id, other.id]]),
  };
}

/** A record that went into another one stands alone again, with what was seen of its assets since. */
export function planUnjoin(at: DeskAtWork, subject: string, from: string): Correction {
  const { desk, ledger } = at;
  const record = recordOf(recordRow(subject, desk.sources), desk.sources);
  const other = recordOf(recordRow(from, desk.sources), desk.sources);
  if (record.merge?.into !== other.id)
    throw new OperatorError(
      `join: ${record.body.public_id} is not joined with ${other.body.public_id}: nothing to undo`,
    );
  const root = recordOf(desk.state.merges.root(record.id), desk.sources);
  const own = new Set(desk.state.merges.group(record.id, record.id));
  const all = ledger.live.sightings(groupOf(desk, root.id), []);
  const returning = all.filter((sighting) => isOfGroup(at, own, sighting));
  const since = returning.filter(({ body }) => !own.has(body.record));
  const left = all.filter((sighting) => own.has(sighting.body.record) && !returning.includes(sighting));
  const principals = principalsOf(at, [...since, ...left]);
  return {
    shown: {
      ...shownPair("join taken back", [record, other]),
      observations_returning: returning.length,
      observations_staying: all.length - returning.length,
      principals_linked: principals,
    },
    notes: [
      linkedNote(principals),
      "What came since at signs and vehicles of the record returns with them; what came of others stays: split it off where that is wrong.",
      EVENTS_NOTE,
    ],
    code: correctionCode(ledger, ["unjoin", record.id, other.id, since.map(({ id }) => id)]),
    make: (decider) => {
      const row = desk.decide({ decision: "unmerge", target: record.id, into: other.id, ...decider });
      move(at, [...atRecord(at, record.id, since), ...atRecord(at, other.id, left)], decider);
      desk.teach();
      return row;
    },
  };
}

/** Signs and vehicles stand on one side, with all that was seen of them. */
function isOfGroup({ desk }: DeskAtWork, group: ReadonlySet<number>, { body }: LiveSighting): boolean {
  const asset = desk.state.assets.get(body.asset);
  return asset !== undefined && group.has(desk.state.reassigned.owned(asset.id, asset.body).record);
}

export function planApart(at: DeskAtWork, subject: string, from: string): Correction {
  const [record, other] = allowedPair(at, "apart", subject, from);
  if (at.desk.apartBetween(record.id, other.id).length > 0)
    throw new OperatorError("apart: these records are already kept apart");
  return {
    shown: shownPair("apart", [record, other]),
    notes: [
      "The next line of their name at one place goes by a contact that one of them is known for, else to the nearer one. Nothing proposes to join them.",
      "`--undo` takes it back.",
    ],
    code: correctionCode(at.ledger, ["apart", record.id, other.id]),
    make: decided(at, [["apart", record.id, other.id]]),
  };
}

export function planUnapart(at: DeskAtWork, subject: string, from: string): Correction {
  const pair = allowedPair(at, "unapart", subject, from);
  const [record, other] = pair;
  const pairs = at.desk.apartBetween(record.id, other.id);
  return {
    shown: shownPair("apart taken back", pair),
    notes: [
      "Nothing is moved. Later lines may be matched with either, and their match may be proposed again.",
    ],
    code: correctionCode(at.ledger, ["unapart", record.id, other.id]),
    make: decided(
      at,
      pairs.map(([target, into]) => ["unapart", target, into]),
    ),
  };
}

/** Throws OperatorError unless both are records that stand by themselves, in one city, and two, and the decision is allowed. */
function allowedPair({ desk }: DeskAtWork, decision: PairDecision[0], one: string, other: string): Pair {
  const [target, into] = [recordRow(one, desk.sources), recordRow(other, desk.sources)];
  assertAllowed({ kind: "review", decision, target, into }, desk.state);
  return [recordOf(target, desk.sources), recordOf(into, desk.sources)];
}

type PairDecision = readonly [decision: "merge" | "apart" | "unapart", target: number, into: number];

function decided({ desk }: DeskAtWork, decisions: readonly PairDecision[]): Correction["make"] {
  return (decider) => {
    const [first = 0] = decisions.map(([decision, target, into]) =>
      desk.decide({ decision, target, into, ...decider }),
    );
    desk.teach();
    return first;
  };
}

function shownPair(correction: string, [record, other]: Pair) {
  const { public_id, city } = record.body;
  return {
    correction,
    record: public_id,
    other: other.body.public_id,
    city,
    names: [record.name, other.name],
  };
}
