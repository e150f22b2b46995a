/** How a column map reads a file: some lines as they would be accepted, and what would be refused. Nothing is written. */
import type { IndexedCity } from "../../ledger/matching/intake-store.ts";
import type { ColumnMap } from "../lines/column-map.ts";
import { type CategoryCounts, UnknownCategories } from "../lines/column-map.ts";
import { csvParser } from "../lines/csv.ts";
import { LineFault } from "../lines/fault.ts";
import { Midnights } from "../lines/file-dates.ts";
import { newReadState, type ParsedLine, readLines } from "../lines/read-lines.ts";
import { checkLine, intakeHashes } from "../lines/sighting.ts";
import { cityFinder, requiredCity } from "../places/place.ts";

const SHOWN_LINES = 10;

export interface CheckedMap {
  readonly read: number;
  readonly accepted: number;
  readonly refused: Readonly<Record<string, number>>;
  /** The first line of each reason, and what is wrong with it. */
  readonly first_refused: Readonly<Record<string, string>>;
  readonly unknownCategories: CategoryCounts;
  /** How the file ended early, if it did. */
  readonly damage: string | undefined;
  readonly lines: readonly ShownLine[];
}

/** A line before and after; `city` is null where none is registered at its place, and where no city is known at all. */
export interface ShownLine {
  readonly line: number;
  readonly name: unknown;
  readonly place: readonly [lat: unknown, lng: unknown];
  readonly city: string | null;
  readonly date: string; // as the file has it
  readonly observed_at: unknown;
  readonly source: unknown;
  readonly asset_type: unknown;
  readonly industry: unknown;
  readonly refused: string | null;
}

interface CheckOptions {
  readonly map: ColumnMap;
  readonly encoding?: string | undefined;
  /** Empty where there is no ledger: places are not judged then. */
  readonly cities: readonly IndexedCity[];
  readonly now: number; // ms
}

/** The hashes lead nowhere: they are of no ledger. */
const HASHES = intakeHashes(() => Buffer.alloc(32));

/** Throws OperatorError when map and header do not fit, or the whole file is not what it should be. */
export async function checkMap(
  source: AsyncIterable<Uint8Array>,
  options: CheckOptions,
): Promise<CheckedMap> {
  const { map, encoding = map.encoding } = options;
  const categories = new UnknownCategories();
  const [parser, asIs] = [
    csvParser(map, { onUnknownCategory: categories.add }),
    csvParser(map, { keepsDates: true }),
  ];
  const check = lineChecker(options);
  const midnights = new Midnights(map);
  const state = newReadState();
  const refused = new Map<string, { count: number; readonly first: string }>();
  const lines: ShownLine[] = [];
  let read = 0;
  const take = (parsed: Iterable<ParsedLine>, raw: Iterable<ParsedLine>) => {
    const before = [...raw];
    for (const [at, line] of [...parsed].entries()) {
      read += 1;
      const after = midnights.add(line);
      const { fault, city } = check(after);
      if (fault !== undefined) countRefused(refused, after.number, fault);
      if (lines.length < SHOWN_LINES) lines.push(shownLine(after, before[at], city, fault));
    }
  };
  for await (const piece of readLines(source, state, encoding)) take(parser.push(piece), asIs.push(piece));
  take(parser.end(), asIs.end());
  midnights.assertTimes();
  const byReason = [...refused].sort(([a], [b]) => (a < b ? -1 : 1));
  const refusals = byReason.reduce((sum, [, { count }]) => sum + count, 0);
  return {
    ...{ read, accepted: read - refusals, damage: state.damage, lines },
    refused: Object.fromEntries(byReason.map(([reason, { count }]) => [reason, count])),
    first_refused: Object.fromEntries(byReason.map(([reason, { first }]) => [reason, first])),
    unknownCategories: categories.counts(),
  };
}

/** Only the first line of a reason is kept: a wrong map refuses every line of a large file. */
function countRefused(
  refused: Map<string, { count: number; readonly first: string }>,
  line: number,
  fault: LineFault,
): void {
  const known = refused.get(fault.reason);
  if (known === undefined)
    refused.set(fault.reason, { count: 1, first: `line ${line}: ${faultText(fault)}` });
  else known.count += 1;
}

function faultText({ field, message }: LineFault): string {
  return [field, message].join(" ").trim();
}

type Judgement = { readonly city: string | null; readonly fault: LineFault | undefined };

function lineChecker({ cities, now }: CheckOptions): (line: ParsedLine) => Judgement {
  const cityOf = cityFinder(cities);
  return (line) => {
    try {
      if ("fault" in line) throw line.fault;
      const { cell, json } = checkLine(line.number, line.value, HASHES, now);
      const city = cities.length === 0 ? null : requiredCity(cityOf, cell, () => JSON.parse(json)).slug;
      return { city, fault: undefined };
    } catch (fault) {
      if (!(fault instanceof LineFault)) throw fault;
      return { city: null, fault };
    }
  };
}

function shownLine(
  line: ParsedLine,
  before: ParsedLine | undefined,
  city: string | null,
  fault: LineFault | undefined,
): ShownLine {
  const value = membersOf(line);
  return {
    line: line.number,
    name: value.name ?? null,
    place: [value.lat ?? null, value.lng ?? null],
    city,
    date: String(membersOf(before).observed_at ?? ""),
    ...{ observed_at: value.observed_at ?? null, source: value.source ?? null },
    ...{ asset_type: value.asset_type ?? null, industry: value.industry ?? null },
    refused: fault === undefined ? null : `${fault.reason}: ${faultText(fault)}`,
  };
}

function membersOf(line: ParsedLine | undefined) {
  return line !== undefined && "value" in line ? Object(line.value) : {};
}
