import { expect, test } from "vitest";
import { Comparison } from "./comparison.ts";

function compared(published: unknown, replayed: unknown): Comparison {
  const comparison = new Comparison();
  comparison.json("x.json", published, replayed);
  return comparison;
}

test("equal documents are counted value by value, under what each is about", () => {
  const document = {
    pps: 71.5,
    ranking_gate: { status: "eligible", met: true },
    assets: [],
    list: [{ rank: 1 }, {}],
  };
  const { differences, numbers, topics } = compared(document, structuredClone(document));
  expect(differences).toEqual([]);
  expect(numbers).toBe(2);
  expect(Object.fromEntries(topics)).toEqual({
    "cohort scores and percentiles": { values: 1, differ: 0 },
    gates: { values: 2, differ: 0 },
    "assets and their states": { values: 1, differ: 0 },
    ranks: { values: 1, differ: 0 },
    "other values": { values: 1, differ: 0 },
  });
});

test("equal texts count the same as their documents", () => {
  const document = {
    pps: 71.5,
    ranking_gate: { status: "eligible", met: true, list: [[1, { rank: 2, other: [] }]] },
    snapshot_id: "x",
    observations: [{ h3_cell: "a", source: "scout", next_cursor: null, constructor: 1 }],
    none: {},
  };
  const [texts, documents] = [new Comparison(), new Comparison()];
  const text = JSON.stringify(document);
  texts.jsonTexts("x.json", text, text);
  documents.json("x.json", document, structuredClone(document));
  expect(texts.counted()).toEqual(documents.counted());
  expect(texts.counted().numbers).toBe(4);
  texts.jsonTexts("x.json", text, text.replace("71.5", "71"));
  expect(texts.differences.map(({ value }) => value)).toEqual(["pps"]);
});

test("parts that were compared elsewhere add up, in the order of their names", () => {
  const [whole, part] = [new Comparison(), new Comparison()];
  part.json("x.json", { rank: 1, events: [1], demand: 1 }, { rank: 2, events: [1], demand: 2 });
  whole.add(part.counted());
  whole.add(part.counted());
  expect(whole.inOrder().counted()).toEqual({
    documents: 2,
    numbers: 4,
    topics: [
      ["events", { values: 2, differ: 0 }],
      ["ranks", { values: 2, differ: 2 }],
    ],
    notReplayable: [["demand", 2]],
  });
});

test.each([
  ["a number", { a: 1 }, { a: 2 }, "a"],
  ["a type", { a: 1 }, { a: "1" }, "a"],
  ["null for a number", { a: { b: null } }, { a: { b: 0 } }, "a.b"],
  ["a missing member", { a: 1, b: 2 }, { b: 2 }, "a"],
  ["a further member", { a: 1 }, { a: 1, b: 2 }, "b"],
  ["a shorter list", { a: [1, 2] }, { a: [1] }, "a.1"],
  ["an empty list for an object", { a: [] }, { a: {} }, "a"],
  ["an object for a number", { a: 1 }, { a: { b: 1 } }, "a"],
  ["a tier that scouts do not explain", { tier: "seed" }, { tier: "building" }, "tier"],
  ["words without a tier beside them", { message: "a" }, { message: "b" }, "message"],
])("%s that differs is named by its place", (_, published, replayed, value) => {
  expect(compared(published, replayed).differences.map((difference) => difference.value)).toEqual([value]);
});

test("what follows from private scouts is counted apart, and only that", () => {
  const published = {
    coverage: { tier: "dense", label: "Dense", tier_since: "2026-01-01", metrics: { cells: 4 } },
    dense_gate: { a: 1 },
  };
  const replayed = {
    coverage: { tier: "building", label: "Building", tier_since: "2026-02-01", metrics: { cells: 5 } },
    dense_gate: { a: 2 },
  };
  const { differences, notReplayable } = compared(published, replayed);
  expect(differences.map(({ value }) => value)).toEqual(["coverage.metrics.cells"]);
  expect(Object.fromEntries(notReplayable)).toEqual({ tier: 1, label: 1, tier_since: 1, dense_gate: 1 });
});

test("the status of a city's coverage is its tier, and its message goes with it", () => {
  const { differences, notReplayable } = compared(
    { status: "building", message: "Coverage: building (3 of 4). 417 of 914 cells." },
    { status: "dense", message: "Coverage: dense (4 of 4). 417 of 914 cells." },
  );
  expect(differences).toEqual([]);
  expect(Object.fromEntries(notReplayable)).toEqual({ status: 1, message: 1 });
});

test("texts are compared line by line", () => {
  const comparison = new Comparison();
  comparison.lines("x.csv", "aggregates", "a,1\nb,2\n", "a,1\nb,3\n");
  expect(comparison.differences).toEqual([
    { file: "x.csv", value: "line 2", published: "b,2", replayed: "b,3" },
  ]);
  expect(comparison.topics.get("aggregates")).toEqual({ values: 3, differ: 1 });
  expect(comparison.numbers).toBe(2);
});
