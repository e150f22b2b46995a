import { micromark } from "micromark";

/** Pictures would be loaded from elsewhere, which the pages forbid: what asks for one becomes a link. */
const NO_PICTURES = { disable: { null: ["labelStartImage"] } };
/** Micromark leaves the address out where it is of a dangerous protocol. */
const LINK_TO_NOTHING = /<a href=""(?: title="[^"]*")?>(.*?)<\/a>/gs;
const HEADING = /<h([1-6])>(.*?)<\/h\1>/gs;

/**
 * The operator's Markdown (CommonMark) as HTML for a place below a page's headings of level 2. HTML in it is shown as text,
 * links have http, https, mailto, irc, xmpp or no protocol, and no level of headings is left out.
 */
export function operatorHtml(markdown: string): string {
  const html = micromark(markdown, { extensions: [NO_PICTURES] });
  return belowLevelTwo(html.replace(LINK_TO_NOTHING, "$1").replaceAll(" />", ">"));
}

/** Text that looks like a heading has been escaped, so what is one is the operator's. */
function belowLevelTwo(html: string): string {
  const open: number[] = []; // levels of the headings around the present one
  return html.replace(HEADING, (_, digit: string, text: string) => {
    const level = Number(digit);
    while ((open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    const shown = Math.min(6, 2 + open.length);
    return `<h${shown}>${text}</h${shown}>`;
  });
}
