import { type Review, retaughtBy, reviewRow } from "../intake/matching/decide.ts";
import { reteach } from "../intake/matching/reteach.ts";
import { stepCity } from "../intake/places/register-city.ts";
import { OperatorError } from "../kernel/errors.ts";
import type { CityState, CityStep } from "../ledger/decisions/ledger-state.ts";
import type { DeskRows } from "../ledger/rows/desk-rows.ts";
import type { LiveRows } from "../ledger/rows/live-rows.ts";
import type { NewRow } from "../ledger/rows/rows.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { assertAllowed, assertExpected, isSame, type RowDecision, repeatOf, statusAfter } from "./check.ts";
import { DeskState } from "./desk-state.ts";
import { cityOfLine, closeItem, matchCandidates, reviewSetAside, rootsOfCandidates } from "./items.ts";
import { assertMove, type Decider, type Subject } from "./moves.ts";
import { type Decision, decisionOf, type Request, recordOf, type Sources } from "./request.ts";

export interface Asked extends Request {
  readonly decider: Decider;
  /** The last row about the subject that the reviewer saw. */
  readonly expect?: number | undefined;
}

/**
 * `already`: the ledger says so since that row, and nothing was written. `waits`: the same of a held line that was accepted before
 * and has no row yet.
 */
export interface Outcome {
  readonly done: "decided" | "already" | "waits";
  readonly row: number | null; // null: a held line without a row, or what checks of independence found
}

/** Decisions that can answer whether two records are one. */
const ANSWERS: ReadonlySet<Review["decision"]> = new Set(["merge", "apart", "settle_match"]);

/** Appends reviewers' decisions. Owns the state of the ledger, so nothing else may write to the ledger while it is used. */
export class Desk {
  readonly state: DeskState;
  readonly rows: DeskRows;
  readonly live: LiveRows;
  readonly #ledger: LedgerWriter;
  /** Records of which other rows count or belong together than before. */
  readonly #retaught: number[] = [];

  constructor(ledger: LedgerWriter) {
    this.#ledger = ledger;
    this.rows = ledger.deskRows;
    this.live = ledger.live;
    this.state = new DeskState(this.rows.rows());
  }

  get sources(): Sources {
    return { state: this.state, live: this.live };
  }

  /**
   * Within a transaction of the ledger; when that fails the desk is of no use any more.
   * Throws OperatorError, and has written nothing then, for what is not there, stale or not allowed.
   */
  take(asked: Asked): Outcome {
    const outcome = this.takeNext(asked, () => undefined);
    this.teach();
    return outcome;
  }

  /** The same for one of many. `before` knows the row of one that comes once more (see `takeList`); `teach` follows the last. */
  takeNext(asked: Asked, before: (decision: RowDecision) => number | undefined): Outcome {
    const decision = decisionOf(asked, this.sources);
    if (decision.kind === "held") return this.#takeHeld(decision, asked);
    if (decision.kind === "set-aside") return this.#takeSetAside(decision, asked);
    if (decision.kind === "independence") return this.#takeRaised(decision, asked);
    const known = before(decision) ?? this.#repeat(decision);
    if (known !== undefined) return { done: "already", row: known };
    assertExpected(decision.target, asked.expect, this.state);
    assertAllowed(decision, this.state);
    const { decider } = asked;
    if (decision.kind === "review") return { done: "decided", row: this.decide({ ...decision, ...decider }) };
    return { done: "decided", row: this.append(this.#statusRow(decision, decider)) };
  }

  /** Brings what intake looks up about the decisions' records, and about others, up to date. */
  teach(others: readonly number[] = []): void {
    reteach(this.#ledger, [...this.#retaught.splice(0), ...others]);
  }

  /** Appends a checked row and applies it to the state. */
  append(row: NewRow): number {
    if (row.kind === "review") this.#retaught.push(...retaughtBy(row.body, this.live));
    const { id } = this.#ledger.append(row);
    this.#catchUp();
    return id;
  }

  /** Appends a checked review, and settles the matches that it answers. */
  decide(review: Review): number {
    const row = this.append(reviewRow(this.#ledger, review));
    if (ANSWERS.has(review.decision)) this.#settleAnswered(review);
    return row;
  }

  /** A match that has no candidate left is public until it is settled. */
  #settleAnswered({ target, into = target, reason, reviewer }: Review): void {
    const asked = [target, into].flatMap((record) => [
      this.state.merges.root(record),
      ...rootsOfCandidates(record, this.state),
    ]);
    for (const id of new Set(asked)) {
      const record = this.state.records.get(id);
      const isAnswered = record?.isMatchWaiting === true && matchCandidates(record, this.state).length === 0;
      if (isAnswered)
        this.append(reviewRow(this.#ledger, { decision: "settle_match", target: id, reason, reviewer }));
    }
  }

  /** The pairs that keep two standing records apart. */
  apartBetween(record: number, other: number): (readonly [number, number])[] {
    return this.state.apart.between(record, other, this.state.merges);
  }

  /** Rows that say the same as the decision, in order. */
  saidBefore(decision: RowDecision): number[] {
    return this.state
      .decisionsAbout(decision.target)
      .filter((row) => isSame(row, decision, this.state))
      .map(({ id }) => id);
  }

  #repeat(decision: RowDecision): number | undefined {
    const row = repeatOf(decision, this.state)?.id;
    // An older confirmation does not count once the asset was seen again since.
    const isOfAsset = decision.kind === "review" && ["retire", "unretire"].includes(decision.decision);
    if (row === undefined || !isOfAsset) return row;
    const seen = this.rows.lastSeen().get(decision.target) ?? [];
    return seen.some((report) => report.row > row) ? undefined : row;
  }

  #statusRow({ target, move }: Extract<RowDecision, { kind: "status" }>, decider: Decider): NewRow {
    const status = statusAfter(move, recordOf(target, this.sources));
    return { kind: "status", body: { record: target, status, ...decider } };
  }

  #takeHeld({ key, takes }: Extract<Decision, { kind: "held" }>, { decider, expect }: Asked): Outcome {
    if (expect !== undefined) throw new OperatorError("--expect: a held line has no row; leave it out");
    const line = this.rows.heldLines().find((each) => each.key === key);
    if (line === undefined) return this.#heldBefore(key, takes);
    if (line.state === "admitted") return waits(key, takes);
    if (takes) {
      this.#ledger.pending.admit(key, this.#ledger.now(), decider);
      return { done: "decided", row: null };
    }
    const target = this.#cityRowOf(line.input);
    this.#ledger.pending.dismiss(key);
    return { done: "decided", row: this.decide({ decision: "dismiss", target, ...decider }) };
  }

  /** The decision stays private: what follows from it is a row of its own, after a delay (`judgeLedger`). */
  #takeSetAside({ row, review }: Extract<Decision, { kind: "set-aside" }>, { expect }: Asked): Outcome {
    assertExpected(row, expect, this.state);
    if (!reviewSetAside(this.#ledger, row, review)) return { done: "already", row: null };
    this.#retaught.push(...this.live.recordsAbout(row));
    return { done: "decided", row: null };
  }

  #takeRaised({ key, outcome }: Extract<Decision, { kind: "independence" }>, { expect }: Asked): Outcome {
    if (expect !== undefined) throw new OperatorError("--expect: a raised item has no row; leave it out");
    return { done: closeItem(this.#ledger, key, outcome) ? "decided" : "already", row: null };
  }

  #heldBefore(key: string, takes: boolean): Outcome {
    const line = this.rows.lineOf(key);
    if (line === undefined || (line.row !== null && this.live.find(line.row)?.isLive !== true))
      throw new OperatorError(`held line ${key}: no such line waits, or its observation was redacted`);
    if ((line.row !== null) === takes) return { done: "already", row: line.row };
    throw new OperatorError(
      `held line ${key}: stale: somebody else ${takes ? "refused the line" : `took the line in, as row ${line.row}`} meanwhile`,
    );
  }

  /** The row of the held line's city, which stands for the line: the line has no row. */
  #cityRowOf(input: string): number {
    const slug = cityOfLine(input, this.state);
    const city = slug === undefined ? undefined : this.state.cities.get(slug);
    if (city === undefined) throw new OperatorError("the held line is no longer in a registered city");
    return city.id;
  }

  /** Applies the rows appended since. */
  #catchUp(): void {
    for (const row of this.rows.rows(this.state.lastRow)) this.state.apply(row);
  }
}

/** A held line that was accepted and has no row yet. Throws OperatorError when it is refused now. */
function waits(key: string, takes: boolean): Outcome {
  if (takes) return { done: "waits", row: null };
  throw new OperatorError(
    `held line ${key}: stale: somebody else took the line in meanwhile: reject its observation once a seal has written it`,
  );
}

/** Appends one step of a city's life. Throws OperatorError for an unknown city, and for a step that its state does not allow. */
export function moveCity(ledger: LedgerWriter, slug: string, step: CityStep): number {
  const city = new DeskState(ledger.deskRows.rows()).cities.get(slug);
  if (city !== undefined) {
    const [subject, state] = STATES[step](city);
    assertMove(subject, step, state, `city ${slug}`);
  }
  return stepCity(ledger, slug, step);
}

const publication = (city: CityState) => ["city publication", city.publicationStatus] as const;
const collection = (city: CityState) => ["city collection", city.collectionStatus] as const;

/** What each step changes, and its present state. */
const STATES: Readonly<Record<CityStep, (city: CityState) => readonly [Subject, string]>> = {
  review: (city) => ["city denominator", city.denominatorReviewed ? "reviewed" : "unreviewed"],
  publish: publication,
  unpublish: publication,
  pause: collection,
  resume: collection,
  launch: (city) => ["city launch", city.launched ? "launched" : "preview"],
};
