/** Common parts of all pictures. Pictures are pure functions from facts to text. */

import { type HtmlValue, html, type SafeHtml } from "../render/html.ts";

/** The data of a picture. `rows` are as long as `head`; the first value names the row. */
export interface DataTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A mark and its meaning. `mark` is an SVG drawing in a square of 24 units. */
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

/** Replaces a picture when there is too little data to draw. */
export interface NoPicture {
  readonly sentence: string;
}

/** Width of all pictures, so one set of type sizes fits all; see styles/pictures.css. */
export const WIDTH = 640;

export interface Frame {
  readonly id: string; // unique on its page; prefix of the ids inside
  readonly title: string;
  readonly description: string;
  readonly height: number;
  /** `img` is announced as one item; `group` is required for pictures with links. */
  readonly role: "img" | "group";
  readonly kind: "chart" | "map";
}

/** An SVG that fills the available width. styles/pictures.css has its colors and type. */
export function drawing({ id, title, description, height, role, kind }: Frame, content: HtmlValue): string {
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" class="${kind}" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="${role}" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>${content}</svg>`,
  );
}
