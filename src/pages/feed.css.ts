import rules from "../styles/feed.css?raw";
import tokens from "../styles/tokens.css?raw";

/** Style sheet of the feeds. Feeds refer to it, so its URL never changes. */
export function GET(): Response {
  return new Response(`${tokens}\n${rules}`, { headers: { "Content-Type": "text/css; charset=utf-8" } });
}
