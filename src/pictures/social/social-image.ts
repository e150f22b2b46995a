import { cellToLatLng } from "h3-js";
import { html, type SafeHtml } from "../../render/html.ts";
import { number, utcDate } from "../../render/words/format.ts";
import { type Font, wrapped } from "../labels.ts";
import { CELL_CLASSES, type CellFacts, cellClass, hexagonShape } from "../maps/city-map.ts";
import { fitCells, type LocalMap, linePath, outlinePath, type Point } from "../maps/outline.ts";
import { LAND_STEPS, world } from "../maps/world-map.ts";
import { WIDTH } from "../picture.ts";

/** Paths of pictures for shared links in a release. */

export const SITE_IMAGE = "/pictures/site.png";

export function cityImagePath(slug: string): string {
  return `/pictures/city/${slug}.png`;
}

/** Frame of all pictures for shared links (Open Graph), with an embedded style sheet. */

export const SOCIAL_WIDTH = 1200;
export const SOCIAL_HEIGHT = 630;
export const LEFT = 70;
/** Boundary between the text on the left and the picture on the right. */
export const TEXT_WIDTH = 560;

export interface SocialFonts {
  readonly regular: Font;
  readonly bold: Font;
}

const STYLE = `
text{font-family:"DejaVu Sans";fill:#eef7f5}
.bold{font-weight:700}
.soft{fill:#a8c6c2}
.badge{fill:#f2c879}
.badge-box{fill:#3a2f12;stroke:#f2c879;stroke-width:2}
.ground{fill:#123538}
.unseen{fill:#1c454a}
.earlier{fill:#2f6668}
.few{fill:#4f9f9b}
.some{fill:#8fd3cc}
.many{fill:#f1fffc}
.land{fill:#1f4a4e}
.dot{fill:#8fd3cc}
`;

interface Words {
  readonly service: string;
  readonly title: string;
  readonly lines: readonly string[]; // below the title
  readonly figures: readonly { readonly value: string; readonly unit: string }[];
  readonly foot: string;
  readonly badge: string | undefined;
}

/** An SVG of 1200 by 630. The fonts must cover its text. */
export function socialImage(words: Words, picture: SafeHtml, fonts: SocialFonts): string {
  const title = fittedTitle(words.title, fonts.bold);
  const titleEnd = 190 + (title.lines.length - 1) * title.size * 1.12;
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SOCIAL_WIDTH} ${SOCIAL_HEIGHT}" width="${SOCIAL_WIDTH}" height="${SOCIAL_HEIGHT}"><style>${STYLE}</style>
    <rect width="${SOCIAL_WIDTH}" height="${SOCIAL_HEIGHT}" fill="#0b2a2d"/>${picture}
    ${logo()}<text class="bold" x="${LEFT + 52}" y="91" font-size="${SERVICE_SIZE}">${words.service}</text>
    ${title.lines.map(
      (line, at) =>
        html`<text class="bold" x="${LEFT}" y="${190 + Math.round(at * title.size * 1.12)}" font-size="${title.size}">${line}</text>`,
    )}
    ${words.lines.map(
      (line, at) =>
        html`<text class="soft" x="${LEFT}" y="${Math.round(titleEnd + 46 + at * 36)}" font-size="28">${line}</text>`,
    )}
    ${words.figures.map(({ value, unit }, at) => figure(value, unit, at))}
    <text class="soft" x="${LEFT}" y="576" font-size="22">${words.foot}</text>${words.badge !== undefined && badge(words.badge, fonts.bold)}</svg>`,
  );
}

function logo(): SafeHtml {
  return html`<g transform="translate(${LEFT} 60) scale(1.25)"><path fill="#79d2cc" d="M16 2 28.1 9v14L16 30 3.9 23V9z"/><circle cx="16" cy="16" r="6.5" fill="none" stroke="#0b2a2d" stroke-width="2.5"/><circle cx="16" cy="16" r="2.2" fill="#0b2a2d"/></g>`;
}

function figure(value: string, unit: string, at: number): SafeHtml {
  const y = 428 + at * 42;
  return html`<text x="${LEFT}" y="${y}" font-size="26"><tspan class="bold">${value}</tspan> <tspan class="soft">${unit}</tspan></text>`;
}

function badge(text: string, font: Font): SafeHtml {
  const size = 22;
  const width = Math.ceil(font.width(text, size)) + 40;
  const x = SOCIAL_WIDTH - width - 40;
  return html`<rect class="badge-box" x="${x}" y="546" width="${width}" height="46" rx="23"/><text class="bold badge" x="${x + 20}" y="577" font-size="${size}">${text}</text>`;
}

const SERVICE_SIZE = 24;

const TITLE_SIZES = [
  { size: 76, maxLines: 1 },
  { size: 64, maxLines: 2 },
  { size: 54, maxLines: 2 },
  { size: 46, maxLines: 3 },
];

/** Fits text at the largest possible size; text that exceeds the smallest size is cut with `…`. */
function fittedTitle(title: string, font: Font): { size: number; lines: readonly string[] } {
  const sizes = TITLE_SIZES.map(({ size, maxLines }) => ({
    size,
    lines: wrapped(title, maxLines, (line) => font.width(line, size) <= TEXT_WIDTH),
  }));
  const whole = sizes.find(({ lines }) => lines.join(" ") === title);
  return whole ?? sizes.at(-1) ?? { size: 46, lines: [] };
}

/** The service's name on one line, cut with `…`; empty in a script that the font lacks. */
function fittedService(service: string, font: Font): string {
  const name = plain(service);
  if (!font.covers(name)) return "";
  return wrapped(name, 1, (line) => font.width(line, SERVICE_SIZE) <= TEXT_WIDTH)[0] ?? "";
}

interface CityFacts {
  readonly service: string; // its name
  readonly slug: string;
  readonly name: string;
  readonly region: string; // region and country
  readonly coverageLabel: string;
  readonly records: number;
  readonly observations: number;
  readonly cells: readonly CellFacts[];
  readonly asOf: string; // ISO time
  readonly isSynthetic: boolean;
}

const BADGE = "synthetic demonstration data";

/** Picture of a city for shared links. Uses the slug for a name in a script that the fonts lack. */
export function cityImage(city: CityFacts, fonts: SocialFonts): string {
  const eligible = city.cells.filter((cell) => cell.eligible);
  const seen = eligible.filter(({ weeks_looked_90d }) => weeks_looked_90d > 0);
  const name = plain(city.name);
  const region = plain(city.region);
  return socialImage(
    {
      service: fittedService(city.service, fonts.bold),
      title: fonts.bold.covers(name) ? name : city.slug,
      lines: [fonts.regular.covers(region) ? region : "", city.coverageLabel],
      figures: [
        { value: number(city.records), unit: city.records === 1 ? "record" : "records" },
        { value: number(city.observations), unit: city.observations === 1 ? "observation" : "observations" },
        {
          value: `${number(seen.length)} of ${number(eligible.length)}`,
          unit: "areas checked in 90 days",
        },
      ],
      foot: `As of ${utcDate(city.asOf)} (UTC)`,
      badge: city.isSynthetic ? BADGE : undefined,
    },
    cellPicture(city.cells),
    fonts,
  );
}

interface SiteFacts {
  readonly service: string; // its name
  readonly cities: readonly { readonly lat: number; readonly lng: number }[];
  readonly records: number;
  readonly observations: number;
  readonly asOf: string; // ISO time
  readonly isSynthetic: boolean;
}

export function siteImage(site: SiteFacts, fonts: SocialFonts): string {
  const { cities, records, observations } = site;
  return socialImage(
    {
      service: fittedService(site.service, fonts.bold),
      title: "Evidence of what was physically seen",
      lines: [],
      figures: [
        { value: number(cities.length), unit: cities.length === 1 ? "city" : "cities" },
        { value: number(records), unit: records === 1 ? "record" : "records" },
        { value: number(observations), unit: observations === 1 ? "observation" : "observations" },
      ],
      foot: `As of ${utcDate(site.asOf)} (UTC)`,
      badge: site.isSynthetic ? BADGE : undefined,
    },
    worldPicture(cities),
    fonts,
  );
}

const MAP_WIDTH = 520;
const MAP_LEFT = SOCIAL_WIDTH - MAP_WIDTH - 20;
const MAP_TOP = 30;
const MAP_HEIGHT = 500;
const FINE = 10; // steps within a unit
const GAP = 0.92; // small gap between hexagons

/** Larger cities show only observed cells on a plain ground, to keep the picture small. */
const MAX_TILES = 600;

/** The cells as a motif: lighter means more observations. Crisp edges halve the picture's size. */
function cellPicture(cells: readonly CellFacts[]): SafeHtml {
  const middle = cells[Math.floor(cells.length / 2)];
  if (middle === undefined) return html``;
  const map = fitCells(
    cells.map(({ h3_cell }) => h3_cell),
    { width: MAP_WIDTH, maxHeight: MAP_HEIGHT, margin: 10 },
  );
  const shape = hexagonShape(map, middle.h3_cell);
  const eligible = cells.filter((cell) => cell.eligible).map(({ h3_cell }) => h3_cell);
  const kinds = CELL_CLASSES.filter((kind) => kind !== "unseen" || cells.length <= MAX_TILES);
  const paths = kinds.map((kind) => {
    const own = cells.filter((cell) => cellClass(cell) === kind);
    return html`<path class="${kind}" d="${own.map((cell) => tile(cell, map, shape)).join("")}"/>`;
  });
  const top = MAP_TOP + Math.round((MAP_HEIGHT - map.height) / 2);
  return html`<g transform="translate(${MAP_LEFT} ${top}) scale(${1 / FINE})" shape-rendering="crispEdges"><path class="ground" d="${outlinePath(eligible, map, FINE)}"/>${paths}</g>`;
}

function tile({ h3_cell }: CellFacts, map: LocalMap, shape: readonly Point[]): string {
  const [middleX, middleY] = map.project(cellToLatLng(h3_cell));
  const corners = shape.map(([x, y]): Point => [(middleX + GAP * x) * FINE, (middleY + GAP * y) * FINE]);
  return linePath(corners, true);
}

const WORLD_WIDTH = 580;

function worldPicture(cities: SiteFacts["cities"]): SafeHtml {
  const { land, height, project } = world();
  const scale = WORLD_WIDTH / WIDTH;
  const dots = cities.map(({ lat, lng }) => {
    const [x, y] = project([lat, lng]);
    return html`<circle class="dot" cx="${Math.round(x * LAND_STEPS)}" cy="${Math.round(y * LAND_STEPS)}" r="9"/>`;
  });
  const left = SOCIAL_WIDTH - WORLD_WIDTH - 20;
  const top = Math.round((SOCIAL_HEIGHT - height * scale) / 2);
  return html`<g transform="translate(${left} ${top}) scale(${scale / LAND_STEPS})"><path class="land" d="${land}"/>${dots}</g>`;
}

/** Removes control characters, which XML does not allow. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}
