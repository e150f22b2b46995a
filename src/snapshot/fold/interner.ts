/** A column of one byte a row has no more. */
const FEW_TEXTS = 0x100;

/** Texts in their order as bytes that threads share, and where each ends. */
export interface PackedTexts {
  readonly bytes: Uint8Array; // UTF-8
  readonly ends: Float64Array;
}

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

  /** A copy for other threads. */
  pack(): PackedTexts {
    const ends = new Float64Array(new SharedArrayBuffer(this.#texts.length * Float64Array.BYTES_PER_ELEMENT));
    let length = 0;
    for (const [number, text] of this.#texts.entries()) {
      length += Buffer.byteLength(text);
      ends[number] = length;
    }
    const bytes = Buffer.from(new SharedArrayBuffer(length));
    for (const [number, text] of this.#texts.entries()) bytes.write(text, ends[number - 1] ?? 0);
    return { bytes, ends };
  }
}

/** The texts of another thread's interner, each decoded when it is asked for. */
export class PackedInterner<T extends string> {
  readonly #bytes: Buffer;
  readonly #ends: Float64Array;
  readonly #parse: (text: string) => T;
  readonly #decoded = new Map<number, T>();

  constructor({ bytes, ends }: PackedTexts, parse: (text: string) => T) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#ends = ends;
    this.#parse = parse;
  }

  text(number: number): T {
    return this.#decoded.get(number) ?? this.#decode(number);
  }

  #decode(number: number): T {
    const end = this.#ends[number];
    if (end === undefined) throw new RangeError(`no text has the number ${number}`);
    const text = this.#parse(this.#bytes.toString("utf8", this.#ends[number - 1] ?? 0, end));
    this.#decoded.set(number, text);
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
