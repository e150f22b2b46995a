/** Turns a file of docs/ into HTML for a page of the site. */

const PAGES: Readonly<Record<string, string>> = {
  "methodology.md": "/methodology/",
  "verify-by-hand.md": "/ledger/by-hand/",
  "api-changelog.md": "/developers/changelog/",
  "quick-start.md": "/developers/",
};

const TITLE = /^\s*<h1[^>]*>([\s\S]*?)<\/h1>/;
/** Anchors of headings such as `2. The leaf`. */
const NUMBERED = / (id="|href="#)(?=\d)/g;
const RELATIVE_LINK = /<a href="(?![a-z]+:|\/|#)([^"#]+)(#[^"]*)?">([\s\S]*?)<\/a>/g;
const HEADING_OR_TABLE = /<h[2-6][^>]*>([\s\S]*?)<\/h[2-6]>|<table>[\s\S]*?<\/table>/g;
const HEAD_CELL = /<th[^>]*>([\s\S]*?)<\/th>/g;

/** Title and body of a page, both as HTML. Maps links between files to their pages and unlinks files without a page. Anchors begin with a letter. Tables scroll. Throws for a file without a title. */
export function docPage(html: string) {
  const [whole, title] = TITLE.exec(html) ?? [];
  if (whole === undefined || title === undefined) throw new Error("the file does not begin with a title");
  const body = html
    .slice(whole.length)
    .replace(NUMBERED, " $1section-")
    .replace(RELATIVE_LINK, (_, file: string, anchor: string | undefined, text: string) => {
      const page = PAGES[file];
      return page === undefined ? text : `<a href="${page}${anchor ?? ""}">${text}</a>`;
    });
  return { title, body: scrollTables(body) };
}

/** Wraps each table in a scrolling box, as in ScrollTable.astro, named after the heading above and its columns. */
function scrollTables(html: string): string {
  const labels = new Map<string, number>();
  let heading = "Table";
  return html.replace(HEADING_OR_TABLE, (part: string, text: string | undefined) => {
    if (text !== undefined) {
      heading = plainText(text);
      return part;
    }
    const columns = [...part.matchAll(HEAD_CELL)].map(([, cell = ""]) => plainText(cell));
    const label = `${heading}: ${columns.join(", ")}`;
    const count = (labels.get(label) ?? 0) + 1;
    labels.set(label, count);
    const name = count === 1 ? label : `${label} (${count})`;
    return `<div class="scroll" role="region" aria-label="${name}" tabindex="0">${part}</div>`;
  });
}

/** Returns the text of HTML for an attribute; escaped characters stay escaped. */
function plainText(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll('"', "&quot;")
    .trim();
}
