/** The media types of public files, as servers send them. */

export const JSON_TYPE = "application/json; charset=utf-8";
export const CSV_TYPE = "text/csv; charset=utf-8; header=present";
export const GEOJSON_TYPE = "application/geo+json"; // RFC 7946; always UTF-8
export const TEXT_TYPE = "text/plain; charset=utf-8";
export const XML_TYPE = "application/xml; charset=utf-8";

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
