import { cellToParent } from "h3-js";
import { BoundedCache } from "../kernel/bounded-cache.ts";
import type { IntakeStore } from "../ledger/matching/intake-store.ts";
import type { LedgerWriter } from "../ledger/writer.ts";
import { LineFault } from "./lines/fault.ts";
import type { ObservationInput } from "./lines/observation-input.ts";
import { intakeHashes, type LineToAccept } from "./lines/sighting.ts";
import { type Look, placedLook } from "./looks/look.ts";
import { Lookers } from "./looks/look-rows.ts";
import { OptOutJudge } from "./opt-outs/judge.ts";
import { isCell } from "./places/anchors.ts";
import { CITY_RESOLUTION, type CityOfCell, cityFinder, latestDate, requiredCity } from "./places/place.ts";
import { type LineSources, lineSources, registeredIn } from "./sources/entry.ts";

export type Outcome = "accepted" | "known";

/** What the lines of a commit have in common. */
export interface Arrival {
  readonly batch: string;
  readonly day: number; // UTC day of acceptance, ms
}

/** Accepts the lines of one batch, one by one within a transaction: they become rows when their day is taken in. */
export class Acceptor {
  readonly #store: IntakeStore;
  readonly #cityOf: CityOfCell;
  readonly #optOuts: OptOutJudge;
  readonly #sourceOf: LineSources;
  readonly #lookers: Lookers;
  readonly #novelty: Novelty;
  readonly #now: () => number;

  constructor(ledger: LedgerWriter, store: IntakeStore) {
    this.#store = store;
    this.#now = () => ledger.now();
    this.#sourceOf = lineSources(ledger.sources, "accept");
    const hashes = intakeHashes(ledger.purposeKey, registeredIn(ledger.sources));
    this.#lookers = new Lookers(ledger.sources, hashes, "accept");
    this.#cityOf = cityFinder(store.cities());
    this.#optOuts = new OptOutJudge(store, hashes, ledger.now());
    this.#novelty = new Novelty(store);
  }

  /** Accepted lines so far in cells that no night before had. */
  newCells(): number {
    return this.#novelty.newCells();
  }

  /** Refuses a line before anything is written for it. Throws LineFault. `accepted_new`: no night before had its name. */
  accept(checked: LineToAccept, { batch, day }: Arrival): Outcome | "accepted_new" {
    const key = Buffer.from(checked.key, "hex");
    const content = Buffer.from(checked.content, "hex");
    if (this.#isKnown(key, content)) return "known";
    this.#sourceOf(checked);
    const { line, source_type: source, json } = checked;
    const input = (): ObservationInput => JSON.parse(json);
    const { slug: city, details } = requiredCity(this.#cityOf, checked.cell, input);
    if (checked.beginning !== undefined && checked.beginning > latestDate(this.#now(), details))
      throw new LineFault("future_date", "observed_at", `is a date that has not begun in ${details.name}`);
    if (this.#optOuts.hasOptOuts) this.#optOuts.refuse({ ...checked, input: input() }, city);
    this.#store.addSourceRef(key, content);
    this.#store.addPending({ source, batch, line, day, key, input: json });
    this.#novelty.note(checked, city);
    return this.#novelty.isNewName(checked, city) ? "accepted_new" : "accepted";
  }

  /**
   * Keeps the cells and days of a look until their rows are written. A look without any that a row is still to come for is refused
   * before anything is written for it. Throws LineFault.
   */
  acceptLook(look: Look): Outcome {
    const key = Buffer.from(look.key, "hex");
    const content = Buffer.from(look.content, "hex");
    if (this.#isKnown(key, content)) return "known";
    const looker = this.#lookers.of(look);
    const placed = placedLook(look, this.#cityOf).filter(
      ({ city, day }) => day > this.#store.looksClosed(city),
    );
    if (placed.length === 0)
      throw new LineFault(
        "look_too_late",
        "until",
        "the rows of looks of that day, week and month are written",
      );
    this.#store.addSourceRef(key, content);
    for (const where of placed) this.#store.addLook({ ...where, ...looker });
    return "accepted";
  }

  #isKnown(key: Buffer, content: Buffer): boolean {
    const known = this.#store.sourceRef(key);
    if (known === undefined) return false;
    if (known.content.equals(content)) return true;
    const message =
      "this source_ref was taken before with other content: a correction needs a source_ref of its own";
    throw new LineFault("duplicate_reference_with_other_content", "source_ref", message);
  }
}

const CACHED_NAMES = 50_000;

/** What a batch has that no night before had. Rows tell it: lines that are pending count as new. Owned by one run. */
export class Novelty {
  readonly #store: IntakeStore;
  readonly #names = new BoundedCache<string, boolean>(CACHED_NAMES);
  /** City -> place of a fixed asset -> accepted lines. */
  readonly #lines = new Map<string, Map<string, number>>();

  constructor(store: IntakeStore) {
    this.#store = store;
  }

  /** Whether the name is new in the city (a slug). */
  isNewName({ nameKey }: Pick<LineToAccept, "nameKey">, city: string): boolean {
    return !this.#names.take(`${city} ${nameKey}`, () => this.#store.hasName(city, nameKey));
  }

  /** Remembers where an accepted line was, whose transaction may still fail: then the run ends. */
  note({ place }: Pick<LineToAccept, "place">, city: string): void {
    if (!isCell(place)) return;
    const cell = cellToParent(place, CITY_RESOLUTION);
    const lines = this.#lines.get(city) ?? new Map<string, number>();
    this.#lines.set(city, lines);
    lines.set(cell, (lines.get(cell) ?? 0) + 1);
  }

  /** How many of the lines were in new cells. Reads the places of their cities. */
  newCells(): number {
    let found = 0;
    for (const [city, lines] of this.#lines) {
      const known = new Set(
        this.#store
          .placesIn(city)
          .filter(isCell)
          .map((place) => cellToParent(place, CITY_RESOLUTION)),
      );
      for (const [cell, count] of lines) if (!known.has(cell)) found += count;
    }
    return found;
  }
}
