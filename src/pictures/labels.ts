import type { Point } from "./maps/outline.ts";

/** Font metrics for setting a line of text: available characters and their widths. */
export interface Font {
  covers(text: string): boolean;
  /** Width of the text at a size. Ignores kerning and ligatures, so it may be slightly too large. */
  width(text: string, size: number): number;
}

/** Reads a TrueType font (ISO/IEC 14496-22). Throws Error when a required table is missing. */
export function readFont(bytes: Uint8Array): Font {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = readTables(data);
  const glyphs = readGlyphs(data, tables("cmap"));
  const unitsPerEm = data.getUint16(tables("head") + 18);
  const metrics = data.getUint16(tables("hhea") + 34);
  const advances = tables("hmtx");
  const advance = (glyph: number) => data.getUint16(advances + 4 * Math.min(glyph, metrics - 1));
  return {
    covers: (text) => [...text].every((character) => glyphs(character) > 0),
    width: (text, size) =>
      [...text].reduce((sum, character) => sum + advance(glyphs(character)), 0) * (size / unitsPerEm),
  };
}

function readTables(data: DataView): (name: string) => number {
  const offsets = new Map<string, number>();
  for (let at = 12; at < 12 + 16 * data.getUint16(4); at += 16) {
    const name = String.fromCharCode(...[0, 1, 2, 3].map((byte) => data.getUint8(at + byte)));
    offsets.set(name, data.getUint32(at + 8));
  }
  return (name) => {
    const offset = offsets.get(name);
    if (offset === undefined) throw new Error(`the font has no table ${name}`);
    return offset;
  };
}

/** Returns the glyph of a character from a format 12 subtable; 0 when the font has none. */
function readGlyphs(data: DataView, cmap: number): (character: string) => number {
  const subtables = Array.from(
    { length: data.getUint16(cmap + 2) },
    (_, at) => cmap + data.getUint32(cmap + 4 + 8 * at + 4),
  );
  const subtable = subtables.find((offset) => data.getUint16(offset) === 12);
  if (subtable === undefined) throw new Error("the font has no character table of format 12");
  const groups = Array.from({ length: data.getUint32(subtable + 12) }, (_, at) => {
    const group = subtable + 16 + 12 * at;
    return {
      from: data.getUint32(group),
      to: data.getUint32(group + 4),
      glyph: data.getUint32(group + 8),
    };
  });
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    const group = groups.find(({ from, to }) => from <= code && code <= to);
    return group === undefined ? 0 : group.glyph + code - group.from;
  };
}

/** Estimates the width of a text without a font, in em; errs on the large side. */

const NARROW = 0.53;
const WIDE = 1;

// Hangul, kana, Chinese characters, full-width forms, emoji.
const WIDE_CHARACTER =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f000}-\u{3fffd}]/u;

export function textWidth(text: string, size: number): number {
  return [...text].reduce((width, character) => width + characterWidth(character), 0) * size;
}

function characterWidth(character: string): number {
  if (/\p{Mn}/u.test(character)) return 0;
  return WIDE_CHARACTER.test(character) ? WIDE : NARROW;
}

/** Wraps text into at most `maxLines` lines of a width, preferably between words; `…` marks omissions. */
export function wrapped(text: string, maxLines: number, fits: (line: string) => boolean): readonly string[] {
  const lines: string[] = [];
  let rest = text.trim().replace(/\s+/g, " ");
  while (rest !== "" && lines.length < maxLines) {
    const isLast = lines.length === maxLines - 1;
    const line = fits(rest) ? rest : firstLine(rest, isLast, fits);
    lines.push(isLast && line !== rest ? `${line.trimEnd()}…` : line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

function firstLine(text: string, isLast: boolean, fits: (line: string) => boolean): string {
  const characters = [...new Intl.Segmenter("en").segment(text.slice(0, 400))].map(({ segment }) => segment);
  const end = isLast ? "…" : "";
  let line = characters[0] ?? "";
  for (const character of characters.slice(1)) {
    if (!fits(line + character + end)) break;
    line += character;
  }
  const space = line.lastIndexOf(" ");
  const isWordCut = text[line.length] !== " " && text[line.length] !== undefined;
  return isWordCut && space > line.length / 2 ? line.slice(0, space) : line;
}

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
