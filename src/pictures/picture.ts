import { type HtmlValue, html, raw, type SafeHtml } from "../render/html.ts";

/** Common parts of all pictures. Pictures are pure functions from facts to text. */

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
  /** Of a map that opens: what its script has to know (site/scripts/open-map.ts), as JSON. */
  readonly openMap?: string;
}

/** Replaces a picture when there is too little data to draw. */
export interface NoPicture {
  readonly sentence: string;
}

/** Width of all pictures, so one set of type sizes fits all; see site/styles/pictures.css. */
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

/** An SVG that fills the available width. site/styles/pictures.css has its colors and type. */
export function drawing({ id, title, description, height, role, kind }: Frame, content: HtmlValue): string {
  return String(
    html`<svg xmlns="http://www.w3.org/2000/svg" class="${kind}" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="${role}" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>${content}</svg>`,
  );
}

/** Renders a picture as a figure with caption, legend and data table, or its replacement sentence. */
export function pictureHtml(picture: Picture | NoPicture): SafeHtml {
  if ("sentence" in picture) return html`<p class="soft no-picture">${picture.sentence}</p>`;
  const { svg, caption, legend, table, openMap } = picture;
  return html`<figure class="picture"${openMap && html` data-map="${openMap}"`}>
    <figcaption>${caption}</figcaption>
    <div class="plate">
      <div class="drawing">${raw(svg)}${openMap && MAP_BAR}</div>
      ${legend.length > 0 && html`<ul class="legend">${legend.map(legendEntry)}</ul>`}
    </div>
    <details><summary>Show as a table</summary>${dataTable(table)}</details>
  </figure>`;
}

/** Works once the script has come; shown from the first moment, so that nothing moves. */
const MAP_BAR = raw(`<div class="map-bar">
  <p role="status">Names and dates of each area:</p>
  <button type="button" data-open-map disabled>Open the map</button>
</div>`);

function legendEntry({ mark, meaning }: LegendEntry): SafeHtml {
  return html`<li><svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">${mark}</svg><span>${meaning}</span></li>`;
}

/** Like ScrollTable: a wide table scrolls in its own box, also by keyboard. */
function dataTable({ caption, head, rows }: DataTable): SafeHtml {
  const isNumber = head.map((_, at) => rows.every((row) => typeof row[at] === "number"));
  const attributes = (at: number) => isNumber[at] === true && rows.length > 0 && raw(' class="number"');
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
    <caption><span>${caption}</span></caption>
    <thead><tr>${head.map((name, at) => html`<th scope="col"${attributes(at)}>${name}</th>`)}</tr></thead>
    <tbody>${rows.map(
      (row) =>
        html`<tr>${row.map((value, at) =>
          at === 0
            ? html`<th scope="row"${attributes(at)}>${shown(value)}</th>`
            : html`<td${attributes(at)}>${shown(value)}</td>`,
        )}</tr>`,
    )}</tbody>
  </table></div>`;
}

function shown(value: string | number): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : value;
}
