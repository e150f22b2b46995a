import type { Classifier } from "../intake/matching/classify.ts";
import { reviewRow } from "../intake/matching/decide.ts";
import { admitHeld, dismissHeld } from "../intake/matching/held.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { DeskRows } from "../ledger/rows/desk-rows.ts";
import { LiveRows } from "../ledger/rows/live-rows.ts";
import type { NewRow } from "../ledger/rows/rows.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import {
  assertAllowed,
  assertExpected,
  decisionsAbout,
  isSame,
  type RowDecision,
  repeatOf,
  statusAfter,
} from "./check.ts";
import { DeskState } from "./desk-state.ts";
import { cityOfLine } from "./items.ts";
import type { Decider } from "./reasons.ts";
import { type Decision, decisionOf, heldLine, type Request, recordOf, type Sources } from "./request.ts";

export interface DeskParts {
  readonly ledger: LedgerWriter;
  /** For held lines that are taken in; asked for then, because it takes a second to load. */
  readonly classifier: () => Classifier;
  readonly random: RandomBytes;
}

export interface Asked extends Request {
  readonly decider: Decider;
  /** The last row about the subject that the reviewer saw. */
  readonly expect?: number | undefined;
}

/** `already`: the ledger says so since that row, and nothing was written. */
export interface Outcome {
  readonly done: "decided" | "already";
  readonly row: number | null; // null: a held line that was not taken in before
}

/** Reviewers' decisions, as rows. Owns the state that the rows add up to; the ledger is not to be written otherwise meanwhile. */
export class Desk {
  readonly state: DeskState;
  readonly rows: DeskRows;
  readonly live: LiveRows;
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    const { index } = parts.ledger;
    this.#parts = parts;
    this.rows = new DeskRows(index);
    this.live = new LiveRows(index);
    this.state = new DeskState(this.rows.rows());
  }

  get sources(): Sources {
    return { state: this.state, live: this.live };
  }

  /**
   * Within a transaction of the ledger; when that fails the desk is of no use any more. `before` knows the row of a decision that a list
   * brings once more (see `takeList`).
   * Throws OperatorError, and has written nothing then, for what is not there, stale or not allowed.
   */
  take(asked: Asked, before: (decision: RowDecision) => number | undefined = () => undefined): Outcome {
    const decision = decisionOf(asked, this.sources);
    if (decision.kind === "held") return this.#takeHeld(decision, asked);
    const known = before(decision) ?? this.#repeat(decision);
    if (known !== undefined) return { done: "already", row: known };
    assertExpected(decision.target, asked.expect, this.state);
    assertAllowed(decision, this.state);
    return { done: "decided", row: this.append(this.#rowOf(decision, asked.decider)) };
  }

  /** Appends a row that was checked, and takes it into the state. */
  append(row: NewRow): number {
    const { id } = this.#parts.ledger.append(row);
    this.#catchUp();
    return id;
  }

  /** Rows about an observation, an asset or a record that say just this, in order. */
  saidBefore(decision: RowDecision): number[] {
    return decisionsAbout(decision.target, this.state)
      .filter((row) => isSame(row, decision, this.state))
      .map(({ id }) => id);
  }

  #repeat(decision: RowDecision): number | undefined {
    const row = repeatOf(decision, this.state)?.id;
    // That something is still there was said before it was seen again, and it has not been seen for long since.
    if (row === undefined || decision.kind !== "review" || decision.decision !== "unretire") return row;
    return (this.rows.lastSeen().get(decision.target)?.row ?? 0) > row ? undefined : row;
  }

  #rowOf(decision: RowDecision, decider: Decider): NewRow {
    if (decision.kind === "review") return reviewRow(this.#parts.ledger, { ...decision, ...decider });
    const { target, move } = decision;
    const status = statusAfter(move, recordOf(target, this.sources));
    return { kind: "status", body: { record: target, status, ...decider } };
  }

  #takeHeld({ key, takes }: Extract<Decision, { kind: "held" }>, { decider, expect }: Asked): Outcome {
    if (expect !== undefined) throw new OperatorError("--expect: a held line has no row; leave it out");
    const held = heldLine(key, this.rows.held());
    if (held === undefined) return this.#heldBefore(key, takes);
    const { ledger } = this.#parts;
    if (takes) {
      const target = admitHeld(held, { ...this.#parts, classifier: this.#parts.classifier() });
      this.#catchUp();
      return this.#note({ decision: "admit", target, ...decider });
    }
    const target = this.#cityRowOf(held.input);
    dismissHeld(held, ledger);
    return this.#note({ decision: "dismiss", target, ...decider });
  }

  #note(review: Parameters<typeof reviewRow>[1]): Outcome {
    return { done: "decided", row: this.append(reviewRow(this.#parts.ledger, review)) };
  }

  #heldBefore(key: string, takes: boolean): Outcome {
    const line = this.rows.lineOf(key);
    if (line === undefined || (line.row !== null && this.live.find(line.row)?.isLive !== true))
      throw new OperatorError(`generic-name-${key}: no such line waits, or what it became was redacted`);
    if ((line.row !== null) === takes) return { done: "already", row: line.row };
    throw new OperatorError(
      `generic-name-${key}: stale: somebody else ${takes ? "refused the line" : `took the line in, as row ${line.row}`} meanwhile`,
    );
  }

  /** The city of the held line is what the decision is about: the line itself has no row. */
  #cityRowOf(input: string): number {
    const slug = cityOfLine(input, this.state);
    const city = slug === undefined ? undefined : this.state.cities.get(slug);
    if (city === undefined) throw new OperatorError("the held line lies in no registered city any more");
    return city.id;
  }

  /** Takes in the rows that were appended since, a held line's record and asset too. */
  #catchUp(): void {
    for (const row of this.rows.rows(this.state.lastRow)) this.state.apply(row);
  }
}
