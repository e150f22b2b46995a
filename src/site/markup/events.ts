import type { ChangeEvent } from "../../contract/cities/pulse.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { utcDate } from "../../render/words/format.ts";
import { eventBasis } from "../../render/words/words.ts";
import { eventUrl } from "../../resources/links.ts";
import { namedText } from "./parts.ts";

/** Changes of one city or of several, as a list. */
export function eventList(events: readonly ChangeEvent[], showCity = false): SafeHtml {
  if (events.length === 0) return html`<p>No change was published in the last 30 days.</p>`;
  return html`<ul class="events">
    ${events.map((event) => eventItem(event, showCity))}
  </ul>`;
}

function eventItem(event: ChangeEvent, showCity: boolean): SafeHtml {
  return html`<li>
    <a href="${eventUrl(`/record/${event.entity_public_id}/`, event.type)}">${namedText(event.headline, event.entity_name)}</a>
    <p>${namedText(event.summary, event.entity_name)}</p>
    <p class="under">
      <time datetime="${event.detected_at}">${utcDate(event.detected_at)}</time> (UTC)
      ${showCity && html`· <a href="/city/${event.city}/"><bdi>${event.city_name}</bdi></a>`}
      · ${eventBasis(event)}
    </p>
  </li>`;
}
