import type { NoPicture, Picture } from "../../pictures/picture.ts";
import { pictureHtml } from "../../pictures/picture-html.ts";

const figures = new WeakMap<Picture | NoPicture, string>();

/** A picture as HTML, made once: a city's page shows the same ones whatever is asked of its records. */
export function figureHtml(picture: Picture | NoPicture, zoom: boolean): string {
  const html = figures.get(picture) ?? String(pictureHtml(picture, { zoom }));
  figures.set(picture, html);
  return html;
}
