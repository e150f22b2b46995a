import { html, raw, type SafeHtml } from "../render/html.ts";
import type { DataTable, LegendEntry, NoPicture, Picture } from "./picture.ts";

interface Options {
  /** Adds the zoom buttons of page-scripts/lazy-zoom.ts. */
  readonly zoom?: boolean;
}

/** Renders a picture as a figure with caption, legend and data table, or its replacement sentence. */
export function pictureHtml(picture: Picture | NoPicture, { zoom = false }: Options = {}): SafeHtml {
  if ("sentence" in picture) return html`<p class="soft no-picture">${picture.sentence}</p>`;
  const { svg, caption, legend, table } = picture;
  return html`<figure class="picture"${zoom && raw(" data-zoom")}>
    <figcaption>${caption}</figcaption>
    <div class="plate">
      <div class="drawing">${raw(svg)}${zoom && ZOOM_BAR}</div>
      ${legend.length > 0 && html`<ul class="legend">${legend.map(legendEntry)}</ul>`}
    </div>
    <details><summary>Show as a table</summary>${dataTable(table)}</details>
  </figure>`;
}

/** Works once the script has come; shown from the first moment, so that nothing moves. */
const ZOOM_BAR = raw(`<div class="zoom-bar">
  <p role="status">Zoom 1.0 times</p>
  <button type="button" data-zoom-by="in" aria-label="Zoom in" disabled>+</button>
  <button type="button" data-zoom-by="out" aria-label="Zoom out" disabled>−</button>
  <button type="button" data-zoom-by="reset" aria-label="Reset the map" disabled>Reset</button>
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
