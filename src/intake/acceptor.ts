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

/** An accepted line: its city (a slug), and what no night before had there. */
export interface AcceptedLine {
  readonly city: string;
  readonly isNewName: boolean;
  readonly isNewCell: boolean;
}

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

  /** Refuses a line before anything is written for it. Throws LineFault. */
  accept(checked: LineToAccept, { batch, day }: Arrival): AcceptedLine | "known" {
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
    return { city, ...this.#novelty.of(checked, city) };
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

/** What lines have that no night before had. Rows tell it: lines that are pending count as new. Owned by one run. */
export class Novelty {
  readonly #store: IntakeStore;
  readonly #names = new BoundedCache<string, boolean>(CACHED_NAMES);
  /** City -> the cells of its fixed assets. */
  readonly #cells = new Map<string, ReadonlySet<string>>();

  constructor(store: IntakeStore) {
    this.#store = store;
  }

  /** Whether name and cell are new in a city (a slug). Reads the places of the city once. */
  of({ nameKey, place }: Pick<LineToAccept, "nameKey" | "place">, city: string): Omit<AcceptedLine, "city"> {
    const isKnown = this.#names.take(`${city} ${nameKey}`, () => this.#store.hasName(city, nameKey));
    const isNewCell = isCell(place) && !this.#cellsOf(city).has(cellToParent(place, CITY_RESOLUTION));
    return { isNewName: !isKnown, isNewCell };
  }

  #cellsOf(city: string): ReadonlySet<string> {
    const known = this.#cells.get(city);
    if (known !== undefined) return known;
    const places = this.#store.placesIn(city).filter(isCell);
    const cells = new Set(places.map((place) => cellToParent(place, CITY_RESOLUTION)));
    this.#cells.set(city, cells);
    return cells;
  }
}
