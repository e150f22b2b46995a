const MASK = "[secret]";

/**
 * A text that must not reach a log, a message or a file: a password, a key, a URL with credentials. Every conversion to text gives "[secret]", and a
 * structured clone (`postMessage`, worker data) is an empty object, so a thread must be sent the revealed value on purpose.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself, to be read only where it is used. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return MASK;
  }
}
