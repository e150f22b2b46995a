/** Texts by number, as bytes: far smaller than as many strings, and threads can share them. */
export interface PackedTexts {
  readonly bytes: Uint8Array; // UTF-8
  readonly ends: Float64Array; // where each text ends
}

const NONE: PackedTexts = { bytes: new Uint8Array(), ends: new Float64Array() };

/** Packed texts to which more are added. Owns its memory, which grows; what `packed` gave before stays as it was. */
export class TextStore {
  #bytes: Buffer;
  #ends: Float64Array;
  #length: number; // of the bytes in use
  #count: number;

  constructor({ bytes, ends }: PackedTexts = NONE) {
    this.#bytes = bufferOf(bytes);
    this.#ends = ends;
    this.#length = bytes.length;
    this.#count = ends.length;
  }

  /** Returns the text's number. */
  add(text: string): number {
    const end = this.#length + Buffer.byteLength(text);
    this.#reserve(end, this.#count + 1);
    this.#bytes.write(text, this.#length);
    this.#ends[this.#count] = end;
    this.#length = end;
    this.#count += 1;
    return this.#count - 1;
  }

  /** Returns the number of the first one. */
  addAll({ bytes, ends }: PackedTexts): number {
    const [first, start] = [this.#count, this.#length];
    this.#reserve(start + bytes.length, first + ends.length);
    this.#bytes.set(bytes, start);
    for (const [at, end] of ends.entries()) this.#ends[first + at] = start + end;
    this.#length += bytes.length;
    this.#count += ends.length;
    return first;
  }

  /** Throws RangeError for a number that no text has. */
  text(number: number): string {
    const end = number < this.#count ? this.#ends[number] : undefined;
    if (end === undefined) throw new RangeError(`no text has the number ${number}`);
    return this.#bytes.toString("utf8", this.#ends[number - 1] ?? 0, end);
  }

  /** All of them. What was added lies in memory that threads share. */
  packed(): PackedTexts {
    return { bytes: this.#bytes.subarray(0, this.#length), ends: this.#ends.subarray(0, this.#count) };
  }

  #reserve(length: number, count: number): void {
    if (length > this.#bytes.length) {
      const more = Buffer.from(new SharedArrayBuffer(Math.max(length, 2 * this.#bytes.length)));
      more.set(this.#bytes);
      this.#bytes = more;
    }
    if (count > this.#ends.length) {
      const size = Math.max(count, 2 * this.#ends.length);
      const more = new Float64Array(new SharedArrayBuffer(size * Float64Array.BYTES_PER_ELEMENT));
      more.set(this.#ends);
      this.#ends = more;
    }
  }
}

/** These of the texts, in this order. */
export function picked({ bytes, ends }: PackedTexts, numbers: readonly number[]): PackedTexts {
  const startOf = (number: number) => ends[number - 1] ?? 0;
  const endOf = (number: number) => ends[number] ?? 0;
  const length = numbers.reduce((sum, number) => sum + endOf(number) - startOf(number), 0);
  const own = { bytes: new Uint8Array(length), ends: new Float64Array(numbers.length) };
  let end = 0;
  for (const [at, number] of numbers.entries()) {
    own.bytes.set(bytes.subarray(startOf(number), endOf(number)), end);
    end += endOf(number) - startOf(number);
    own.ends[at] = end;
  }
  return own;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
