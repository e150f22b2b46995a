import {
  DEMONSTRATION_NOTE,
  NO_RESULT,
  OPEN_LICENSE,
  serviceName,
} from "../../contract/records/claim-boundary.ts";
import { EXPLORER_COLUMNS } from "../../contract/service/exports.ts";
import type { JsonObject } from "../../kernel/text/json.ts";
import { cityDate, isoDate } from "../../kernel/time.ts";
import type { ReadContext } from "../../resources/define.ts";
import { cityUrl, pulseUrls } from "../../resources/links.ts";
import { GEOJSON_TYPE } from "./media-types.ts";

type Snapshot = ReadContext["snapshot"];
type City = NonNullable<ReturnType<Snapshot["city"]>>;

/**
 * The open aggregates of a city as a schema.org Dataset. Records and evidence have other terms, so their feed is separate.
 * Nothing is described as a business, because that would claim more than was observed.
 */
export function cityDataset(snapshot: Snapshot, slug: string): JsonObject {
  const city = snapshot.city(slug);
  if (city === undefined) throw new Error(`no city ${slug} in this release`);
  const { baseUrl, asOf, siteName, environment } = snapshot.release();
  const madeUp = environment === "demo" ? ` ${DEMONSTRATION_NOTE}` : "";
  const url = cityUrl(baseUrl, city.slug);
  return {
    "@context": "https://schema.org",
    "@type": "Dataset",
    "@id": `${url}#dataset`,
    name: `Physical presence aggregates of ${placeName(city)}`,
    description: `Counts and coverage of brands and assets that independent observers physically saw in ${placeName(city)}, by industry, asset type and claim state. It contains only what was observed. ${NO_RESULT.limitation}${madeUp}`,
    url,
    identifier: url,
    license: OPEN_LICENSE.url,
    isAccessibleForFree: true,
    creator: { "@type": "Organization", name: serviceName({ siteName }), url: `${baseUrl}/` },
    dateModified: isoDate(asOf),
    version: isoDate(asOf),
    ...temporalCoverage(snapshot, city),
    spatialCoverage: {
      "@type": "Place",
      name: placeName(city),
      address: {
        "@type": "PostalAddress",
        addressLocality: city.name,
        addressRegion: city.region,
        addressCountry: city.country,
      },
    },
    variableMeasured: EXPLORER_COLUMNS,
    distribution: distributions(baseUrl, city),
    subjectOf: {
      "@type": "DataFeed",
      name: `Changes in ${city.name}`,
      url: pulseUrls(baseUrl, city.slug).rss,
      encodingFormat: "application/rss+xml",
    },
  };
}

function placeName({ name, region, countryName }: City): string {
  return [name, region, countryName].filter(Boolean).join(", ");
}

function distributions(baseUrl: string, { name, slug }: City): JsonObject[] {
  const download = (what: string, encodingFormat: string, path: string) => ({
    "@type": "DataDownload",
    name: what,
    encodingFormat,
    contentUrl: baseUrl + path,
  });
  const value = encodeURIComponent(slug);
  return [
    download(`Aggregates of ${name}`, "text/csv", `/api/v1/explorer.csv?city=${value}`),
    download(`Map cells of ${name}`, GEOJSON_TYPE, `/exports/cells/${value}.geojson`),
    download(`Coverage of ${name}`, "application/json", `/api/v1/coverage-status/${value}`),
  ];
}

/** First to last observation day of the city as an ISO 8601 interval; undefined without observations. */
function temporalCoverage(snapshot: Snapshot, { slug, lng }: City): { temporalCoverage?: string } {
  const rows = snapshot.explorerRows({ city: slug });
  const days = rows
    .flatMap(({ firstObserved, lastObserved }) => [firstObserved ?? [], lastObserved ?? []].flat())
    .sort((a, b) => a - b);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return {};
  return { temporalCoverage: `${cityDate(first, lng)}/${cityDate(last, lng)}` };
}

/** Serializes JSON for a `<script type="application/ld+json">` so that no text can end the element or open a comment. */
export function jsonLdText(value: JsonObject): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
