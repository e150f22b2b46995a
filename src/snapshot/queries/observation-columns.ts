import { type Coded, CodedColumn } from "../../kernel/coded-column.ts";
import type { RowOf } from "../../kernel/table.ts";
import type { AssetRow, ObservationRow } from "../rows.ts";
import { addPacked, newRow, packedColumns, setOn, type Value } from "../tables/packed.ts";
import { observationColumns, type observationPages } from "../tables/records.ts";

/** A page of the observations of a record. */
export interface ObservationPage extends Omit<RowOf<typeof observationPages.columns>, "seq"> {
  readonly record: string; // public id
}

/** A span of time in ms, without its end. */
export interface Observed {
  readonly from: number;
  readonly end: number;
}

export function isWithin(observedAt: number, observed: Observed | undefined): boolean {
  return observed === undefined || (observedAt >= observed.from && observedAt < observed.end);
}

/** When the observations of a page were made (ms). */
export function observedTimes({ rows, facts }: Pick<ObservationPage, "rows" | "facts">): number[] {
  return timesOn(packedColumns(facts), rows);
}

function timesOn(packed: ReturnType<typeof packedColumns>, rows: readonly number[]): number[] {
  const times = new CodedColumn<Value>();
  addPacked(times, packed("observedAt"), [...rows.keys()]);
  return times.at.map((place) => Number(times.of[place]));
}

const FACTS = Object.entries(observationColumns);
const HASH_DIGITS = 64;

type ChangesOf = (rows: readonly { readonly id: number }[]) => ReadonlyMap<number, readonly number[]>;

/**
 * Observations of many records, column by column: a value that rows share is decoded and worked with once, so that a million rows take
 * a fraction of the time and the memory of as many objects.
 */
export class ObservationColumns {
  readonly records = new CodedColumn<string>(); // public ids
  readonly ids: number[] = []; // ledger rows
  readonly #hashes: string[] = [];
  readonly #facts = new Map(FACTS.map(([name]) => [name, new CodedColumn<Value>()]));
  readonly #assets: ReadonlyMap<number, AssetRow>;
  readonly #columns = new Map<keyof ObservationRow, Coded>();
  readonly #changesOf: ChangesOf;

  constructor(assets: readonly AssetRow[], changesOf: ChangesOf) {
    this.#assets = new Map(assets.map((asset) => [asset.id, asset]));
    this.#changesOf = changesOf;
  }

  /** Takes those observations of a page that were made in a span of time. All pages are taken before anything is read. */
  add(page: ObservationPage, span: Observed): void {
    const packed = packedColumns(page.facts);
    const own = timesOn(packed, page.rows).flatMap((time, at) => (isWithin(time, span) ? [at] : []));
    for (const [name, column] of this.#facts) addPacked(column, packed(name), own);
    const hashes = Buffer.from(page.ledgerHashes).toString("hex");
    for (const at of own) {
      this.records.add(page.record);
      this.ids.push(page.rows[at] ?? 0);
      this.#hashes.push(hashes.slice(at * HASH_DIGITS, (at + 1) * HASH_DIGITS));
    }
  }

  /** How many were made at each time (ms). */
  observedTimes(): Map<number, number> {
    const { of, at } = this.#column("observedAt");
    const counts = of.map(() => 0);
    for (const place of at) counts[place] = (counts[place] ?? 0) + 1;
    return new Map(of.map((time, place) => [Number(time), counts[place] ?? 0]));
  }

  /** Places of the rows from the oldest observation to the newest; those of one instant in the order of the ledger. */
  inOrder(): number[] {
    const { of, at } = this.#column("observedAt");
    const times = at.map((place) => Number(of[place]));
    const { ids } = this;
    return [...ids.keys()].sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0));
  }

  /** What `make` makes of each row, called once for all rows that agree in the facts that it needs. */
  made<Need extends keyof ObservationRow, V>(
    needs: readonly Need[],
    make: (facts: Pick<ObservationRow, Need>) => V,
  ): Coded<V> {
    const columns = needs.map((name) => ({ name, ...this.#column(name) }));
    const made = (factOf: (column: Coded) => unknown) => {
      const facts = newRow<Pick<ObservationRow, Need>>();
      for (const column of columns) setOn(facts, column.name, factOf(column));
      return make(facts);
    };
    const [only, ...others] = columns;
    if (only !== undefined && others.length === 0)
      return { of: only.of.map((value) => made(() => value)), at: only.at };
    const { of: firstRows, at } = firstOfEach(columns, this.ids.length);
    return { of: firstRows.map((row) => made((column) => column.of[column.at[row] ?? 0])), at };
  }

  #column(name: keyof ObservationRow): Coded {
    const known = this.#columns.get(name) ?? this.#newColumn(name);
    this.#columns.set(name, known);
    return known;
  }

  #newColumn(name: keyof ObservationRow): Coded {
    switch (name) {
      case "id":
        return { of: this.ids, at: [...this.ids.keys()] };
      case "ledgerHash":
        return { of: this.#hashes, at: [...this.ids.keys()] };
      case "changedBy":
        return this.#changes();
      case "assetPublicId":
        return this.#ofAsset("publicId");
      case "assetType":
      case "isMobile":
        return this.#ofAsset(name);
      default:
        return this.#stored(name);
    }
  }

  #changes(): Coded {
    const changes = this.#changesOf(this.ids.map((id) => ({ id })));
    const changed = [...changes];
    const places = new Map(changed.map(([id], at) => [id, at + 1]));
    const of = [NO_CHANGES, ...changed.map(([, rows]) => rows)];
    return { of, at: this.ids.map((id) => places.get(id) ?? 0) };
  }

  #ofAsset(fact: "publicId" | "assetType" | "isMobile"): Coded {
    const { of, at } = this.#column("asset");
    return { of: of.map((asset) => this.#assets.get(Number(asset))?.[fact]), at };
  }

  #stored(name: keyof typeof observationColumns): Coded {
    const { decode } = observationColumns[name];
    const { of, at } = this.#facts.get(name) ?? NOTHING;
    return { of: decode === undefined ? of : of.map((value) => decode(value)), at };
  }
}

const NO_CHANGES: readonly number[] = [];
const NOTHING: Coded<Value> = { of: [], at: [] };

/** For each set of values that rows have in these columns, the first row that has it (`of`), and for each row the place of its set. */
function firstOfEach(columns: readonly Coded[], rows: number): Coded<number> {
  const places = new Map<number, number>();
  const of: number[] = [];
  const at: number[] = [];
  for (let row = 0; row < rows; row++) {
    const set = columns.reduce((set, column) => set * column.of.length + (column.at[row] ?? 0), 0);
    const known = places.get(set);
    at.push(known ?? of.length);
    if (known !== undefined) continue;
    places.set(set, of.length);
    of.push(row);
  }
  return { of, at };
}
