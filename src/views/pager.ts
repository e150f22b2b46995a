import { html, type SafeHtml } from "../render/html.ts";

interface Pages {
  readonly before: number; // rows before this page
  readonly cursor: string | null; // of the next page
  readonly next: string; // label of the link to it
  /** Address of the list with another cursor. */
  to(changes: { readonly cursor: string | undefined }): string;
}

/** A cursor leads on and not back; all pages come from one frozen snapshot. */
export function pager({ before, cursor, next, to }: Pages): SafeHtml | false {
  if (before === 0 && cursor === null) return false;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${before > 0 && html`<a class="button" href="${to({ cursor: undefined })}">First page</a>`}
    ${cursor !== null && html`<a class="button main" rel="next" href="${to({ cursor })}">${next}</a>`}
  </nav>`;
}
