import { micromark } from "micromark";

// The pages forbid pictures from other sites, so pictures become links.
const NO_PICTURES = { disable: { null: ["labelStartImage"] } };
// Micromark omits URLs with a dangerous protocol.
const LINK_TO_NOTHING = /<a href=""(?: title="[^"]*")?>(.*?)<\/a>/gs;
const HEADING = /<h([1-6])>(.*?)<\/h\1>/gs;

/**
 * Renders the operator's Markdown (CommonMark) as HTML below a level-2 heading. Shows HTML as text, allows links with http,
 * https, mailto, irc, xmpp or no protocol, and skips no heading level.
 */
export function operatorHtml(markdown: string): string {
  const html = micromark(markdown, { extensions: [NO_PICTURES] });
  return belowLevelTwo(html.replace(LINK_TO_NOTHING, "$1").replaceAll(" />", ">"));
}

// Text that looks like a heading is already escaped, so every match is a real heading.
function belowLevelTwo(html: string): string {
  const open: number[] = []; // levels of the enclosing headings
  return html.replace(HEADING, (_, digit: string, text: string) => {
    const level = Number(digit);
    while ((open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    const displayed = Math.min(6, 2 + open.length);
    return `<h${displayed}>${text}</h${displayed}>`;
  });
}
