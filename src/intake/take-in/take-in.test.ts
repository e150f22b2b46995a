import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  AVALON,
  countedRandom,
  NOW,
  sighting,
  type TestLedger,
  testLedger,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { homePaths } from "../../kernel/home.ts";
import { seededRandom } from "../../kernel/seeded.ts";
import { DAY_MS, isoTime, utcDayStart } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import type { RowKind } from "../../ledger/rows/rows.ts";
import { approve } from "../batches.ts";
import { judgeBatches } from "../brake.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { factKeys } from "../opt-outs/judge.ts";
import { radiusCells } from "../places/city-outline.ts";
import { registerCity } from "../places/register-city.ts";

type Line = ReturnType<typeof sighting>;

const CAMELOT = { ...AVALON, geonameId: 2, name: "Camelot", asciiName: "Camelot", lat: 43 };
const NAMES = ["Corner Bakery House", "Pizza Castle", "Quiet Corner", "Restaurant", "Swift Plumbing"];
const KINDS: readonly RowKind[] = ["city", "record", "asset", "observation", "review"];

function twoCities(): TestLedger {
  const it = testLedger();
  registerCity(it.ledger, CAMELOT, radiusCells(CAMELOT.lat, CAMELOT.lng, 5));
  return it;
}

/** Lines that match each other by name, place, website and reference, in two cities. */
function manyLines(count: number, seed = 3): Line[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, at) => {
    const lat = (random() < 0.5 ? AVALON.lat : CAMELOT.lat) + Math.floor(random() * 6) * 0.0004;
    const isVan = random() < 0.3;
    return sighting(`line-${at}`, {
      lat,
      name: NAMES[Math.floor(random() * NAMES.length)],
      ...(isVan && { asset_type: "vehicle_wrap", asset_ref: `van-${at % 3}` }),
      ...(random() < 0.2 && { website: `https://site-${at % 4}.example` }),
    });
  });
}

/** All rows but their public ids, which are drawn. */
function contents(it: TestLedger): unknown[] {
  return KINDS.flatMap((kind) =>
    it.rows(kind).map(({ id, body, private: hidden }) => [kind, id, { ...body, public_id: null }, hidden]),
  );
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return list
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

/** Lines of a file that is held back: good ones among many that are rejected. */
const WRONG = new Array(200).fill("{");
const renamed = (line: Line) => ({ ...line, source_ref: `wrong ${line.source_ref}` });

describe("the same lines give the same rows", () => {
  const LINES = manyLines(120);
  const whole = (async () => {
    using it = twoCities();
    await it.accept(LINES);
    await it.takeIn();
    return contents(it);
  })();

  test("in whatever files, order and chunks they come, killed or not, beside a batch that is held back", async () => {
    const arrival = fc.record({
      seed: fc.nat(1000),
      files: fc.integer({ min: 1, max: 24 }),
      batchLines: fc.integer({ min: 1, max: 50 }),
      chunkLines: fc.integer({ min: 1, max: 60 }),
      killedAfter: fc.nat(100),
    });
    await fc.assert(
      fc.asyncProperty(arrival, async ({ seed, files, batchLines, chunkLines, killedAfter }) => {
        using it = twoCities();
        const lines = shuffled(LINES, seed);
        for (let file = 0; file < files; file += 1)
          await it.accept(
            lines.filter((_, at) => at % files === file),
            { batchLines },
          );
        await it.accept([...WRONG, ...lines.slice(0, 9).map(renamed)]);
        approve(
          it.ledger,
          Array.from({ length: files }, (_, file) => `b${file + 1}`),
        );
        const held = judgeBatches(it.ledger, "normal", utcDayStart(NOW));
        expect(held.map(({ name }) => name)).toEqual([`b${files + 1}`]);
        await takeInKilled(it, killedAfter, chunkLines);
        await it.takeIn({ chunkLines, random: countedRandom(`${seed}`) });
        expect(contents(it)).toEqual(await whole);
      }),
      { numRuns: 12 },
    );
  });
});

test("a thread that derives the lines changes nothing", async () => {
  using it = twoCities();
  using threaded = twoCities();
  const lines = manyLines(300, 9);
  for (const each of [it, threaded]) await each.accept(lines);
  const expected = await it.takeIn({ chunkLines: 70 });
  expect(await threaded.takeIn({ chunkLines: 70, largeLines: 1 })).toEqual(expected);
  expect(contents(threaded)).toEqual(contents(it));
});

/** A take-in whose process ends at an append: that chunk is undone, those before it stay. */
async function takeInKilled(it: TestLedger, appends: number, chunkLines: number): Promise<void> {
  let left = appends;
  const { ledger } = it;
  const append: typeof ledger.append = (...row) => {
    left -= 1;
    if (left < 0) throw new Error("killed");
    return ledger.append(...row);
  };
  const dying = new Proxy(ledger, {
    get: (target, name) => {
      if (name === "append") return append;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  await it.takeIn({ ledger: dying, chunkLines }).catch((error: unknown) => {
    if (!String(error).includes("killed")) throw error;
  });
}

describe("days", () => {
  const DAY = utcDayStart(NOW);

  test("are taken in one by one when they are over, each dated that day; today waits", async () => {
    using it = testLedger();
    for (const day of [0, 1, 2]) {
      it.clock.time = DAY + day * DAY_MS + DAY_MS / 2;
      await it.accept([sighting(`${day}-a`), sighting(`${day}-b`, { name: "Quiet Corner" })]);
    }
    expect(it.rows("observation")).toEqual([]);
    expect(await it.takeIn({ now: false })).toMatchObject({ days: 2, lines: 4, records: 2 });
    expect(it.ledger.pending.counts()).toEqual({ waiting: 2, held: 0, oldestDay: DAY + 2 * DAY_MS });
    const accepted = it.rows("observation").map(({ body }) => body["accepted_at"]);
    const [first, second] = [isoTime(DAY), isoTime(DAY + DAY_MS)];
    expect(accepted).toEqual([first, first, second, second]);
    const times = rawLedger(it.ledger).prepare<[], number>(
      "SELECT DISTINCT accepted_at FROM rows WHERE kind <> 'city' ORDER BY id",
    );
    expect(times.pluck().all()).toEqual([DAY + DAY_MS - 1, DAY + 2 * DAY_MS - 1]);
    using reader = openLedgerReader(homePaths(it.home).ledger);
    // As it was at noon of each day: a release as of then is built again with the same figures.
    const noons = [0, 1, 2].map((day) => DAY + day * DAY_MS + DAY_MS / 2);
    expect(noons.map((noon) => reader.pendingLines(noon))).toEqual([2, 4, 2]);
    expect(noons.slice(0, 2).map((noon) => reader.head(noon).lastRow)).toEqual([1, 1]);
    expect(reader.head(it.clock.time)).toMatchObject({ lastRow: it.ledger.nextId() - 1 });
    expect(await it.takeIn({ now: false })).toMatchObject({ days: 0, lines: 0 });
    expect(await it.takeIn({ now: true })).toMatchObject({ days: 1, lines: 2, records: 0 });
  });

  test("a review that accepts a held line counts for its own day, and its row follows the observation", async () => {
    using it = testLedger();
    await it.accept([sighting("r", { name: "Restaurant" })]);
    expect(await it.takeIn()).toMatchObject({ lines: 1, held: 1, records: 0 });
    const [held] = it.ledger.deskRows.heldLines();
    it.clock.time = DAY + 3 * DAY_MS;
    const review = { reason: "name_identifies", reviewer: "review-desk" };
    it.ledger.transaction(() => it.ledger.pending.admit(held?.key ?? "", it.clock.time, review));
    expect(await it.takeIn({ now: false })).toMatchObject({ lines: 0 });
    it.clock.time += DAY_MS;
    expect(await it.takeIn({ now: false })).toMatchObject({ lines: 1, held: 0, records: 1 });
    const [observation] = it.rows("observation");
    expect(observation?.body["accepted_at"]).toBe(isoTime(DAY + 3 * DAY_MS));
    expect(it.rows("review").map(({ id, body }) => [id, body["decision"], body["target"]])).toEqual([
      [(observation?.id ?? 0) + 1, "admit", observation?.id],
    ]);
  });
});

test("a line whose name opted out after it was accepted does not become a row, and stays refused", async () => {
  using it = testLedger();
  await it.accept([sighting("a"), sighting("b", { name: "Quiet Corner" })]);
  const key = factKeys("avalon", intakeHashes(it.ledger.purposeKey)).name("quiet corner");
  rawLedger(it.ledger).prepare("INSERT INTO opt_outs VALUES (?)").run(key);
  expect(await it.takeIn()).toMatchObject({ lines: 2, records: 1, refused: 1 });
  expect(it.ledger.pending.counts().waiting).toBe(0);
  expect(await it.accept([sighting("b", { name: "Quiet Corner" })])).toMatchObject({ known: 1 });
});

/** A fleet and shops of one day: the hour of each line is known to the test alone. */
describe("an outsider who reads the order of the rows", () => {
  const HOURS = 24;
  const VANS_AN_HOUR = 10;
  const SHOPS_AN_HOUR = 40;
  const time = (hour: number) => `2026-05-01T${String(hour).padStart(2, "0")}:30:00Z`;
  const hourFile = (hour: number): Line[] => [
    ...Array.from({ length: SHOPS_AN_HOUR }, (_, at) =>
      sighting(`shop-${hour}-${at}`, { observed_at: time(hour), name: `Shop ${at}` }),
    ),
    ...Array.from({ length: VANS_AN_HOUR }, (_, at) =>
      sighting(`van-${hour}-${at}`, { observed_at: time(hour), asset_type: "vehicle_wrap", name: "Swift" }),
    ),
  ];

  /** The share of vans whose hour is the median of the seven nearest shops', given the shops' true hours. */
  function recovered(it: TestLedger): number {
    const seen = it.rows("observation").map(({ id, body, private: hidden }) => ({
      id,
      isVan: body["asset_type"] === "vehicle_wrap",
      hour: Number(/-(\d+)-/.exec(String(hidden["source_ref"]))?.[1]),
    }));
    const shops = seen.filter(({ isVan }) => !isVan);
    const vans = seen.filter(({ isVan }) => isVan);
    const guess = (van: number) =>
      shops
        .toSorted((a, b) => Math.abs(a.id - van) - Math.abs(b.id - van))
        .slice(0, 7)
        .map(({ hour }) => hour)
        .sort((a, b) => a - b)[3];
    return vans.filter(({ id, hour }) => guess(id) === hour).length / vans.length;
  }

  test("learns the hours when each file becomes rows by itself", async () => {
    using it = testLedger();
    for (let hour = 0; hour < HOURS; hour += 1)
      await it.ingest(hourFile(hour), { random: countedRandom(`${hour}`) });
    expect(recovered(it)).toBeGreaterThan(0.9);
  });

  test("learns no more than by guessing when the day becomes rows as a whole", async () => {
    using it = testLedger();
    for (let hour = 0; hour < HOURS; hour += 1) await it.accept(hourFile(hour));
    await it.takeIn();
    expect(recovered(it)).toBeLessThan(1 / HOURS + 0.05);
  });
});
