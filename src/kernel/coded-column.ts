/** A column of rows in which distinct values stand once: `of[at[row]]` is the value of a row. */
export interface Coded<V = unknown> {
  readonly of: readonly V[];
  readonly at: readonly number[];
}

export class CodedColumn<V> implements Coded<V> {
  readonly of: V[] = [];
  readonly at: number[] = [];
  readonly #places = new Map<V, number>();

  add(value: V): void {
    this.at.push(this.placeOf(value));
  }

  /** The place of a value among the distinct ones. */
  placeOf(value: V): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    this.#places.set(value, this.of.length);
    return this.of.push(value) - 1;
  }
}

/** The values of a column for a group of rows; without `at`, `of` has one for each row. */
export interface ColumnValues<V = unknown> extends Pick<Coded<V>, "of">, Partial<Pick<Coded<V>, "at">> {}

/** Rows of a table, column by column. */
export interface ColumnGroup {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, ColumnValues>;
}
