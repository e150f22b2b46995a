/**
 * Dates with day and month before the year can be read in two ways (03/04/2026). The lines of a file decide together which it is: one
 * day after the 12th is enough. The file is read once for that before any of it is accepted.
 */
import { OperatorError } from "../../kernel/errors.ts";
import type { ColumnMap } from "./column-map.ts";
import { csvParser } from "./csv.ts";
import { dateReader, otherReading, reads } from "./date-format.ts";
import { newReadState, readLines } from "./read-lines.ts";

/** Two forms that differ in the order of day and month. `isStated`: the map has `second`, too. */
interface Pair {
  readonly first: string;
  readonly second: string;
  readonly isStated: boolean;
}

/** Whether the dates of a file have to decide: then it must be read twice. */
export function hasTwoReadings(map: ColumnMap): boolean {
  return pairOf(map)?.isStated === true;
}

/**
 * The map with the one form that the lines of the file allow. Throws OperatorError with the two readings when they allow both, or
 * none; and when the one form that the map states is not that of the file.
 */
export async function decideDates(
  map: ColumnMap,
  source: AsyncIterable<Uint8Array>,
  { name, encoding }: { readonly name: string; readonly encoding: string },
): Promise<ColumnMap> {
  const pair = pairOf(map);
  if (pair === undefined) return map;
  const votes = new Votes(pair);
  for await (const text of dates(map, source, encoding)) votes.add(text);
  const refused = votes.refusal();
  if (refused !== undefined) throw new OperatorError(`${name}: ${refused}`);
  if (!pair.isStated || votes.chosen === undefined) return map;
  const dropped = votes.chosen === pair.first ? pair.second : pair.first;
  return { ...map, date_formats: map.date_formats.filter((format) => format !== dropped) };
}

function pairOf({ date_formats: formats }: ColumnMap): Pair | undefined {
  for (const first of formats) {
    const other = otherReading(first);
    if (other === undefined) continue;
    const second = formats.find((format) => format !== first && isSameForm(format, other));
    return { first, second: second ?? other, isStated: second !== undefined };
  }
  return undefined;
}

/** D.M.YYYY is the other reading of MM.DD.YYYY, too. */
function isSameForm(format: string, other: string): boolean {
  const plain = (text: string) => text.replace("MM", "M").replace("DD", "D");
  return plain(format) === plain(other);
}

/** `observed_at` of each line, as the file has it. */
async function* dates(
  map: ColumnMap,
  source: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string> {
  const parser = csvParser({ ...map, date_formats: ["iso"], utc_offset: undefined, date_only: false });
  const state = newReadState();
  const textOf = (value: unknown) =>
    typeof value === "object" && value !== null && "observed_at" in value ? String(value.observed_at) : "";
  for await (const lines of readLines(source, state, encoding))
    for (const line of parser.push(lines)) if ("value" in line) yield textOf(line.value);
  for (const line of parser.end()) if ("value" in line) yield textOf(line.value);
}

/** What the dates of a file say. Owns an example of each kind. */
class Votes {
  readonly #pair: Pair;
  #first: string | undefined; // a date that only the first form reads
  #second: string | undefined;
  #both: string | undefined;

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  add(text: string): void {
    const [first, second] = [reads(this.#pair.first, text), reads(this.#pair.second, text)];
    if (first && second) this.#both ??= text;
    else if (first) this.#first ??= text;
    else if (second) this.#second ??= text;
  }

  /** The form that the lines allow; undefined where there is no date of these forms. */
  get chosen(): string | undefined {
    if (this.#first !== undefined) return this.#pair.first;
    return this.#second === undefined ? undefined : this.#pair.second;
  }

  refusal(): string | undefined {
    const { first, second, isStated } = this.#pair;
    if (!isStated)
      return this.#first === undefined && this.#second !== undefined
        ? `${this.#second} can only be ${second}, and no date of the file can only be ${first}, as "date_formats" states: correct the column map`
        : undefined;
    if (this.#first !== undefined && this.#second !== undefined)
      return `${this.#first} can only be ${first}, and ${this.#second} can only be ${second}: a file must have one of the two: divide it, or leave one of them in "date_formats"`;
    if (this.chosen !== undefined || this.#both === undefined) return undefined;
    return `${this.#both} is ${isoOf(first, this.#both)} as ${first} and ${isoOf(second, this.#both)} as ${second}, and no line of the file decides: leave the right one in "date_formats"`;
  }
}

function isoOf(format: string, text: string): string {
  return dateReader([format], { offset: "Z" })(text).slice(0, "2026-11-02".length);
}
