const numbers = new Float64Array(1);
const words = new Uint32Array(numbers.buffer);

/**
 * One number for several, as a key of a map: much faster than a string of them. 53 bits, so among a million keys two
 * coincide by chance with a probability of 0.00006.
 */
export function keyHash(...values: readonly number[]): number {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (const value of values) {
    numbers[0] = value + 0; // -0 is 0
    for (const word of words) {
      a = Math.imul(a ^ word, 0xcc9e2d51);
      a ^= a >>> 15;
      b = Math.imul(b + word, 0x1b873593) ^ a;
      b ^= b >>> 13;
    }
  }
  return (Math.imul(a ^ (b >>> 7), 0x2c1b3c6d) >>> 0) * 2 ** 21 + ((Math.imul(b, 0x297a2d39) >>> 0) >>> 11);
}

const FIRST_CAPACITY = 1024;

/** A map from `keyHash` keys to whole numbers above 0, in flat memory: about five times as fast as `Map`. */
export class KeyTable {
  #keys = new Float64Array(FIRST_CAPACITY);
  #values = new Int32Array(FIRST_CAPACITY); // 0 marks a free slot
  #size = 0;

  /** 0 where the key is not set. */
  get(key: number): number {
    return this.#values[this.#slotOf(key)] ?? 0;
  }

  set(key: number, value: number): void {
    const slot = this.#slotOf(key);
    const isNew = this.#values[slot] === 0;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    if (isNew && 2 * ++this.#size > this.#keys.length) this.#grow();
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = (key / 2 ** 21) & mask;
    while (this.#values[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Int32Array(2 * keys.length);
    values.forEach((value, index) => {
      if (value === 0) return;
      const slot = this.#slotOf(keys[index] ?? 0);
      this.#keys[slot] = keys[index] ?? 0;
      this.#values[slot] = value;
    });
  }
}
