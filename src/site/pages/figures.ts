import { type NoPicture, type Picture, pictureHtml } from "../../pictures/picture.ts";
import type { SafeHtml } from "../../render/html.ts";

const figures = new WeakMap<Picture | NoPicture, SafeHtml>();

/** A picture as HTML, made once: a city's page shows the same ones whatever is asked of its records. */
export function figureHtml(picture: Picture | NoPicture, zoom: boolean): SafeHtml {
  const html = figures.get(picture) ?? pictureHtml(picture, { zoom });
  figures.set(picture, html);
  return html;
}
