import { OperatorError } from "../../kernel/errors.ts";
import type { ColumnMap } from "./column-map.ts";
import { csvParser } from "./csv.ts";
import { dateReader, otherReading, reads } from "./date-format.ts";
import { newReadState, type ParsedLine, readLines } from "./read-lines.ts";

/**
 * Dates that were exported as times. A column of dates comes as local midnight, which is the evening before by the sun wherever civil
 * time is ahead of it, and what is published is the day by the sun. Nobody can tell such a date from a time, except by the column:
 * one whose times are all midnight holds dates.
 */

const MIDNIGHT = /^\d{4}-\d{2}-\d{2}T00:00(:00(\.0+)?)?(Z|[+-]\d{2}:\d{2})?$/;
/** Midnight at a place, as programs write it in UTC. */
const IN_UTC = /T(\d{2}):(00|30|45)(?::00(?:\.0+)?)?(?:Z|\+00:00)$/;
/** From how many lines on such times are no chance. */
const MIN_IN_UTC = 5;
const DATE_LENGTH = "2026-11-02".length;
/** Lines that are read before a column is judged, as far as it has them. */
const MIN_JUDGED = 1000;

/** Watches `observed_at` of the lines of one file. */
export class Midnights {
  readonly #map: ColumnMap | undefined;
  #count = 0;
  #inUtc = 0; // of them, midnights of the place that are not 00:00 as they are written
  #firstTime: string | undefined;
  #hasDays = false; // midnights of several days: that of one may be an hour to which a fleet rounds
  #firstLine = 0;
  #hasOther = false; // a time that is not midnight

  constructor(map: ColumnMap | undefined) {
    this.#map = map;
    this.#hasOther = map?.date_only !== undefined; // the map has decided
  }

  /** The line; of CSV with the date alone where its time is midnight at the place, among other times, too. */
  add(line: ParsedLine): ParsedLine {
    if (this.#hasOther && !this.#isLocal) return line;
    const time = timeOf(line);
    if (time === undefined) return line;
    const isWritten = MIDNIGHT.test(time);
    if (!isWritten && !isMidnightInUtc(time, line)) {
      this.#hasOther = true;
      return line;
    }
    this.#count += 1;
    if (!isWritten) this.#inUtc += 1;
    this.#firstTime ??= time;
    this.#hasDays ||= time !== this.#firstTime;
    this.#firstLine ||= line.number;
    return this.#isLocal && this.#isOfThePlace(time) ? withDate(line, time) : line;
  }

  /** Whether more lines could tell that the column holds times. */
  isOpen(lines: number): boolean {
    return this.#count > 0 && !this.#hasOther && lines < MIN_JUDGED;
  }

  /** Throws OperatorError where all times so far are midnight. A single line of NDJSON may be what it says. */
  assertTimes(): void {
    const least = this.#inUtc > 0 ? MIN_IN_UTC : this.#map === undefined ? 2 : 1;
    if (this.#hasOther || this.#count < least || (this.#inUtc > 0 && !this.#hasDays)) return;
    const clock = this.#inUtc > 0 ? "midnight at the place, in UTC," : "00:00";
    const count = this.#count.toLocaleString("en-US");
    const what = `observed_at is ${clock} in all ${count} lines that have a time (the first is line ${this.#firstLine}), so the column seems to hold dates`;
    throw new OperatorError(
      this.#map === undefined || this.#inUtc > 0
        ? `${what}: write each as the date that it is there, without a time, such as "observed_at":"2026-11-02"`
        : `${what}: add "date_only": true to the column map, and each stays the date that it is; or "date_only": false if these are times at midnight`,
    );
  }

  /** Whether midnights among other times become dates: those of CSV, unless its map has decided. */
  get #isLocal(): boolean {
    return this.#map !== undefined && this.#map.date_only === undefined;
  }

  /** A program that writes times in UTC means an instant. */
  #isOfThePlace(time: string): boolean {
    return !time.endsWith("Z") && (!time.endsWith("+00:00") || this.#map?.utc_offset === "+00:00");
  }
}

function timeOf(line: ParsedLine): string | undefined {
  const value = "value" in line && !("fault" in line) ? line.value : undefined;
  if (typeof value !== "object" || value === null || !("observed_at" in value)) return undefined;
  const { observed_at: time } = value;
  return typeof time === "string" && time[DATE_LENGTH] === "T" ? time : undefined;
}

/** By the sun, civil midnight is between 21:00 and 1:00. */
function isMidnightInUtc(time: string, line: ParsedLine): boolean {
  const [, hours, minutes] = IN_UTC.exec(time) ?? [];
  const lng = "value" in line ? Number(Object(line.value).lng) : Number.NaN;
  const bySun = (Number(hours) + Number(minutes) / 60 + lng / 15 + 24) % 24;
  return bySun >= 21 || bySun <= 1;
}

function withDate(line: ParsedLine, time: string): ParsedLine {
  if (!("value" in line)) return line;
  return { number: line.number, value: { ...Object(line.value), observed_at: time.slice(0, DATE_LENGTH) } };
}

/**
 * Dates with day and month before the year can be read in two ways (03/04/2026). The lines of a file decide together which it is: one
 * day after the 12th is enough. The file is read once for that before any of it is accepted.
 */

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
  { name, encoding }: { readonly name: string; readonly encoding?: string | undefined },
): Promise<ColumnMap> {
  const pair = pairOf(map);
  if (pair === undefined) return map;
  const votes = new Votes(pair);
  for await (const text of dates(map, source, encoding ?? map.encoding)) votes.add(text);
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
  encoding: string | undefined,
): AsyncGenerator<string> {
  const parser = csvParser(map, { keepsDates: true });
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
