import { INDUSTRY_TIE } from "../intake/naming/queue-namings.ts";
import { isLasting } from "../intake/sources/principals.ts";
import { setAsideSample } from "../intake/sources/tally.ts";
import { OperatorError } from "../kernel/errors.ts";
import { isoTime, utcDayStart } from "../kernel/time.ts";
import { BATCH_UNDONE } from "../ledger/rows/rows.ts";
import type { ItemOutcome, RaisedItem, SetAsideReview } from "../ledger/sources/source-store.ts";
import type { SetAsideObservation } from "../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import type { DeskState } from "./desk-state.ts";
import { type Item, type ItemSources, recordFacts } from "./item.ts";
import { assertMove } from "./moves.ts";

/** Decisions about what checks of independence found. They are private, so they append no row. */

/** What the decisions need of the ledger. */
type Decidable = Pick<LedgerWriter, "sources" | "now">;

const MOVE_NAMES = { confirmed: "confirm", restored: "restore" } as const;

/** True when the decision is new. Throws OperatorError for a row that no check set aside, or whose reason ends by itself. */
export function reviewSetAside(ledger: Decidable, row: number, review: SetAsideReview): boolean {
  const known = ledger.sources.setAside().get(row);
  if (known === undefined) throw new OperatorError(`row ${row}: no check set it aside`);
  if (!isLasting(known.check))
    throw new OperatorError(
      `row ${row} is set aside because its observer is ${known.check}: that ends with \`presence observer resume\` or \`presence affiliation remove\``,
    );
  if (known.review === review) return false;
  assertMove("set-aside observation", MOVE_NAMES[review], known.review ?? "set_aside", `observation ${row}`);
  ledger.sources.reviewSetAside(row, review, utcDayStart(ledger.now()));
  return true;
}

const OUTCOME_MOVES = { handled: "handle", harmless: "dismiss" } as const;

/** True when the item was open. Throws OperatorError for an unknown item, and for one that was closed with another outcome. */
export function closeItem(
  { sources }: Pick<Decidable, "sources">,
  key: string,
  outcome: ItemOutcome,
): boolean {
  const known = sources.outcomeOf(key);
  if (known === undefined) throw new OperatorError(`independence-${key}: no such item was raised`);
  if (known === outcome) return false;
  assertMove("raised item", OUTCOME_MOVES[outcome], known ?? "open", `independence-${key}`);
  sources.closeItem(key, outcome);
  return true;
}

/** What checks of independence found. The reasons are private: reviewers see them, the ledger never does. */

/** Set-aside observations that no reviewer has judged. Reasons that pass by themselves need no review. */
export function setAsideItems({ state, rows, setAside: draw }: ItemSources): Item[] {
  const observations = rows.setAside();
  const listed = draw === "all" ? undefined : setAsideSample(observations, draw);
  return observations
    .filter(({ row, check, review }) => review === null && isLasting(check) && listed?.has(row) !== false)
    .map((observation) => setAsideItem(observation, state));
}

function setAsideItem({ row, check, day, facts }: SetAsideObservation, state: DeskState): Item {
  const { record, asset, asset_type, city, observed_at, source_type } = facts;
  return {
    item: `set-aside-${row}`,
    kind: "set-aside",
    waits_since: isoTime(day),
    city,
    version: state.versionOf(row),
    why: `${WORDS[check] ?? check} (${check}): it does not count until it is restored`,
    known: {
      row,
      check,
      ...recordKnown(record, state),
      asset: state.assets.get(asset)?.body.public_id ?? asset,
      asset_type,
      source_type,
      observed_on: observed_at,
    },
  };
}

/** Items that checks raised about several observations. */
export function independenceItems({ state, rows }: ItemSources): Item[] {
  return rows
    .raisedItems()
    .filter(({ check }) => check !== INDUSTRY_TIE)
    .map((raised) => independenceItem(raised, state));
}

function independenceItem({ key, check, record, rows, day }: RaisedItem, state: DeskState): Item {
  return {
    item: `independence-${key}`,
    kind: "independence",
    waits_since: isoTime(day),
    city: record === null ? null : (state.records.get(state.merges.root(record))?.body.city ?? null),
    version: null,
    why: `${WORDS[check] ?? check} (${check}), in ${rows.length} observation${rows.length === 1 ? "" : "s"}`,
    known: { check, ...(record !== null && recordKnown(record, state)), rows },
  };
}

function recordKnown(row: number, state: DeskState): Readonly<Record<string, unknown>> {
  const record = state.records.get(state.merges.root(row));
  return record === undefined ? {} : { name: record.name, record: recordFacts(record) };
}

const WORDS: Readonly<Record<string, string>> = {
  cannot_see: "its source can hardly see such an asset",
  clock: "it was received long before or after it was made",
  exact_copy: "it copies an earlier observation exactly",
  same_media: "an earlier observation has the same media file",
  near_media: "an earlier observation has nearly the same picture",
  same_look: "the same principal saw the same asset minutes before",
  impossible_travel: "nobody travels that fast",
  co_travel: "two observers go the same ways at the same times",
  burst: "many new observers came to one record at once",
  ring: "a few observers see each other's records, and nobody else does",
  [BATCH_UNDONE]: "its batch was undone",
  copied_public: "an observer repeats what was published before",
};
