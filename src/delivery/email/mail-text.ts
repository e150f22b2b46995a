/** Plain text and HTML of an email. Record names come from street signs, so all text is treated as hostile. */

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

/** Removes line breaks, control characters and direction marks. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ")
    .trim();
}

export type MailPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "small"; readonly text: string }
  | { readonly kind: "link"; readonly label: string; readonly url: string }
  | { readonly kind: "list"; readonly items: readonly MailListItem[] };

export interface MailListItem {
  readonly title: string;
  readonly note: string;
  readonly url: string;
}

export function textBody(parts: readonly MailPart[]): string {
  return `${parts.map(textPart).join("\n\n")}\n`;
}

function textPart(part: MailPart): string {
  switch (part.kind) {
    case "text":
    case "small":
      return oneLine(part.text);
    case "link":
      return `${oneLine(part.label)}:\n${part.url}`;
    case "list":
      return part.items
        .map(({ title, note, url }) => `* ${oneLine(title)}\n  ${oneLine(note)}\n  ${url}`)
        .join("\n\n");
  }
}

export function htmlBody(title: string, parts: readonly MailPart[]): string {
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${safe(title)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5; max-width: 40em">',
    ...parts.map(htmlPart),
    "</body></html>",
    "",
  ].join("\n");
}

function htmlPart(part: MailPart): string {
  switch (part.kind) {
    case "text":
      return `<p>${safe(part.text)}</p>`;
    case "small":
      return `<p style="color: #555; font-size: smaller">${safe(part.text)}</p>`;
    case "link":
      return `<p><a href="${escapeHtml(part.url)}">${safe(part.label)}</a></p>`;
    case "list":
      return `<ul>\n${part.items.map(htmlItem).join("\n")}\n</ul>`;
  }
}

function htmlItem({ title, note, url }: MailListItem): string {
  return `<li><a href="${escapeHtml(url)}">${safe(title)}</a><br>${safe(note)}</li>`;
}

function safe(text: string): string {
  return escapeHtml(oneLine(text));
}
