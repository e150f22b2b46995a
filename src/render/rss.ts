import { Feed } from "feed";
import type { PulseResponse } from "../contract/pulse.ts";
import { cityUrl } from "../resources/links.ts";

/** The change feed of a city as RSS 2.0 (interface 4.15); `baseUrl` has no slash at its end. */
export function pulseRss(pulse: PulseResponse, baseUrl: string): string {
  const { city, feeds, data_as_of, events } = pulse;
  const feed = new Feed({
    title: xmlText(`Physical presence changes in ${city.name}`),
    description: xmlText(`Changes derived from accepted physical observations in ${city.name}.`),
    link: cityUrl(baseUrl, city.slug),
    feed: feeds.rss,
    language: "en",
    updated: new Date(data_as_of), // the library's default is the wall clock
    generator: false,
  });
  for (const event of events) {
    feed.addItem({
      id: event.id,
      title: xmlText(event.headline),
      description: htmlText(xmlText(event.summary)),
      link: event.record_url,
      date: new Date(event.detected_at),
    });
  }
  return `${feed.rss2()}\n`;
}

/** XML 1.0 has no way to write control characters, noncharacters or lone surrogates, and the library leaves them in. */
export function xmlText(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]|\p{Cs}/gu, "");
}

/** RSS 2.0 readers take a description as HTML; a name in it must stay text. */
function htmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
