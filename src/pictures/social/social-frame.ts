/** Frame of all pictures for shared links (Open Graph), with an embedded style sheet. */

import { html, type SafeHtml } from "../../render/html.ts";
import type { Font } from "../font.ts";
import { wrapped } from "../text-width.ts";

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
    ${logo()}<text class="bold" x="${LEFT + 52}" y="91" font-size="24">${words.service}</text>
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
