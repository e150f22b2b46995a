import rules from "../styles/feed.css?raw";
import tokens from "../styles/tokens.css?raw";

/** The style of the feeds: feeds name it, so unlike that of the pages it has one address for ever. */
export function GET(): Response {
  return new Response(`${tokens}\n${rules}`, { headers: { "Content-Type": "text/css; charset=utf-8" } });
}
