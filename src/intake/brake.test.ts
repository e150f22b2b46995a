import { describe, expect, test } from "vitest";
import { NOW, sighting, type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { register } from "../../tests/support/ledger/source-ledger.ts";
import { Strictness } from "../kernel/strictness.ts";
import { DAY_MS, utcDayStart } from "../kernel/time.ts";
import { approve } from "./batches.ts";
import { awaitedApprovals, type Judged, judgeBatches, outsideBounds, RULES } from "./brake.ts";
import { planUndo, undo } from "./undo.ts";

type Line = ReturnType<typeof sighting>;

const FIRST = "first delivery of scout for avalon";
const [OLD, NEW] = ["Quiet Corner", "Unheard"];

let refs = 0;

/** Lines with one name that is known, and with new ones of which each is another. */
function lines(known: number, fresh = 0, changes: Parameters<typeof sighting>[1] = {}): Line[] {
  return Array.from({ length: known + fresh }, (_, at) => {
    refs += 1;
    return sighting(`line ${refs}`, { name: at < known ? OLD : `${NEW} ${letters(refs)}`, ...changes });
  });
}

function letters(number: number): string {
  return [...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("");
}

/** Judges the lines of the present day, takes in what may, and goes on to the next. Returns what was held back. */
async function night(it: TestLedger, strictness: Strictness = "normal") {
  const held = judgeBatches(it.ledger, strictness, utcDayStart(it.clock.time));
  await it.takeIn();
  it.ledger.seal({ now: true });
  it.clock.time += DAY_MS;
  return held.map(({ name, findings }) => [name, ...findings]);
}

/** A city whose source was approved with a few nice lines, and delivered for some nights. */
async function served(nights: number): Promise<TestLedger> {
  const it = testLedger();
  await it.accept(lines(5));
  approve(it.ledger, ["b1"]);
  await night(it);
  for (let passed = 1; passed < nights; passed += 1) {
    await it.accept(lines(20, 10));
    expect(await night(it)).toEqual([]);
  }
  return it;
}

describe("a source's first delivery for a city", () => {
  test("is held back with that as its reason, and every later one is not", async () => {
    using it = testLedger();
    await it.accept(lines(3));
    expect(awaitedApprovals(it.ledger, "b1", "normal")).toEqual([FIRST]);
    expect(await night(it)).toEqual([["b1", FIRST]]);
    approve(it.ledger, ["b1"]);
    expect(await night(it)).toEqual([]);
    await it.accept(lines(3));
    expect(awaitedApprovals(it.ledger, "b2", "normal")).toEqual([]);
    expect(await night(it)).toEqual([]);
    expect(it.rows("observation")).toHaveLength(6);
  });

  test("may be approved before the night, and its lines stay those of their day", async () => {
    using it = testLedger();
    await it.accept(lines(3));
    approve(it.ledger, ["b1"]);
    expect(awaitedApprovals(it.ledger, "b1", "normal")).toEqual([]);
    expect(() => approve(it.ledger, ["b1"])).toThrow("batch b1 is approved: nothing to approve");
    expect(await night(it)).toEqual([]);
    const days = it.rows("observation").map(({ body }) => body["accepted_at"]);
    expect(new Set(days)).toEqual(new Set(["2026-05-10T00:00:00Z"]));
    expect(() => approve(it.ledger, ["b1"])).toThrow("batch b1 is taken_in");
  });

  test("several files of it are approved together, or none of them", async () => {
    using it = testLedger();
    await it.accept(lines(3));
    await it.accept(lines(3));
    await it.accept([]);
    expect(() => approve(it.ledger, ["b1", "b2", "b3"])).toThrow("batch b3 is empty");
    expect(await night(it)).toEqual([
      ["b1", FIRST],
      ["b2", FIRST],
    ]);
    approve(it.ledger, ["b1", "b2"]);
    expect(await night(it)).toEqual([]);
    expect(it.rows("observation")).toHaveLength(6);
  });

  test("is each source's own, and lines without a source are one of their type", async () => {
    using it = await served(1);
    register(it, "walkers");
    await it.accept([...lines(1, 0, { source: "walkers" }), ...lines(2, 0, { source: null }), ...lines(1)]);
    expect(await night(it)).toEqual([
      ["b2", "first delivery of built-in scout for avalon", "first delivery of walkers for avalon"],
    ]);
  });

  test("comes again when it was taken back", async () => {
    using it = await served(1);
    undo(it.ledger, planUndo(it.ledger, "b1"));
    await it.accept(lines(1));
    expect(await night(it)).toEqual([["b2", FIRST]]);
  });

  test("and everything else passes with STRICTNESS=off and in a demonstration, and is known later", async () => {
    using real = testLedger();
    await real.accept(lines(1, 99));
    expect(awaitedApprovals(real.ledger, "b1", "off")).toEqual([]);
    expect(await night(real, "off")).toEqual([]);
    await real.accept(lines(3));
    expect(await night(real)).toEqual([]);
    using demonstration = testLedger();
    await demonstration.accept(lines(1, 99), { synthetic: true });
    expect(awaitedApprovals(demonstration.ledger, "b1", "strict")).toEqual([]);
    expect(await night(demonstration, "strict")).toEqual([]);
  });
});

describe("after a small and nice first delivery", () => {
  const nonsense = (share = "100.0 %") => [
    `${share} of the lines of scout for avalon have names that no night before had: the bound is 95.0 %`,
  ];

  test.for([1, 10])("a file of 233 nonsense names is held back after %i nights", async (count) => {
    using it = await served(count);
    await it.accept(lines(0, 233));
    await it.accept(lines(60, 30));
    expect(await night(it)).toEqual([[`b${count + 1}`, ...nonsense()]]);
  });

  test("it is held back in pieces, of one night or several", async () => {
    using it = await served(2);
    for (let piece = 0; piece < 3; piece += 1) await it.accept(lines(0, 49));
    expect((await night(it)).map(([name]) => name)).toEqual(["b4", "b5"]);
    using slow = await served(1);
    const held: string[][] = [];
    for (let day = 0; day < 6; day += 1) {
      await slow.accept(lines(0, 30));
      held.push(...(await night(slow)));
    }
    expect(held.map(([name]) => name)).toEqual(["b3", "b4", "b5", "b6", "b7"]);
  });

  test("it is held back when its file is cut off, which leaves nothing uncounted", async () => {
    using it = await served(1);
    async function* cut() {
      yield Buffer.from(
        lines(0, 60, { lat: 40.03 })
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(""),
      );
      throw new Error("the disk went away");
    }
    await expect(it.accept([], { source: cut() })).rejects.toThrow("truncated or damaged");
    expect(await night(it)).toEqual([
      [
        "b2",
        ...nonsense(),
        "100.0 % of the lines of scout for avalon are in map cells that no night before had: the bound is 95.0 %",
      ],
    ]);
  });

  test("and rejected lines are counted, but not those that an opt-out refuses", async () => {
    using it = await served(1);
    await it.accept([...lines(60), ...new Array(60).fill("{")]);
    expect(await night(it)).toEqual([["b2", "50.0 % of the lines were rejected: the bound is 40.0 %"]]);
  });
});

describe("bounds", () => {
  const NONE = { lines: 0, newNames: 0, newCells: 0 };

  function judged(changes: Partial<Judged>): Judged {
    return {
      ...{ source: "fleet", city: "ghent", sender: "individual", cityAge: "grown" },
      ...{ lines: 100, newNames: 0, newCells: 0, today: NONE, before: [] },
      ...changes,
    };
  }

  const found = (changes: Partial<Judged>, strictness: "normal" | "strict" = "normal") =>
    outsideBounds(judged(changes), RULES[strictness]);

  test("lines of a source for a city are added up over the day", () => {
    expect(found({ lines: 50_000 })).toEqual([]);
    const today = { ...NONE, lines: 49_999 };
    expect(found({ lines: 2, today })).toEqual([
      "50,001 lines of fleet for ghent in a day: the bound is 50,000",
    ]);
    expect(found({ lines: 2, today }, "strict")).toEqual([
      "50,001 lines of fleet for ghent in a day: the bound is 10,000",
    ]);
    expect(found({ lines: 2, before: [today] })).toEqual([]);
  });

  test("shares need enough lines, and take those of the days before where a day has too few", () => {
    expect(found({ lines: 49, newNames: 49 })).toEqual([]);
    expect(found({ lines: 49, newNames: 49, today: { ...NONE, lines: 1, newNames: 1 } })).toHaveLength(1);
    const before = [
      { ...NONE, lines: 1, newNames: 1 },
      { ...NONE, lines: 5000 }, // is not reached
    ];
    expect(found({ lines: 49, newNames: 49, before })).toHaveLength(1);
    expect(found({ lines: 49, newNames: 49, before: before.slice(1) })).toEqual([]);
    const wild = [{ ...NONE, lines: 500, newNames: 500 }];
    expect(found({ lines: 49, newNames: 9, before: wild })).toEqual([]); // it is nice itself
    expect(found({ lines: 50, newNames: 50, today: { ...NONE, lines: 5000 } })).toHaveLength(1); // nothing hides it
  });

  test("depend on the sender and on the age of the city", () => {
    const fresh = { newNames: 85, newCells: 70 };
    expect(found(fresh)).toHaveLength(2);
    expect(found({ ...fresh, sender: "collective" })).toHaveLength(2);
    expect(found({ ...fresh, sender: "new" })).toEqual([]);
    expect(found({ ...fresh, cityAge: "young" })).toEqual([]);
  });

  test("a source grows up after 28 days, and one that is not registered never does", async () => {
    using it = await served(1);
    await it.accept(lines(5, 0, { source: null }));
    approve(it.ledger, ["b2"]);
    await night(it);
    it.clock.time = NOW + 28 * DAY_MS;
    await it.accept(lines(15, 85));
    await it.accept(lines(15, 85, { source: null }));
    expect(await night(it)).toEqual([
      [
        "b3",
        "85.0 % of the lines of scout for avalon have names that no night before had: the bound is 80.0 %",
      ],
    ]);
  });

  test("strict ones are at most the normal ones, and no row of names or cells lets everything pass", () => {
    for (const age of ["young", "grown"] as const)
      for (const sender of ["new", "individual", "collective"] as const) {
        const [normal, strict] = [RULES.normal.bounds[age][sender], RULES.strict.bounds[age][sender]];
        for (const what of ["lines", "rejected", "newNames", "newCells"] as const)
          expect(strict[what], `${age} ${sender} ${what}`).toBeLessThan(normal[what]);
        expect(Math.max(normal.newNames, normal.newCells)).toBeLessThan(1);
      }
    expect(Object.keys(RULES).toSorted()).toEqual(
      Strictness.options.filter((name) => name !== "off").toSorted(),
    );
  });
});
