/** A file of docs/, as HTML, made fit for a page of the site. */

export interface DocPage {
  readonly title: string; // as HTML
  readonly body: string; // all below the title, as HTML
}

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

/** Links between the files lead to their pages; what has no page is not linked. Anchors begin with a letter. Throws for a file without a title. */
export function docPage(html: string): DocPage {
  const [whole, title] = TITLE.exec(html) ?? [];
  if (whole === undefined || title === undefined) throw new Error("the file does not begin with a title");
  const body = html
    .slice(whole.length)
    .replace(NUMBERED, " $1section-")
    .replace(RELATIVE_LINK, (_, file: string, anchor: string | undefined, text: string) => {
      const page = PAGES[file];
      return page === undefined ? text : `<a href="${page}${anchor ?? ""}">${text}</a>`;
    });
  return { title, body };
}
