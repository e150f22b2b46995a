/** Decisions about what checks of independence found. They are private, so they append no row. */
import { isLasting } from "../intake/sources/principals.ts";
import { OperatorError } from "../kernel/errors.ts";
import { utcDayStart } from "../kernel/time.ts";
import type { ItemOutcome, SetAsideReview } from "../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { assertMove } from "./moves.ts";

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
