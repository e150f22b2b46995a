/** Cities beside each other, by what can be compared. */

import { TIER_WORDS } from "../../contract/cities/coverage.ts";
import { html, type SafeHtml } from "../../render/html.ts";
import { AREAS_CHECKED, areasChecked, TIER_MEANINGS } from "../../render/words/coverage.ts";
import { number, percent } from "../../render/words/format.ts";
import type { ComparedCity } from "../pages/cities.ts";
import { choicesOf } from "../query/choices.ts";
import { CityOrder, coverage } from "../query/coverage.ts";
import { address, argument, type PageInput } from "../query/query-page.ts";
import { scrollTable } from "./parts.ts";
import { selectField, sortableHead } from "./query-parts.ts";

const CITIES_ANCHOR = "#cities";

const ORDER_CHOICES: Readonly<Record<CityOrder, string>> = {
  name: "by name",
  areas: "most areas checked first",
  observers: "most observers first",
  density: "most sightings per area first",
  new: "most new records first",
};

export function citiesForm(input: PageInput): SafeHtml {
  const choices = choicesOf(CityOrder.options, ORDER_CHOICES);
  return html`<form class="form filters" action="${coverage.path + CITIES_ANCHOR}">
    ${selectField({ page: coverage.name, name: "sort", label: "Order of the cities", value: argument(input, "sort"), choices })}
    <div class="do"><button type="submit" id="coverage-show">Show</button></div>
  </form>`;
}

interface Column {
  readonly order?: CityOrder;
  readonly text: string;
  readonly isText?: true;
}

const NEW_RECORDS = "New records in 30 days";
const OBSERVERS = "Observers on site";
const DENSITY = "Sightings per area";

const COLUMNS: readonly Column[] = [
  { order: "name", text: "City", isText: true },
  { text: "Coverage", isText: true },
  { order: "areas", text: AREAS_CHECKED },
  { order: "observers", text: OBSERVERS },
  { order: "density", text: DENSITY },
  { order: "new", text: NEW_RECORDS },
];

const CAPTION =
  "Areas checked: somebody looked there in the last 90 days, whether or not a sign was seen. Observers on site: independent people in the last 180 days. Sightings per area: accepted sightings of fixed signs in 90 days, for each area checked. New records: published for the first time in the last 30 days.";

export function cityTable(cities: readonly ComparedCity[], order: CityOrder): SafeHtml {
  return scrollTable(
    { label: "Cities compared", caption: CAPTION, stack: true },
    html`<thead>
      <tr>
        ${COLUMNS.map((column) => head(column, order))}
      </tr>
    </thead>
    <tbody>
      ${cities.map(row)}
    </tbody>`,
  );
}

function head({ order: by, text, isText }: Column, order: CityOrder): SafeHtml {
  const sort = by === CityOrder.enum.name ? undefined : by;
  return sortableHead({
    id: `coverage-sort-${by}`,
    text,
    kind: isText ? undefined : "number",
    href: by && address(coverage.path, { sort }) + CITIES_ANCHOR,
    sorted: by === order && (by === "name" ? "ascending" : "descending"),
  });
}

function row(city: ComparedCity): SafeHtml {
  const { sightings_per_area_90d: density, new_records_30d: newRecords } = city.recent;
  return html`<tr>
    <th scope="row" class="city">${cityName(city)}</th>
    <td class="full" data-label="Coverage"><span class="tag">${TIER_WORDS[city.tier]}</span> <span class="under">${TIER_MEANINGS[city.tier]}</span></td>
    <td class="number full" data-label="${AREAS_CHECKED}">${percent(city.metrics.cell_coverage_ratio_90d)} <span class="under">${areasChecked(city.metrics)}</span></td>
    <td class="number" data-label="${OBSERVERS}">${number(city.metrics.independent_scout_observers_180d)}</td>
    <td class="number" data-label="${DENSITY}">${density?.toFixed(1) ?? "no area"}</td>
    <td class="number full" data-label="${NEW_RECORDS}">${number(newRecords)}</td>
  </tr>`;
}

/** A city's name as a link, with where it lies. */
export function cityName({ slug, name, place }: Pick<ComparedCity, "slug" | "name" | "place">): SafeHtml {
  return html`<a href="/city/${slug}/"><bdi>${name}</bdi></a> <span class="under">${place}</span>`;
}
