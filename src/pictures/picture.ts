import { type HtmlValue, html, type SafeHtml } from "../render/html.ts";

/** What every picture of the site is made of. Pictures are pure functions: facts in, text out. */

/** The numbers that a picture draws. `rows` are as long as `head`; the first value of a row names it. */
export interface DataTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A mark of a picture and what it means. `mark` is an SVG drawing in a square of 24 units. */
export interface LegendEntry {
  readonly mark: SafeHtml;
  readonly meaning: string;
}

export interface Picture {
  readonly svg: string;
  readonly caption: string; // plain text
  readonly legend: readonly LegendEntry[];
  readonly table: DataTable;
}

/** In place of a picture, where there is nothing, or too little, to draw. */
export interface NoPicture {
  readonly sentence: string;
}

/** All pictures are drawn this wide, so that one set of type sizes fits them all; see styles/pictures.css. */
export const WIDTH = 640;

export interface Frame {
  readonly id: string; // unique on its page; the ids within begin with it
  readonly title: string;
  readonly description: string;
  readonly height: number;
  /** `img` is read out as one thing; `group` where there are links within, which an `img` must not have. */
  readonly role: "img" | "group";
  readonly kind: "chart" | "map";
}

/** An SVG that is as wide as there is room for and keeps its shape. Colours and type are in styles/pictures.css. */
export function drawing({ id, title, description, height, role, kind }: Frame, content: HtmlValue): string {
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" class="${kind}" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="${role}" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>${content}</svg>`,
  );
}
