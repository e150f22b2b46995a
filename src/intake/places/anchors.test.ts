import fc from "fast-check";
import { gridDisk, gridRing, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { Anchors, NOWHERE, refKey } from "./anchors.ts";

const CELL = latLngToCell(40, -75, 11);
const NEXT = gridRing(CELL, 1)[0] ?? "";
const SECOND = gridRing(CELL, 2);

function anchors(...known: readonly (readonly [string, number])[]): Anchors {
  const made = new Anchors();
  for (const [key, id] of known) made.add(key, id);
  return made;
}

test("a place is its cell and the ring around it, and no more", () => {
  const one = anchors([CELL, 5]);
  for (const cell of gridDisk(CELL, 1)) expect(one.at(cell)).toBe(5);
  for (const cell of SECOND) expect(one.at(cell)).toBeUndefined();
});

test("the own cell counts before a ring, and the lowest id among rings", () => {
  expect(anchors([CELL, 3], [NEXT, 4]).at(NEXT)).toBe(4);
  const between = gridRing(CELL, 1).find((cell) => gridDisk(cell, 1).includes(SECOND[0] ?? "")) ?? "";
  expect(anchors([CELL, 9], [SECOND[0] ?? "", 2]).at(between)).toBe(2);
});

test("references and nowhere have no ring and meet only themselves", () => {
  const mobile = anchors([refKey("ab".repeat(32)), 1], [NOWHERE, 2]);
  expect([
    mobile.at(refKey("ab".repeat(32))),
    mobile.at(refKey("cd".repeat(32))),
    mobile.at(NOWHERE),
  ]).toEqual([1, undefined, 2]);
});

test("the order in which things become known does not matter", () => {
  const entry = fc.tuple(fc.constantFrom(...gridDisk(CELL, 3), NOWHERE), fc.nat(5));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (known, noise) => {
      const shuffled = known.map((item) => [noise.next().value, item] as const).sort(([a], [b]) => a - b);
      const [one, other] = [anchors(...known), anchors(...shuffled.map(([, item]) => item))];
      for (const cell of gridDisk(CELL, 4)) expect(other.at(cell)).toBe(one.at(cell));
    }),
  );
});
