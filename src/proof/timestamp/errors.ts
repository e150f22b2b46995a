/** The authority gave no answer that could be read: it is down, slow, or not a timestamp authority. Try again later. */
export class TimestampUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TimestampUnavailable";
  }
}

/** There is an answer, and it proves nothing. The text says exactly what is wrong with it. */
export class TimestampInvalid extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TimestampInvalid";
  }
}

/** Text from an authority or a certificate, made fit for a line on a terminal. */
export function plainLine(text: string): string {
  return text
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, 200);
}
