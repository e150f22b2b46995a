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

  text(number: number): T {
    const text = this.#texts[number];
    if (text === undefined) throw new RangeError(`no text has the number ${number}`);
    return text;
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
