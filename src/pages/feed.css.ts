import rules from "../site/styles/feed.css?raw";
import tokens from "../site/styles/tokens.css?raw";

/** Style sheet of the feeds. Feeds refer to it, so its URL never changes. */
export function GET(): Response {
  return new Response(`${tokens}\n${rules}`, { headers: { "Content-Type": "text/css; charset=utf-8" } });
}
