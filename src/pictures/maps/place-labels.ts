import { textWidth } from "../text-width.ts";
import type { Point } from "./outline.ts";

/** Position of a place's label: next to it where there is room, otherwise none. */
export interface Label {
  readonly at: Point;
  readonly anchor: "start" | "middle" | "end";
  readonly dy: "0" | ".35em" | ".75em"; // in em, so smaller letters are aligned, too
}

interface Room {
  readonly width: number;
  readonly height: number;
  readonly fontSize: number; // maximum font size
  readonly distance: number; // distance of the text from its place
}

interface Named {
  readonly name: string;
  readonly at: Point;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Returns a label for each place that fits and overlaps no place or earlier label; otherwise undefined. */
export function placeLabels(places: readonly Named[], room: Room): (Label | undefined)[] {
  const taken = places.map(({ at }) => boxAround(at, room.distance / 2));
  return places.map((place, own) => {
    const candidate = candidates(place, room).find(({ box }) => isFree(box, taken, own, room));
    if (candidate !== undefined) taken.push(candidate.box);
    return candidate?.label;
  });
}

function candidates({ name, at: [x, y] }: Named, { fontSize, distance }: Room) {
  const width = textWidth(name, fontSize);
  const label = (at: Point, anchor: Label["anchor"], dy: Label["dy"]) => ({
    label: { at, anchor, dy },
    box: labelBox([at[0], at[1] + EM[dy] * fontSize], anchor, width, fontSize),
  });
  return [
    label([x + distance, y], "start", ".35em"),
    label([x - distance, y], "end", ".35em"),
    label([x, y - distance], "middle", "0"),
    label([x, y + distance], "middle", ".75em"),
  ];
}

const EM = { "0": 0, ".35em": 0.35, ".75em": 0.75 } as const;

function labelBox([x, y]: Point, anchor: Label["anchor"], width: number, fontSize: number): Box {
  const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
  return { left, right: left + width, top: y - fontSize * 0.8, bottom: y + fontSize * 0.25 };
}

function boxAround([x, y]: Point, reach: number): Box {
  return { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach };
}

function isFree(box: Box, taken: readonly Box[], own: number, { width, height }: Room): boolean {
  if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height) return false;
  return taken.every((other, at) => at === own || !touch(box, other));
}

function touch(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
