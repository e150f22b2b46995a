/** Something published that is not in its format, or does not say what it must. The message is for people. */
export class FormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FormatError";
  }
}
