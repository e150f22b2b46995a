import maplibre from "../../../node_modules/maplibre-gl/LICENSE.txt?raw"; // not among its exports;

/** Full licenses of the programs in the pages, as their licenses require. */
export function GET(): Response {
  const text = `MapLibre GL JS\n\n${maplibre.trim()}\n`;
  return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
