import { recordUrl } from "../resources/links.ts";
import { html } from "./html.ts";

/** Path of a record's page below `site/`. */
export function recordPagePath(publicId: string): string {
  return `${recordUrl("", publicId).slice(1)}index.html`;
}

/** The page of a merged record: it redirects to the remaining record without a script, from a plain file. */
export function mergedPage(baseUrl: string, publicId: string, mergedInto: string): string {
  const path = recordUrl("", mergedInto);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="refresh" content="0; url=${path}">
        <link rel="canonical" href="${recordUrl(baseUrl, mergedInto)}">
        <title>Merged record</title>
      </head>
      <body>
        <main>
          <h1>Merged record</h1>
          <p>The record ${publicId} was merged into <a href="${path}">${mergedInto}</a>.</p>
        </main>
      </body>
    </html>
  `;
  return `${String(page).trim()}\n`;
}
