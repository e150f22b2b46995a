import { BUILT_IN } from "../../contract/fields.ts";
import { LOOK_PARAMETERS } from "../../contract/params.ts";
import { BoundedCache } from "../../kernel/bounded-cache.ts";
import {
  DAY_MS,
  type DaySpan,
  type DaySpanKind,
  isoDate,
  lastSpanEnd,
  solarDayNumber,
  solarOffsetHours,
  utcDayStart,
} from "../../kernel/time.ts";
import { cellBitmap, cellManifestId, eligibleCells, LOOK_SPANS } from "../../ledger/looks.ts";
import type { IntakeStore } from "../../ledger/matching/intake-store.ts";
import type { SourceStore } from "../../ledger/sources/source-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { ObservationInput } from "../lines/observation-input.ts";
import { type IntakeHashes, observerHashOf, type Sighting } from "../lines/sighting.ts";
import { isMobile } from "../matching/keyed-hash.ts";
import type { City } from "../places/place.ts";
import { type LineSources, type LineStep, lineSources } from "../sources/entry.ts";
import { collectivePrincipal, Principals } from "../sources/principals.ts";

/** Whose look a line is. Independence is counted by principal, when the rows are written: who they are may be learned by then. */

/** What is kept of whoever looked until the rows are written. */
export interface Looker {
  readonly source: string; // id, or the constant of the built-in ones
  /** Keyed hash of an observer of an individual source; all observers of another source are one. */
  readonly observer: string;
}

type LineOrigin = Pick<ObservationInput, "source" | "source_type" | "observer">;

/** Over the sources and observers as they are registered now. */
export class Lookers {
  readonly #sourceOf: LineSources;
  readonly #hashes: IntakeHashes;

  /** `hashes` know the operators of the sources. */
  constructor(store: Pick<SourceStore, "sources">, hashes: IntakeHashes, step: LineStep) {
    this.#sourceOf = lineSources(store, step);
    this.#hashes = hashes;
  }

  /**
   * `hash` is the keyed hash of the line's observer, where it is known. Throws LineFault for a source that is not registered, or
   * not active.
   */
  of(line: LineOrigin, hash?: string): Looker {
    const source = this.#sourceOf(line);
    if (source === undefined) return { source: BUILT_IN, observer: BUILT_IN };
    const isCollective = source.vetting === "collective";
    const observer = isCollective
      ? collectivePrincipal(source)
      : (hash ?? observerHashOf(line, this.#hashes));
    return { source: source.id, observer };
  }
}

/** The principal who controls whoever looked; undefined for one whose looks do not count. */
export type PrincipalOfLooker = (observer: string) => string | undefined;

/**
 * As is known when the rows are written: an observer of an individual source counts if it is established and not suspended, so that
 * nobody who is new makes an area a looked one.
 */
export function principalsOfLookers(
  store: Pick<SourceStore, "observers" | "sources" | "standings">,
): PrincipalOfLooker {
  const principals = new Principals(store);
  const standings = store.standings();
  const given = new Set<string>([BUILT_IN, ...store.sources().map(collectivePrincipal)]);
  return (observer) => {
    const { principal, isSuspended, isVouched } = principals.observer(observer);
    const counts = isVouched || standings.has(principal) || given.has(principal);
    return counts && !isSuspended ? principal : undefined;
  };
}

const CACHED_LOOKS = 50_000;

/**
 * The looks that observations which count imply: whoever saw a fixed asset looked at its cell. One of a mobile asset implies none,
 * and neither does one from an archive. Most repeat a look of the same day, so those written are remembered: the owner drops it with its transaction.
 */
export class ImpliedLooks {
  readonly #store: IntakeStore;
  readonly #lookers: Lookers;
  readonly #known = new BoundedCache<string, true>(CACHED_LOOKS);
  readonly #closed = new Map<string, number>();

  constructor(store: IntakeStore, lookers: Lookers) {
    this.#store = store;
    this.#lookers = lookers;
  }

  /** `acceptedDay`: UTC, ms. Throws LineFault for a source that is not active. */
  add(
    { input, instant, cell, observerHash }: Pick<Sighting, "input" | "instant" | "cell" | "observerHash">,
    city: City,
    acceptedDay: number,
  ): void {
    if (isMobile(input.asset_type) || input.derived_from_archive === true) return;
    const day = solarDayNumber(instant, solarOffsetHours(city.details.lng));
    if (day <= this.#closedThrough(city, acceptedDay)) return;
    const looker = this.#lookers.of(input, observerHash);
    this.#known.take(`${cell} ${day} ${looker.source} ${looker.observer}`, () => {
      this.#store.addLook({ city: city.slug, day, cell, ...looker });
      return true;
    });
  }

  /** The last solar day whose rows are written, or were due when a line of that day came: later looks enter no row. */
  #closedThrough({ slug, details }: City, acceptedDay: number): number {
    const key = `${slug} ${acceptedDay}`;
    const known = this.#closed.get(key);
    if (known !== undefined) return known;
    const today = solarDayNumber(acceptedDay, solarOffsetHours(details.lng));
    const over = today - 1 - LOOK_PARAMETERS.graceDays;
    const due = Math.min(...LOOK_SPANS.map((kind) => lastSpanEnd(kind, over)));
    const closed = Math.max(due, this.#store.looksClosed(slug));
    this.#closed.set(key, closed);
    return closed;
  }
}

type LookLedger = Pick<LedgerWriter, "intake" | "looks" | "sources" | "now" | "transactionDated" | "append">;

/** Principals that must have looked in a cell, so that the row of a span names it. */
const PRINCIPALS: Readonly<Record<DaySpanKind, number>> = {
  day: LOOK_PARAMETERS.dayPrincipals,
  week: LOOK_PARAMETERS.weekPrincipals,
  month: LOOK_PARAMETERS.monthPrincipals,
};

/**
 * Writes the look rows that are due: one a city and span, for the spans that ended some days ago, and none where it would be empty.
 * What no later row needs is deleted. The rows are dated at the end of the last finished UTC day, so that the seal covers them; with
 * `now`, at the present. Belongs before a seal. Returns how many rows were written.
 */
export function writeLookRows(ledger: LookLedger, { now }: { readonly now: boolean }): number {
  const instant = now ? ledger.now() : utcDayStart(ledger.now()) - 1;
  const due = ledger.intake
    .cities()
    .flatMap(({ slug, details }) => dueSpans(ledger, slug, details.lng, instant));
  if (due.length === 0) return 0;
  return ledger.transactionDated(instant, () => {
    const principalOf = principalsOfLookers(ledger.sources);
    const written = due.map((each) => settle(ledger, each, principalOf));
    return written.reduce((sum, rows) => sum + rows, 0);
  });
}

interface Due {
  readonly city: string;
  readonly kind: DaySpanKind;
  readonly after: number; // solar day: spans up to it are settled
  readonly upTo: number;
}

/** Spans are over for good some days after their end: later looks enter no row. */
function dueSpans({ looks }: LookLedger, city: string, lng: number, instant: number): Due[] {
  const today = solarDayNumber(instant + 1, solarOffsetHours(lng));
  const over = today - 1 - LOOK_PARAMETERS.graceDays;
  return LOOK_SPANS.flatMap((kind) => {
    const [after, upTo] = [looks.settledThrough(city, kind), lastSpanEnd(kind, over)];
    return upTo > after ? [{ city, kind, after, upTo }] : [];
  });
}

function settle(
  ledger: LookLedger,
  { city, kind, after, upTo }: Due,
  principalOf: PrincipalOfLooker,
): number {
  const details = ledger.intake.eligibleDetails(city);
  const list = details === undefined ? [] : eligibleCells(details);
  const spans = ledger.looks.spans(city, kind, after, upTo);
  const rows = spans.filter((span) => writeRow(ledger, { city, kind, span, list, principalOf })).length;
  ledger.looks.settle(city, kind, upTo);
  return rows;
}

interface DueRow {
  readonly city: string;
  readonly kind: DaySpanKind;
  readonly span: DaySpan;
  readonly list: readonly string[]; // the city's eligible cells, sorted
  readonly principalOf: PrincipalOfLooker;
}

/** Whether there is a row: none is written without a cell in it. */
function writeRow(ledger: LookLedger, { city, kind, span, list, principalOf }: DueRow): boolean {
  const eligible = new Set(list);
  const byCell = Map.groupBy(
    ledger.looks
      .inSpan(city, span)
      .filter(({ cell, observer }) => eligible.has(cell) && principalOf(observer) !== undefined),
    ({ cell }) => cell,
  );
  const enough = [...byCell].filter(
    ([, looks]) => new Set(looks.map(({ observer }) => principalOf(observer))).size >= PRINCIPALS[kind],
  );
  const cells = cellBitmap(list, new Set(enough.map(([cell]) => cell)));
  if (cells === undefined) return false;
  const start = isoDate(span.first * DAY_MS);
  const body = { cells, city, manifest: cellManifestId(list), span: kind, start };
  const { id } = ledger.append({ kind: "look", body });
  ledger.looks.noteMakers(
    id,
    enough.flatMap(([, looks]) => looks),
  );
  return true;
}
