const MASK = "[secret]";

/**
 * A text that must not reach a log, a message or a file: a password, a key, a URL with credentials. Every conversion to text gives "[secret]", and a
 * structured clone (`postMessage`, worker data) is an empty object, so a thread must be sent the revealed value on purpose.
 */
export class Secret {
  readonly #read: () => string;
  #value: string | undefined;

  /** The text, or how to read it: once, when it is first used. */
  constructor(value: string | (() => string)) {
    this.#read = typeof value === "string" ? () => value : value;
  }

  /** The text itself, to be read only where it is used. */
  reveal(): string {
    this.#value ??= this.#read();
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
