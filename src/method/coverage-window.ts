import { Counter } from "./counter.ts";
import { PARAMETERS } from "./parameters.ts";
import type { Sighting } from "./types.ts";

/** A sighting of a city with the record that it belongs to. */
export interface CoverageSighting extends Sighting {
  readonly record: number;
}

/** What the dense gate and the tier look at, on one day of a city's sweep. */
export class CoverageWindow {
  readonly #cells: ReadonlySet<string>;
  readonly #seenCells = new Counter<string>();
  readonly #scouts = new Map<number, Counter<string>>(); // by record
  #recordsWithScouts = 0; // records seen by as many scouts as the gate asks for
  #citations = 0;

  constructor(eligibleCells: ReadonlySet<string>) {
    this.#cells = eligibleCells;
  }

  addCitation(sighting: CoverageSighting): void {
    this.#citations += 1;
    if (sighting.source !== "scout") return;
    const scouts = this.#scouts.get(sighting.record) ?? new Counter<string>();
    this.#scouts.set(sighting.record, scouts);
    const before = scouts.distinct;
    scouts.add(sighting.observer);
    if (before < scouts.distinct && scouts.distinct === PARAMETERS.coverage.denseScouts)
      this.#recordsWithScouts += 1;
  }

  removeCitation(sighting: CoverageSighting): void {
    this.#citations -= 1;
    const scouts = sighting.source === "scout" && this.#scouts.get(sighting.record);
    if (!scouts) return;
    const before = scouts.distinct;
    scouts.remove(sighting.observer);
    if (before > scouts.distinct && before === PARAMETERS.coverage.denseScouts) this.#recordsWithScouts -= 1;
  }

  addCell({ fine, cell }: CoverageSighting): void {
    if (fine && this.#cells.has(cell)) this.#seenCells.add(cell);
  }

  removeCell({ fine, cell }: CoverageSighting): void {
    if (fine && this.#cells.has(cell)) this.#seenCells.remove(cell);
  }

  get citations(): number {
    return this.#citations;
  }

  get seenCells(): number {
    return this.#seenCells.distinct;
  }

  /** Whether some record was seen by as many scouts as the gate asks for. */
  get enoughScouts(): boolean {
    return this.#recordsWithScouts > 0;
  }
}
