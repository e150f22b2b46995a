import type { ScoreComponents } from "../../contract/records/entity.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { number, percent, score } from "../../render/words/format.ts";
import { SCORE_PART_MEANINGS, SCORE_PART_WORDS } from "../../render/words/words.ts";
import { textWidth, wrapped } from "../labels.ts";
import { drawing, type Frame, type NoPicture, type Picture, WIDTH } from "../picture.ts";

/** A bar with its name and number above it. Lengths are shares of the whole width. */
export interface Bar {
  readonly name: string;
  readonly value: string;
  readonly length: number;
  /** Maximum length, drawn as an empty bar around it. */
  readonly track?: number;
}

// The largest type on a phone determines the room for text; see site/styles/pictures.css.
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

interface BarChartFacts {
  readonly id: string;
  readonly title: string; // description of the bars, without a full stop
  readonly unit: string; // column head of the values: `Observations`
  readonly rows: readonly BarRow[];
  /** Value of the whole width, such as 100 % for shares. Default: the largest value. */
  readonly whole?: number;
}

interface BarRow {
  readonly label: string;
  readonly value: number; // 0 or more
  readonly note?: string; // for the table
}

/** Draws horizontal bars from 0, in input order. Throws RangeError for an invalid length. */
export function barChart({ id, title, unit, rows, whole }: BarChartFacts): Picture | NoPicture {
  const wrong = rows.find(({ value }) => !(value >= 0 && value <= (whole ?? Number.MAX_VALUE)));
  if (wrong !== undefined) throw new RangeError(`${wrong.label}: ${wrong.value} cannot be drawn as a bar`);
  if (rows.length === 0) return { sentence: `${title}: no data.` };
  const full = whole ?? Math.max(...rows.map(({ value }) => value));
  const svg = bars(
    { id, title, description: `Horizontal bars from 0, ${unit}. The whole width stands for ${shown(full)}.` },
    rows.map(({ label, value }) => ({
      name: label,
      value: shown(value),
      length: full === 0 ? 0 : value / full,
      ...(whole === undefined ? {} : { track: 1 }),
    })),
  );
  return { svg, caption: `${title} (${unit}).`, legend: [], table: barTable(title, unit, rows) };
}

function barTable(title: string, unit: string, rows: readonly BarRow[]) {
  const hasNotes = rows.some(({ note }) => note !== undefined);
  const head = ["What", unit];
  return {
    caption: title,
    head: hasNotes ? [...head, "Note"] : head,
    rows: rows.map(({ label, value, note }) => (hasNotes ? [label, value, note ?? ""] : [label, value])),
  };
}

function shown(value: number): string {
  return Number.isInteger(value)
    ? number(value)
    : value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

interface ComponentBarsFacts {
  readonly id: string;
  readonly name: string;
  readonly components: Pick<ScoreComponents, "raw_score" | "parts">;
}

type Part = ScoreComponents["parts"][number];

/** Components of a raw score. All bars share one scale, so filled lengths sum to the score and outlines to 100. */
export function componentBars({ id, name, components }: ComponentBarsFacts): Picture | NoPicture {
  const { raw_score, parts } = components;
  const widest = Math.max(...parts.map(({ weight }) => weight));
  if (parts.length === 0 || widest === 0) return { sentence: `The score of ${name} has no components.` };
  const caption = `The raw score of ${name} is ${score(raw_score)} of 100 points, the sum of ${parts.length} components.`;
  const svg = bars(
    {
      id,
      title: `Components of the raw score of ${name}`,
      description: `Horizontal bars in points. Each outline shows the maximum points. ${caption}`,
    },
    parts.map((part) => ({
      name: SCORE_PART_WORDS[part.key],
      value: `${part.points.toFixed(1)} of ${(100 * part.weight).toFixed(0)}`,
      length: part.points / (100 * widest),
      track: part.weight / widest,
    })),
  );
  return { svg, caption, legend: [], table: componentTable(name, parts) };
}

function componentTable(name: string, parts: readonly Part[]) {
  return {
    caption: `Components of the raw score of ${name}: points are 100 × weight × value`,
    head: ["Part", "Meaning", "Value (0 to 1)", "Weight", "Points"],
    rows: parts.map(({ key, value, weight, points }) => [
      SCORE_PART_WORDS[key],
      SCORE_PART_MEANINGS[key],
      value.toFixed(3),
      percent(weight),
      score(points),
    ]),
  };
}
