import { gridDisk, gridRing, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { Anchors, BUILT_IN, CONFIRMED, type Level, NOWHERE, refKey, TAUGHT, UNTAUGHT } from "./anchors.ts";

const CELL = latLngToCell(40, -75, 11);
const NEXT = gridRing(CELL, 1)[0] ?? "";
const SECOND = gridRing(CELL, 2);

function anchors(...known: readonly (readonly [key: string, id: number, level?: Level])[]): Anchors {
  const made = new Anchors();
  for (const [key, id, level = TAUGHT] of known) made.add(key, { id, row: id, level });
  return made;
}

test("a place is its cell and the ring around it, and no more", () => {
  const one = anchors([CELL, 5]);
  for (const cell of gridDisk(CELL, 1)) expect(one.at(cell)).toBe(5);
  for (const cell of SECOND) expect(one.at(cell)).toBeUndefined();
});

function seenBy(principal: string, level: Level = TAUGHT): Anchors {
  const made = new Anchors();
  made.add(CELL, { id: 5, row: 5, level, principal });
  return made;
}

test("what a registered source taught reaches a second ring for others, where nothing is nearer", () => {
  const [far = ""] = SECOND;
  const bob = { principal: "bob" };
  const ann = seenBy("ann");
  for (const cell of SECOND)
    expect([ann.at(cell, bob), ann.at(cell, { principal: "ann" })]).toEqual([5, undefined]);
  for (const cell of gridRing(CELL, 3)) expect(ann.at(cell, bob)).toBeUndefined();
  for (const level of [UNTAUGHT, BUILT_IN] as const)
    expect(seenBy("ann", level).at(far, bob)).toBeUndefined();
  ann.add(gridRing(far, 1).find((cell) => cell !== CELL) ?? "", {
    id: 7,
    row: 7,
    level: TAUGHT,
    principal: "cyd",
  });
  expect(ann.at(far, bob)).toBe(7);
});

test("the branches of a brand are told apart once two observers saw one of them", () => {
  const branch = { principal: "bob", brand: true };
  expect(seenBy("ann").at(SECOND[0] ?? "", branch)).toBe(5);
  expect(seenBy("ann", CONFIRMED).at(SECOND[0] ?? "", branch)).toBeUndefined();
});

test("a second principal within two cells confirms a thing, whose places then cover what they reach", () => {
  const [far = ""] = SECOND;
  const one = seenBy("ann");
  expect([one.confirm(5, far, "ann"), one.covers(5, far)]).toEqual([[], false]);
  expect([one.confirm(5, far, "bob"), one.covers(5, far)]).toEqual([[CELL], true]);
  expect(one.confirm(5, far, "cyd")).toEqual([]);
});

test("the own cell counts before a ring, and the earliest row among rings", () => {
  expect(anchors([CELL, 3], [NEXT, 4]).at(NEXT)).toBe(4);
  const between = gridRing(CELL, 1).find((cell) => gridDisk(cell, 1).includes(SECOND[0] ?? "")) ?? "";
  expect(anchors([SECOND[0] ?? "", 2], [CELL, 9]).at(between)).toBe(2);
});

test("what registered sources taught counts before built-in ones, and these before the rest, even at its own cell", () => {
  const mixed = anchors([CELL, 1, UNTAUGHT], [CELL, 3, BUILT_IN], [NEXT, 4]);
  expect([mixed.at(CELL), mixed.among(CELL, BUILT_IN), mixed.among(CELL, UNTAUGHT)]).toEqual([4, 3, 1]);
  expect([mixed.all(TAUGHT), mixed.all(UNTAUGHT), mixed.allAt(CELL, BUILT_IN)]).toEqual([[4], [1], [3]]);
  mixed.remove(4);
  expect(mixed.at(CELL)).toBe(3);
});

test("a thing that is removed leaves its places to the others", () => {
  const left = anchors([CELL, 1, UNTAUGHT], [NEXT, 2, UNTAUGHT]);
  left.remove(1);
  expect([left.at(CELL), left.covers(1, CELL), left.of(1)]).toEqual([2, false, undefined]);
});

test("references and nowhere have no ring and meet only themselves", () => {
  const mobile = anchors([refKey("ab".repeat(32)), 1], [NOWHERE, 2]);
  expect([
    mobile.at(refKey("ab".repeat(32))),
    mobile.at(refKey("cd".repeat(32))),
    mobile.at(NOWHERE),
  ]).toEqual([1, undefined, 2]);
});
