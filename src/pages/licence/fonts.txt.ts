import mono from "@fontsource/ibm-plex-mono/LICENSE?raw";
import sans from "@fontsource-variable/public-sans/LICENSE?raw";

/** Full licenses of the included fonts, as required by the Open Font License. */
export function GET(): Response {
  const text = `Public Sans\n\n${sans.trim()}\n\n\nIBM Plex Mono\n\n${mono.trim()}\n`;
  return new Response(text, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
