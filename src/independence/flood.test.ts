import { expect, test } from "vitest";
import {
  LAST_DAY,
  placeAt,
  registryOf,
  START,
  TraceBook,
  type TraceFields,
} from "../../tests/support/independence/traces.ts";
import { type SeededRandom, seededRandom } from "../kernel/seeded.ts";
import { DAY_MS, HOUR_MS } from "../kernel/time.ts";
import { judge } from "./judge.ts";
import { CHECK_CODES, type CheckCode, type Trace } from "./trace.ts";

const RUNS = 60;
const DAYS = 12;
const ROWS_A_DAY = 25;
const FLOOD_ROWS = 300;
const ASSETS = 12;

/** Observers who send rows all along, and attackers who send most of theirs when all others are done. */
const HONEST = ["v1", "v2", "n1", "n2", "n3", "feed"];
const ATTACKERS = ["x1", "x2", "x3", "x4", "x-vouched", "x-shadow"];
const REGISTRY = registryOf(["v1", "v2", "x-vouched", "x-shadow"]);

function pick<T>(random: SeededRandom, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError("nothing to pick from");
  return value;
}

/** A row by an observer, often close to one that exists, so that every check has something to find. */
function randomRow(
  random: SeededRandom,
  observer: string,
  day: number,
  known: readonly Trace[],
): TraceFields {
  const asset = Math.floor(random() * ASSETS) + (random() < 0.2 ? day * ASSETS : 0);
  const own = {
    observer,
    day,
    asset,
    record: Math.floor(asset / 2),
    instant:
      START + day * DAY_MS + Math.floor((8 + random() * 10) * HOUR_MS) - (random() < 0.02 ? 9 * DAY_MS : 0),
    ...placeAt(asset * 1500 + random() * 60, random() * (random() < 0.02 ? 400_000 : 60)),
    isCollective: observer === "feed",
    media: random() < 0.3 ? `media ${Math.floor(random() * 400)}` : null,
    mediaLook: random() < 0.3 ? BigInt(Math.floor(random() * 2 ** 31)) * 0x1_0000_0001n : null,
    ...(random() < 0.25 ? { verdict: "verified" as const } : {}),
  };
  return random() < 0.4 && known.length > 0 ? copyOf(random, pick(random, known), own) : own;
}

/** A row that takes some of its facts from another. */
function copyOf(
  random: SeededRandom,
  { lat, lng, instant, media, mediaLook, asset, record }: Trace,
  own: TraceFields,
): TraceFields {
  return {
    ...own,
    asset,
    record,
    ...(random() < 0.5 ? { lat, lng } : { lat: lat + 1e-5, lng }),
    ...(random() < 0.5 ? { instant } : { instant: instant + 60_000 }),
    ...(random() < 0.5 ? { media } : {}),
    ...(random() < 0.5 && mediaLook !== null ? { mediaLook: mediaLook ^ 1n } : {}),
  };
}

function addDays(book: TraceBook, random: SeededRandom): void {
  for (let day = 0; day < DAYS; day++) {
    for (let row = 0; row < ROWS_A_DAY; row++) {
      const observer = random() < 0.85 ? pick(random, HONEST) : pick(random, ATTACKERS);
      book.add(randomRow(random, observer, day, book.traces));
    }
  }
}

/** Every attack at once, when all others are done: rows like theirs, and the whole trace of one of them. */
function flood(book: TraceBook, random: SeededRandom, honest: readonly Trace[]): void {
  for (let row = 0; row < FLOOD_ROWS; row++) {
    book.add(randomRow(random, pick(random, ATTACKERS), DAYS, honest));
  }
  for (const { observer, lat, lng, instant } of honest) {
    if (observer !== "v1") continue;
    const shadow = { lat: lat + 1e-4, lng, instant: instant + 60_000 };
    book.add({ observer: "x-shadow", day: DAYS, asset: 5000 + book.traces.length, ...shadow });
  }
}

function setAsideOf(book: TraceBook): ReadonlyMap<number, CheckCode> {
  return judge(book.traces, REGISTRY, LAST_DAY).setAside;
}

test("nobody sets aside another principal's rows by sending rows that come later", () => {
  const found = new Set<CheckCode>();
  for (let run = 0; run < RUNS; run++) {
    const random = seededRandom(run);
    const book = new TraceBook();
    addDays(book, random);
    const before = setAsideOf(book);
    const honest = book.traces.filter(({ observer }) => HONEST.includes(observer));
    flood(book, random, honest);
    const after = setAsideOf(book);
    for (const code of after.values()) found.add(code);
    const lost = honest.filter(({ row }) => !before.has(row) && after.has(row));
    expect(lost.map(({ row }) => [run, row, after.get(row)])).toEqual([]);
  }
  // Every check that sets rows aside was at work, but those that the registry decides.
  const expected = CHECK_CODES.slice(3, CHECK_CODES.indexOf("burst") + 1);
  expect(expected.filter((code) => !found.has(code))).toEqual([]);
});

test("the same traces give the same judgement, and rows of another town change nothing", () => {
  const random = seededRandom(99);
  const book = new TraceBook();
  addDays(book, random);
  const first = judge(book.traces, REGISTRY, LAST_DAY);
  expect(judge(book.traces, REGISTRY, LAST_DAY)).toEqual(first);
  const others = new TraceBook();
  addDays(others, seededRandom(100));
  const shift = book.traces.length;
  const elsewhere = others.traces.map((trace) => ({
    ...trace,
    row: trace.row + shift,
    observer: `other ${trace.observer}`,
    principal: `other ${trace.principal}`,
    asset: trace.asset + 10_000,
    record: trace.record + 10_000,
    lat: trace.lat + 3,
    media: trace.media === null ? null : `other ${trace.media}`,
    mediaLook: null,
  }));
  const { setAside } = judge([...book.traces, ...elsewhere], REGISTRY, LAST_DAY);
  expect([...setAside].filter(([row]) => row <= shift)).toEqual([...first.setAside]);
});

test("rows accepted after the day are not judged", () => {
  const book = new TraceBook();
  book.add({ observer: "x1", day: 0 });
  book.add({ observer: "x1", day: 1 });
  expect([...judge(book.traces, REGISTRY, START).setAside.keys()]).toEqual([1]);
});
