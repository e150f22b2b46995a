/**
 * The brake: what comes in is judged before anything is matched, by fixed numbers. They depend on who sends it, and on how long its city
 * has had lines; what came before moves none of them.
 */
import type { Vetting } from "../contract/enums.ts";
import type { Strictness } from "../kernel/strictness.ts";
import { DAY_MS } from "../kernel/time.ts";
import type { Batch, BatchLines, Delivery, FirstDelivery, LineCounts } from "../ledger/matching/batches.ts";
import type { LedgerReader } from "../ledger/reader.ts";
import type { LedgerWriter } from "../ledger/writer.ts";

export const BRAKE = {
  newDays: 28, // a source is new, and a city young, for so many days from its first delivery on
  windowDays: 7, // a small delivery is judged together with those of so many days
} as const;

/** `new`: registered or not, in its first days; a source that is not registered stays so. */
export type Sender = "new" | Vetting;
export type CityAge = "young" | "grown";

/** The largest that passes: accepted lines of a source for a city in a day, and shares of lines. */
export interface Bounds {
  readonly lines: number;
  readonly rejected: number;
  readonly newNames: number;
  readonly newCells: number;
}

interface Rules {
  /** Fewer lines have no share. */
  readonly minLines: number;
  readonly bounds: Readonly<Record<CityAge, Readonly<Record<Sender, Bounds>>>>;
}

function bounds(lines: number, rejected: number, newNames: number, newCells: number): Bounds {
  return { lines, rejected, newNames, newCells };
}

export const RULES: Readonly<Record<Exclude<Strictness, "off">, Rules>> = {
  normal: {
    minLines: 50,
    bounds: {
      young: {
        new: bounds(10_000, 0.4, 0.95, 0.95),
        individual: bounds(50_000, 0.5, 0.98, 0.98),
        collective: bounds(200_000, 0.5, 0.98, 0.98),
      },
      grown: {
        new: bounds(10_000, 0.4, 0.9, 0.8),
        individual: bounds(50_000, 0.5, 0.8, 0.6),
        collective: bounds(200_000, 0.5, 0.8, 0.6),
      },
    },
  },
  strict: {
    minLines: 20,
    bounds: {
      young: {
        new: bounds(2000, 0.2, 0.85, 0.8),
        individual: bounds(10_000, 0.3, 0.9, 0.9),
        collective: bounds(50_000, 0.3, 0.9, 0.9),
      },
      grown: {
        new: bounds(2000, 0.2, 0.75, 0.5),
        individual: bounds(10_000, 0.3, 0.6, 0.3),
        collective: bounds(50_000, 0.3, 0.6, 0.3),
      },
    },
  },
};

/** What the brake has to know of a delivery. */
export interface Judged extends Delivery {
  readonly sender: Sender;
  readonly cityAge: CityAge;
  /** Of the same source and city within the bounds: earlier ones of the day together, then the days before, as far as the window goes. */
  readonly today: LineCounts;
  readonly before: readonly LineCounts[];
}

/** What is outside the bounds, a sentence each. Pure. */
export function outsideBounds(judged: Judged, { minLines, bounds }: Rules): string[] {
  const { source, city, sender, cityAge, lines, today } = judged;
  const max = bounds[cityAge][sender];
  const whose = `of ${source} for ${city}`;
  const inDay = lines + today.lines;
  const tooMany =
    inDay > max.lines ? [`${plain(inDay)} lines ${whose} in a day: the bound is ${plain(max.lines)}`] : [];
  const all = withEnoughLines(judged, minLines);
  const shares = [
    ["have names that no night before had", "newNames"],
    ["are in map cells that no night before had", "newCells"],
  ] as const;
  const tooNew = shares.flatMap(([what, part]) => {
    // What is new in a small delivery must be so by itself as well.
    const share = Math.min(judged[part] / lines, all[part] / all.lines);
    if (all.lines < minLines || share <= max[part]) return [];
    return [`${percent(share)} of the lines ${whose} ${what}: the bound is ${percent(max[part])}`];
  });
  return [...tooMany, ...tooNew];
}

/** A file in small pieces is judged as one; a large file by itself, so that no other hides what it has. */
function withEnoughLines(judged: Judged, minLines: number): LineCounts {
  let all: LineCounts = judged;
  for (const earlier of [judged.today, ...judged.before]) {
    if (all.lines >= minLines) break;
    all = sum(all, earlier);
  }
  return all;
}

function sum(a: LineCounts, b: LineCounts): LineCounts {
  return {
    lines: a.lines + b.lines,
    newNames: a.newNames + b.newNames,
    newCells: a.newCells + b.newCells,
  };
}

/** Lines that an opt-out refuses are no fault of the file. */
function tooManyRejected(
  { read, rejected, rejectedByReason }: Batch,
  judged: readonly Judged[],
  { minLines, bounds }: Rules,
): string[] {
  const { opted_out: optedOut = 0 } = rejectedByReason;
  const share = (rejected - optedOut) / read;
  const most = Math.min(...judged.map(({ sender, cityAge }) => bounds[cityAge][sender].rejected));
  return read >= minLines && share > most
    ? [`${percent(share)} of the lines were rejected: the bound is ${percent(most)}`]
    : [];
}

function plain(count: number): string {
  return count.toLocaleString("en-US");
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

type Ledger = Pick<LedgerWriter, "batches" | "sources" | "intake" | "now" | "transaction">;
type Readable = Pick<LedgerReader, "batches" | "intake">;

/** Undefined where nothing is held back. */
function rulesFor({ intake }: Pick<Readable, "intake">, strictness: Strictness): Rules | undefined {
  return strictness === "off" || intake.isSynthetic() === true ? undefined : RULES[strictness];
}

/**
 * Judges the batches with lines to take in up to a UTC day (ms), each once, and holds back as a whole those with a source's first
 * delivery for a city and those outside the bounds. One transaction. Returns what it held back. A demonstration has no brake.
 */
export function judgeBatches(ledger: Ledger, strictness: Strictness, upTo: number): Batch[] {
  const { batches } = ledger;
  const due = batches.unjudged(upTo);
  if (due.length === 0) return [];
  const rules = rulesFor(ledger, strictness);
  const vetting = new Map(ledger.sources.sources().map((source) => [source.id, source.vetting]));
  const now = ledger.now();
  return ledger.transaction(() =>
    due.flatMap((batch) => {
      const findings = rules === undefined ? [] : findingsOf(ledger, batch, { rules, vetting });
      if (findings.length > 0) {
        batches.decide(batch.name, "held_back", now, findings);
        batches.holdBack(batch.name, now);
        return [{ ...batch, findings }];
      }
      batches.decide(batch.name, "within", now);
      batches.noteDeliveries(batch.name);
      return [];
    }),
  );
}

/** What of a batch waits for the operator: what it was held back for, and before the night has judged it, its first deliveries. */
export function awaitedApprovals(ledger: Readable, name: string | null, strictness: Strictness): string[] {
  const { batches } = ledger;
  const batch = name === null ? undefined : batches.find(name);
  if (batch?.decision === "held_back") return [...batch.findings];
  if (batch === undefined || batch.decision !== null || rulesFor(ledger, strictness) === undefined) return [];
  return firstDeliveries(deliveriesOf(batches.linesOf([batch.name])), batches.firstDeliveries());
}

/** The sentence that names the commands; none where nothing is awaited. */
export function approvalNote(ledger: Readable, name: string | null, strictness: Strictness): string[] {
  const awaited = awaitedApprovals(ledger, name, strictness);
  if (awaited.length === 0) return [];
  return [
    `${name} waits for your approval: ${awaited.join("; ")}: \`presence batch show ${name}\`, then \`presence batch approve ${name}\``,
  ];
}

function firstDeliveries(deliveries: readonly Delivery[], known: readonly FirstDelivery[]): string[] {
  const pairs = new Set(known.map(pairOf));
  return deliveries
    .filter((delivery) => !pairs.has(pairOf(delivery)))
    .map(({ source, city }) => `first delivery of ${source} for ${city}`);
}

function pairOf({ source, city }: Pick<Delivery, "source" | "city">): string {
  return JSON.stringify([source, city]);
}

interface Dated extends Delivery {
  readonly day: number; // the first of its days, UTC, ms
}

function deliveriesOf(lines: readonly BatchLines[]): Dated[] {
  return [...Map.groupBy(lines, pairOf).values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, ...more.reduce<LineCounts>(sum, first) }],
  );
}

interface Judging {
  readonly rules: Rules;
  readonly vetting: ReadonlyMap<string, Vetting>; // of registered sources
}

function findingsOf(
  { batches }: Pick<Ledger, "batches">,
  batch: Batch,
  { rules, vetting }: Judging,
): string[] {
  const known = batches.firstDeliveries();
  const deliveries = deliveriesOf(batches.linesOf([batch.name]));
  const first = firstDeliveries(deliveries, known);
  if (first.length > 0) return first; // everything in it is new
  const judged = deliveries.map((delivery): Judged => {
    const { source, city, day } = delivery;
    const isNew = (begun: readonly FirstDelivery[]) =>
      day < Math.min(...begun.map((each) => each.day)) + BRAKE.newDays * DAY_MS;
    const isNewSource = isNew(known.filter((each) => each.source === source));
    return {
      ...delivery,
      sender: isNewSource ? "new" : (vetting.get(source) ?? "new"),
      cityAge: isNew(known.filter((each) => each.city === city)) ? "young" : "grown",
      today: batches.within(delivery, day, day).reduce(sum, NOTHING),
      before: batches.within(delivery, day - BRAKE.windowDays * DAY_MS, day - DAY_MS),
    };
  });
  const outside = judged.flatMap((each) => outsideBounds(each, rules));
  return [...tooManyRejected(batch, judged, rules), ...outside];
}

const NOTHING: LineCounts = { lines: 0, newNames: 0, newCells: 0 };
