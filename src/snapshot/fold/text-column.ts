import { type PackedTexts, TextStore } from "../../kernel/packed-texts.ts";
import { type CachedTexts, cachedTexts } from "../../ledger/row-cache.ts";

type Numbers = Uint8Array | Uint32Array;

/** Of so many texts a column knows which it has. Of more, equal ones have several numbers. */
const MAX_KNOWN = 2 ** 18;
const MAX_DECODED = 2 ** 14;
/** A column of one byte a row has no more. */
const FEW_TEXTS = 0x100;

/** A column in memory that threads share. */
export interface SharedTexts {
  readonly numbers: Numbers;
  readonly texts: PackedTexts;
}

/** A column of values that repeat, as numbers of their texts by row. */
export class TextColumn<T> {
  readonly #numbers: Numbers;
  readonly #parse: (text: string) => T;
  readonly #texts: TextStore;
  readonly #known = new Map<string, number>();
  readonly #decoded = new Map<number, T>();
  #last: string | undefined; // most columns repeat a value for many rows
  #lastNumber = 0;

  /** `parse` throws for what is no text of the column. With `shared`, the column is that of another thread, and is only read. */
  constructor(numbers: Numbers, parse: (text: string) => T, shared?: PackedTexts) {
    this.#numbers = numbers;
    this.#parse = parse;
    this.#texts = new TextStore(shared);
  }

  set(row: number, text: string): void {
    this.#numbers[row] = this.#number(text);
  }

  #number(text: string): number {
    if (text !== this.#last) {
      this.#lastNumber = this.#known.get(text) ?? this.#add(text);
      this.#last = text;
    }
    return this.#lastNumber;
  }

  #add(text: string): number {
    const number = this.#texts.add(text);
    if (this.#known.size < MAX_KNOWN) this.#known.set(text, number);
    return number;
  }

  /** Throws RangeError for a row beyond the column. */
  at(row: number): T {
    const number = this.#numbers[row] ?? -1;
    return this.#decoded.get(number) ?? this.#decode(number);
  }

  #decode(number: number): T {
    const value = this.#parse(this.#texts.text(number));
    if (this.#decoded.size === MAX_DECODED) this.#decoded.clear();
    this.#decoded.set(number, value);
    return value;
  }

  /** The texts of the `count` rows after `after`, but for rows that are no observations. */
  kept(after: number, count: number, isObservation: (at: number) => boolean): CachedTexts {
    const numberAt = (at: number) => (isObservation(at) ? this.#numbers[after + 1 + at] : undefined);
    return cachedTexts(count, numberAt, this.#texts.packed());
  }

  /** Puts in the rows after `after`. */
  load(after: number, { texts, numbers }: CachedTexts): void {
    const rows = this.#numbers.subarray(after + 1, after + 1 + numbers.length);
    if (texts.ends.length <= FEW_TEXTS) {
      const own = this.#numbersOf(new TextStore(texts), texts.ends.length);
      for (let at = 0; at < rows.length; at += 1) rows[at] = own[numbers[at] ?? 0] ?? 0;
      return;
    }
    const first = this.#texts.addAll(texts);
    for (let at = 0; at < rows.length; at += 1) rows[at] = first + (numbers[at] ?? 0);
  }

  #numbersOf(texts: TextStore, count: number): Uint32Array {
    return Uint32Array.from({ length: count }, (_, at) => {
      const text = texts.text(at);
      this.#parse(text);
      return this.#number(text);
    });
  }

  share(): SharedTexts {
    return { numbers: this.#numbers, texts: this.#texts.packed() };
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
