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
