import { html, type SafeHtml } from "../../render/html.ts";
import { WIDTH } from "../picture.ts";

const LENGTHS_KM = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200];
const MAX_SHARE = 0.25; // of the picture's width

/** A scale bar of a round number of kilometers, with its left end at x and its text above. */
export function scaleBar(unitsPerKm: number, x: number, y: number): SafeHtml {
  const fitting = LENGTHS_KM.filter((km) => km * unitsPerKm <= WIDTH * MAX_SHARE);
  const km = fitting.at(-1) ?? LENGTHS_KM[0] ?? 1;
  const width = Math.round(km * unitsPerKm);
  return html`<path class="scale-bar" d="M${x} ${y - 5}v5h${width}v-5"/><text class="label" x="${x}" y="${y - 10}">${km} km</text>`;
}
