import { type KeptTexts, keptTexts } from "../../ledger/kept/kept-rows.ts";
import { Interner, PackedInterner, type PackedTexts } from "./interner.ts";

type Numbers = Uint8Array | Uint32Array;

/** A column in memory that threads share. */
export interface SharedTexts {
  readonly numbers: Numbers;
  readonly texts: PackedTexts;
}

/** A column of texts that repeat, as numbers by row. */
export class TextColumn<T extends string> {
  readonly #numbers: Numbers;
  readonly #parse: (text: string) => T;
  readonly #interner = new Interner<T>();
  readonly #texts: { text(number: number): T };

  /** `parse` throws for what is no text of the column. With `shared`, the column is that of another thread, and is only read. */
  constructor(numbers: Numbers, parse: (text: string) => T, shared?: PackedTexts) {
    this.#numbers = numbers;
    this.#parse = parse;
    this.#texts = shared === undefined ? this.#interner : new PackedInterner(shared, parse);
  }

  set(row: number, text: T): void {
    this.#numbers[row] = this.#interner.number(text);
  }

  /** Throws RangeError for a row beyond the column. */
  at(row: number): T {
    return this.#texts.text(this.#numbers[row] ?? -1);
  }

  /** The texts of the `count` rows after `after`, but for rows that are no observations. */
  kept(after: number, count: number, isObservation: (at: number) => boolean): KeptTexts {
    return keptTexts(count, (at) => (isObservation(at) ? this.at(after + 1 + at) : undefined));
  }

  /** Puts in the rows after `after`. */
  load(after: number, { texts, numbers }: KeptTexts): void {
    const own = this.#interner.numbers(texts.map(this.#parse));
    const [only = 0] = own;
    if (texts.length <= 1) this.#numbers.fill(only, after + 1, after + 1 + numbers.length);
    else
      this.#numbers.set(
        Uint32Array.from(numbers, (number) => own[number] ?? 0),
        after + 1,
      );
  }

  share(): SharedTexts {
    return { numbers: this.#numbers, texts: this.#interner.pack() };
  }
}
