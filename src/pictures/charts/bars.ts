import { html, type SafeHtml } from "../../render/html.ts";
import { drawing, type Frame, WIDTH } from "../picture.ts";
import { textWidth, wrapped } from "../text-width.ts";

/** A bar with its name and number above it. Lengths are shares of the whole width. */
export interface Bar {
  readonly name: string;
  readonly value: string;
  readonly length: number;
  /** Maximum length, drawn as an empty bar around it. */
  readonly track?: number;
}

// The largest type on a phone determines the room for text; see styles/pictures.css.
const FONT = 28;
const LINE = 32;
const BAR = 20;
const GAP = 18;
const SIDE = 18;
const TOP = 10;
const MAX_LINES = 2;

type BarsFrame = Omit<Frame, "height" | "role" | "kind">;

/** Draws stacked horizontal bars. Names longer than two lines end in `…`; the table has the full names. */
export function bars(frame: BarsFrame, rows: readonly Bar[]): string {
  let y = TOP;
  const drawn = rows.map((row) => {
    const room = WIDTH - 2 * SIDE - textWidth(row.value, FONT) - FONT;
    const lines = wrapped(row.name, MAX_LINES, (line) => textWidth(line, FONT) <= room);
    const top = y;
    y += Math.max(lines.length, 1) * LINE + BAR + GAP;
    return bar(row, lines, top);
  });
  return drawing({ ...frame, height: Math.max(y, GAP), role: "img", kind: "chart" }, drawn);
}

function bar({ name, value, length, track }: Bar, lines: readonly string[], top: number): SafeHtml {
  const y = top + Math.max(lines.length, 1) * LINE + 4;
  const isCut = lines.join(" ") !== name;
  const baseline = y - 9;
  // Earlier lines are placed in units of letter height, so smaller letters are closer.
  const nameLines = lines.map((line, at) => {
    const up = lines.length - 1 - at;
    return html`<text class="label name" x="${SIDE}" y="${baseline}"${up > 0 && html` dy="-${up * 1.15}em"`}>${line}</text>`;
  });
  const number = html`<text class="label" x="${WIDTH - SIDE}" y="${baseline}" text-anchor="end">${value}</text>`;
  const outline = track !== undefined && html`<path class="track" d="${box(y, track)}"/>`;
  return html`<g>${isCut && html`<title>${name}</title>`}${nameLines}${number}${outline}<path class="bar" d="${box(y, length)}"/></g>`;
}

function box(y: number, length: number): string {
  const width = Math.round(length * (WIDTH - 2 * SIDE));
  return `M${SIDE} ${y}h${width}v${BAR}h${-width}z`;
}
