import { describe, expect, test } from "vitest";
import { NOW, sighting, type TestLedger, testLedger } from "../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { nights, register, seen } from "../../tests/support/ledger/source-ledger.ts";
import { DAY_MS, isoDate, isoTime, utcDayStart } from "../kernel/time.ts";
import {
  approve,
  BATCH_DAYS,
  batchState,
  forgetOldBatches,
  knownBatch,
  OUTCOME_BOUNDS,
  shortfall,
} from "./batches.ts";
import { judgeBatches } from "./brake.ts";
import type { IngestSummary } from "./ingest.ts";
import { planUndo, undo } from "./undo.ts";

describe("batches", () => {
  const TODAY = utcDayStart(NOW);

  function stateOf({ ledger }: TestLedger, name: string): string {
    return batchState(knownBatch(ledger.batches, name), ledger.batches.left(name));
  }

  function lines(count: number, prefix: string): ReturnType<typeof sighting>[] {
    return Array.from({ length: count }, (_, at) => sighting(`${prefix}-${at}`));
  }

  /** A batch of unknown names beside one whose names are known. */
  async function wildAndTame(it: TestLedger): Promise<void> {
    await it.accept([sighting("first")]);
    approve(it.ledger, ["b1"]);
    await it.takeIn();
    it.clock.time += DAY_MS;
    await it.accept(lines(100, "tame"));
    await it.accept(
      lines(100, "wild").map((line, at) => ({ ...line, name: `Unheard ${"x".repeat(1 + (at % 9))}` })),
    );
  }

  describe("every file is a batch", () => {
    test("with a name, a report and an end", async () => {
      using it = testLedger();
      await it.accept(
        [sighting("a"), sighting("b", { source: null }), sighting("c", { lat: 1 }), "{", sighting("a")],
        { name: "visits.ndjson" },
      );
      expect(it.ledger.batches.find("b1")).toEqual({
        name: "b1",
        file: "visits.ndjson",
        startedAt: NOW,
        endedAt: NOW,
        read: 5,
        accepted: 2,
        looks: 0,
        known: 1,
        rejected: 2,
        rejectedByReason: { invalid_json: 1, outside_registered_cities: 1 },
        newNames: 2,
        newCells: 2,
        decision: null,
        decidedAt: null,
        findings: [],
      });
      expect(stateOf(it, "b1")).toBe("pending");
      await it.takeIn();
      expect(stateOf(it, "b1")).toBe("taken_in");
      expect(it.ledger.batches.rowsOf("b1")).toEqual(it.rows("observation").map(({ id }) => id));
    });

    test("an empty one, and one that was cut off", async () => {
      using it = testLedger();
      expect(await it.accept([], { name: "empty" })).toMatchObject({ batch: "b1", read: 0 });
      expect(stateOf(it, "b1")).toBe("empty");
      async function* cut() {
        yield Buffer.from(`${JSON.stringify(sighting("a"))}\n`);
        throw new Error("the disk went away");
      }
      await expect(it.accept([], { name: "cut", source: cut() })).rejects.toThrow("truncated or damaged");
      expect(it.ledger.batches.find("b2")).toMatchObject({ endedAt: null, accepted: 1 });
      const rest = await it.accept([sighting("a"), sighting("b")], { name: "cut" });
      expect(rest).toMatchObject({ isContinued: true, known: 1, accepted: 1 });
      expect(it.ledger.batches.find("b2")).toMatchObject({ endedAt: NOW });
      expect(await it.accept([sighting("a")], { name: "cut" })).toMatchObject({ isContinued: false });
    });

    test("names and cells of the nights before are not new", async () => {
      using it = testLedger();
      await it.ingest([sighting("a")]);
      await it.accept([sighting("b"), sighting("c", { name: "Quiet Corner", lat: 40.03 })]);
      expect(it.ledger.batches.find("b2")).toMatchObject({ accepted: 2, newNames: 1, newCells: 1 });
    });

    test("is forgotten after its time, with what rows it had", async () => {
      using it = testLedger();
      await it.ingest([sighting("a")]);
      await it.accept([sighting("b", { name: "Restaurant" })]);
      it.clock.time += (BATCH_DAYS + 1) * DAY_MS;
      forgetOldBatches(it.ledger);
      expect(it.ledger.batches.list(9).map(({ name }) => name)).toEqual(["b2"]); // its line still waits
      expect(rawLedger(it.ledger).prepare("SELECT * FROM batch_rows").all()).toEqual([]);
    });
  });

  describe("the brake", () => {
    test("holds a batch outside the bounds back as a whole, and the rest is taken in", async () => {
      using it = testLedger();
      await wildAndTame(it);
      const [held] = judgeBatches(it.ledger, "normal", TODAY + DAY_MS);
      expect(held).toMatchObject({
        name: "b3",
        findings: [
          "100.0 % of the lines of scout for avalon have names that no night before had: the bound is 95.0 %",
        ],
      });
      expect(judgeBatches(it.ledger, "normal", TODAY + DAY_MS)).toEqual([]); // once
      expect(await it.takeIn()).toMatchObject({ lines: 100 });
      expect(stateOf(it, "b2")).toBe("taken_in");
      expect(stateOf(it, "b3")).toBe("held_back");
      expect(it.ledger.pending.counts()).toMatchObject({ waiting: 0, oldestDay: null });
      expect(it.ledger.batches.heldBack()).toEqual(["b3"]);
    });

    test("an approved batch is dated the day of its approval, after the rows in between", async () => {
      using it = testLedger();
      await wildAndTame(it);
      judgeBatches(it.ledger, "normal", TODAY + DAY_MS);
      it.clock.time += 2 * DAY_MS;
      await it.takeIn({ now: false });
      it.ledger.seal({ now: false });
      await it.accept([sighting("same day")]);
      approve(it.ledger, ["b3"]);
      expect(stateOf(it, "b3")).toBe("approved");
      expect(() => approve(it.ledger, ["b3"])).toThrow("batch b3 is approved: nothing to approve");
      it.clock.time += DAY_MS;
      expect(judgeBatches(it.ledger, "normal", TODAY + 3 * DAY_MS)).toEqual([]);
      expect(await it.takeIn({ now: false })).toMatchObject({ days: 1, lines: 101 });
      const dates = it.rows("observation").map(({ body }) => body["accepted_at"]);
      expect(dates.slice(-101)).toEqual(new Array(101).fill(isoTime(TODAY + 3 * DAY_MS)));
      expect(dates).toEqual([...dates].sort());
      it.ledger.seal({ now: false });
    });

    test("a line of it that a reviewer holds, and one of it that is deleted, stay so", async () => {
      using it = testLedger();
      await wildAndTame(it);
      const line = it.ledger.pending.find("b3", 1);
      const gone = it.ledger.pending.find("b3", 2);
      it.ledger.transaction(() => {
        it.ledger.pending.holdAgain([{ id: line?.id ?? 0, reason: "near_opt_out" }], it.ledger.now());
      });
      judgeBatches(it.ledger, "normal", TODAY + DAY_MS);
      it.ledger.transaction(() => it.ledger.pending.erase([gone?.id ?? 0], it.ledger.now()));
      expect(it.ledger.batches.left("b3")).toEqual({ waiting: 0, held: 1, heldBack: 98, rows: 0 });
      approve(it.ledger, ["b3"]);
      expect(it.ledger.batches.left("b3")).toMatchObject({ waiting: 98, held: 1 });
      expect(it.ledger.pending.counts()).toMatchObject({ waiting: 198, held: 1 });
    });
  });

  describe("undo", () => {
    test("before its rows: the whole batch leaves, and the same lines may come again", async () => {
      using it = testLedger();
      const good = [sighting("a"), sighting("b", { name: "Restaurant" })];
      await it.accept([sighting("other")]);
      await it.accept(good);
      undo(it.ledger, planUndo(it.ledger, "b2"));
      expect(stateOf(it, "b2")).toBe("undone");
      expect(it.ledger.pending.counts().waiting).toBe(1);
      expect(() => planUndo(it.ledger, "b2")).toThrow("already undone");
      expect(() => planUndo(it.ledger, "b9")).toThrow("no batch b9");
      expect(() => planUndo(it.ledger, "b1; DROP TABLE batches")).toThrow("no batch");
      expect(await it.accept(good.map((line) => ({ ...line, phone: "+1 416 555 0100" })))).toMatchObject({
        accepted: 2,
        rejected: 0,
      });
    });

    test("of a batch that was held back", async () => {
      using it = testLedger();
      await wildAndTame(it);
      judgeBatches(it.ledger, "normal", TODAY + DAY_MS);
      undo(it.ledger, planUndo(it.ledger, "b3"));
      expect(it.ledger.batches.heldBack()).toEqual([]);
      expect(await it.takeIn()).toMatchObject({ lines: 100 });
      expect(it.ledger.pending.counts()).toMatchObject({ waiting: 0, held: 0 });
    });

    test("of rows: all stop counting at once under one code, and no night brings them back", async () => {
      using it = testLedger();
      register(it, "scouts", { vetting: "collective" });
      await it.ingest([seen("scouts", "ann"), seen("scouts", "bob", { day: 1 })]);
      it.ledger.seal({ now: true });
      it.clock.time += DAY_MS;
      await it.ingest([seen("scouts", "cyd", { day: 2 }), seen("scouts", "dan", { record: 1 })]);
      it.ledger.seal({ now: true });
      it.clock.time += DAY_MS;
      const plan = planUndo(it.ledger, "b2");
      expect(plan).toMatchObject({ rows: { length: 2 }, counting: { length: 2 }, records: 2, observers: 2 });
      undo(it.ledger, plan);
      const stopped = [
        { code: "batch_undone", counts: false },
        { code: "batch_undone", counts: false },
      ];
      expect(it.rows("recount").map(({ body: { target: _, ...body } }) => body)).toEqual(stopped);
      expect(it.rows("recount").map(({ body }) => body["target"])).toEqual(it.ledger.batches.rowsOf("b2"));
      const { seals } = it.ledger.seal({ now: false }); // dated the last finished day
      expect(seals.map(({ date }) => date)).toEqual([isoDate(TODAY + DAY_MS)]);
      nights(it, 20);
      expect(it.rows("recount")).toHaveLength(2);
      expect(stateOf(it, "b2")).toBe("undone");
    });

    test("knows how often a reader is right who takes the batch for one observer's", async () => {
      using it = testLedger();
      register(it, "scouts", { vetting: "collective" });
      const day = (observer: string, at: number) => seen("scouts", observer, { record: at });
      await it.ingest([day("ann", 0), day("ann", 1), day("ann", 2), day("bob", 3)]);
      expect(planUndo(it.ledger, "b1")).toMatchObject({ observers: 2, oneObserver: 0.5 });
      const plan = planUndo(it.ledger, "b1");
      it.ledger.seal({ now: true });
      expect(planUndo(it.ledger, "b1").code).not.toBe(plan.code);
    });
  });
});

describe("outcome", () => {
  function summary(changes: Partial<IngestSummary>): IngestSummary {
    const none = { read: 0, accepted: 0, looks: 0, known: 0, rejected: 0 };
    return {
      ...none,
      withoutSource: 0,
      newNames: 0,
      newCells: 0,
      unknownCategories: [],
      rejectedByReason: {},
      batch: "b7",
      isContinued: false,
      ...changes,
    };
  }

  test.for<[string, Partial<IngestSummary>, string | undefined]>([
    ["an empty file", {}, "the file is empty"],
    ["nothing came in", { read: 15, rejected: 15 }, "nothing came in: all 15 lines were rejected"],
    [
      "too little came in",
      { read: 100, accepted: 49, rejected: 51 },
      "51 of 100 lines were rejected, more than --max-rejected 0.5 allows; what was accepted waits as batch b7",
    ],
    ["enough came in", { read: 100, accepted: 50, rejected: 50 }, undefined],
    ["all of it opted out", { read: 9, rejected: 9, rejectedByReason: { opted_out: 9 } }, undefined],
    ["all known", { read: 100, known: 100 }, undefined],
    ["a file with rejected lines again", { read: 100, known: 90, rejected: 10 }, undefined],
    [
      "too little is new",
      { read: 100, accepted: 9, known: 91 },
      "91 of 100 lines were already known, more than --max-known 0.9 allows for a file with new lines; what was accepted waits as batch b7",
    ],
    [
      "the rest of a run that was cut off",
      { read: 100, accepted: 9, known: 91, isContinued: true },
      undefined,
    ],
    ["looks alone", { read: 3, looks: 3 }, undefined],
  ])("%s", ([, changes, said]) => {
    expect(shortfall(summary(changes), OUTCOME_BOUNDS)).toBe(said);
  });

  test("the bounds are options", () => {
    const bad = summary({ read: 100, accepted: 1, rejected: 99 });
    expect(shortfall(bad, { maxRejected: 1, maxKnown: 1 })).toBeUndefined();
    expect(
      shortfall(summary({ read: 100, accepted: 99, rejected: 1 }), { maxRejected: 0, maxKnown: 1 }),
    ).toContain("--max-rejected 0 allows");
  });
});
