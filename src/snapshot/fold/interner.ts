import { type KeptTexts, keptTexts } from "../../ledger/kept/kept-rows.ts";

/** A column of one byte a row has no more. */
const FEW_TEXTS = 0x100;

/** Numbers distinct texts, so that a million rows store numbers. Owns the texts. */
export class Interner<T extends string> {
  readonly #numbers = new Map<T, number>();
  readonly #texts: T[] = [];
  #last: T | undefined; // most columns repeat a value for many rows
  #lastNumber = 0;

  number(text: T): number {
    if (text !== this.#last) {
      this.#lastNumber = this.#numbers.get(text) ?? this.#add(text);
      this.#last = text;
    }
    return this.#lastNumber;
  }

  #add(text: T): number {
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** The numbers of these, which differ. Many are not looked for among those known, so that equal ones may have several numbers. */
  numbers(texts: readonly T[]): Uint32Array {
    const isFew = texts.length <= FEW_TEXTS;
    return Uint32Array.from(texts, (text) => (isFew ? this.number(text) : this.#texts.push(text) - 1));
  }

  text(number: number): T {
    const text = this.#texts[number];
    if (text === undefined) throw new RangeError(`no text has the number ${number}`);
    return text;
  }
}

/** A column of texts that repeat, as numbers by row. */
export class TextColumn<T extends string> {
  readonly #numbers: Uint8Array | Uint32Array;
  readonly #parse: (text: string) => T;
  readonly #interner = new Interner<T>();

  /** `parse` throws for what is no text of the column. */
  constructor(numbers: Uint8Array | Uint32Array, parse: (text: string) => T) {
    this.#numbers = numbers;
    this.#parse = parse;
  }

  set(row: number, text: T): void {
    this.#numbers[row] = this.#interner.number(text);
  }

  /** Throws RangeError for a row beyond the column. */
  at(row: number): T {
    return this.#interner.text(this.#numbers[row] ?? -1);
  }

  /** The texts of these rows, but for rows that are no observations. */
  gather(rows: Uint32Array, isObservation: (at: number) => boolean): KeptTexts {
    const places = new Map<number, number>();
    const numbers = rows.map((row, at) => {
      if (!isObservation(at)) return 0;
      const number = this.#numbers[row] ?? 0;
      const known = places.get(number);
      if (known !== undefined) return known;
      places.set(number, places.size);
      return places.size - 1;
    });
    return { numbers, texts: Array.from(places.keys(), (number) => this.#interner.text(number)) };
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
}

/** `Date.parse` of texts that repeat: observation times are cut to the day. */
export class InstantParser {
  readonly #parsed = new Map<string, number>();

  parse(text: string): number {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    const parsed = Date.parse(text);
    this.#parsed.set(text, parsed);
    return parsed;
  }
}
